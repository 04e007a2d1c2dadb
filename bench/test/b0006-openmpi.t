#!/bin/sh
# b0006-openmpi - compare's sets over Open MPI: ours beside OMPIO and romio321
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
need_plugin
need_sim
for f in mpicc.openmpi mpiexec.openmpi; do
    command -v $f >/dev/null || skip_all "no $f"
done
[ -f "$BUILD/libromio_lustre_openmpi.so" ] ||
    skip_all "no plug-in for Open MPI in $BUILD"
tap_plan 14

TIMEOUT=600
lbench=$SRC/bench/lbench

# run OPTION...: in $TMP; status in $status
run() {
    status=0
    limited "$lbench" run compare --build "$BUILD" --dir "$TMP" \
        --out "$TMP/out" "$@" >"$TMP/said" 2>"$TMP/err" </dev/null || status=$?
    [ $status = 0 ] || { diag_file "$TMP/said"; diag_file "$TMP/err"; }
}

# of COLUMN VARIANT PHASE: of the results; "." is any
of() {
    awk -F , -v name="$1" -v v="$2" -v ph="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["variant"] ~ "^" v "$" && $c["phase"] ~ ph { print $c[name] }' \
        "$TMP/out/results.csv"
}

run --dry-run
is $status 0 "a dry run"
grep ' set=openmpi-' "$TMP/said" >"$TMP/plan"
is "$(sed -n 's/.* set=openmpi-\([a-z]*-[0-9]\) .*/\1/p' "$TMP/plan" |
    sort -u | tr '\n' ' ')" "flash-1 flash-4 flash-8 none-1 none-4 none-8 open-1 \
open-4 open-8 " "two profiles and small files, on 1, 4 and 8 nodes"
is "$(cut -d ' ' -f 2 "$TMP/plan" | sort -u | tr '\n' ' ')" \
    "by-hand ompio ours romio321 " "all that Open MPI's users could use"

# 8 ranks on 4 nodes write 4 KiB each and read them: one stripe
run --sets openmpi-open-4 --reps 1
is $status 0 "a small file"
is "$(of variant '.*' write | sort | tr '\n' ' ')" \
    "by-hand ompio ours romio321 " "each variant has written, and is verified"
is "$(of variant '.*' read | sort | tr '\n' ' ')" \
    "by-hand ompio ours romio321 " "and read"
is "$(of mpi '.*' . | sed 's/ [0-9].*//' | sort -u)" "Open MPI" \
    "all of them over Open MPI"
is "$(of write_rpc ours write) $(of locks ours write) $(
    of callbacks ours write)" "1 1 0" "ours: one RPC, one lock, no callback"
is "$(of read_rpc ours read)" 1 "one RPC to read it, with empty caches"
for v in ompio romio321; do
    ok "$v: as many RPCs or more" \
        test "$(of write_rpc $v write)" -ge 1 -a "$(of read_rpc $v read)" -ge 1
done
text=$("$lbench" report --out "$TMP/out" --text)
like "$text" "ours / by-hand +ours / ompio +ours / romio321" "a table of ratios"
like "$text" "^4 KiB a rank +write +1 / 1 / 0 / 1 " "and of counts"
like "$("$lbench" report --out "$TMP/out" --markdown)" \
    ", Open MPI [0-9.]+, driver " "the report names Open MPI"
