#!/bin/sh
# b0005-rivals - the suite rivals: counts beside times, all proxies and rivals
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
need_plugin
need_sim
tap_plan 16

TIMEOUT=600
unset PNETCDF_DIR
lbench=$SRC/bench/lbench

# run OPTION...: in $TMP; status in $status
run() {
    status=0
    limited "$lbench" run rivals --build "$BUILD" --dir "$TMP" --out "$TMP/out" \
        "$@" >"$TMP/said" 2>"$TMP/err" </dev/null || status=$?
    [ $status = 0 ] || { diag_file "$TMP/said"; diag_file "$TMP/err"; }
}

# count COLUMN VARIANT PHASE: of the results
count() {
    awk -F , -v name="$1" -v v="$2" -v ph="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["variant"] == v && $c["phase"] == ph { print $c[name] }' \
        "$TMP/out/results.csv"
}

run --dry-run
is $status 0 "a dry run"
labels=$(sed -n 's/.* label=\([^ ]*\) .*/\1/p' "$TMP/said" | sort -u | tr '\n' ' ')
is "$labels" "bt e3sm-f e3sm-g e3sm-i flash ior-large ior-segmented ior-strided \
s3d wrf " "all patterns"
is "$(sed -n 's/.*set=rivals-\([a-z]*\)-\([0-9]\) .*/\1 \2/p' "$TMP/said" |
    sort -u | tr '\n' ' ')" "disk 1 disk 4 flash 1 flash 4 none 1 none 4 " \
    "three profiles, 1 and 4 nodes"
like "$(cut -d ' ' -f 2 "$TMP/said" | sort -u | tr '\n' ' ')" \
    "by-hand fpp (ompio )?ours (romio321 )?stock stock-lustre " "all rivals"

# GIO is compiled into the proxies where there is one.
PNETCDF_DIR=$TMP run --dry-run
like "$(cut -d ' ' -f 2 "$TMP/said" | sort -u | tr '\n' ' ')" \
    "by-hand fpp gio " "GIO, where PNETCDF_DIR names one"
status=0
said=$("$SRC/bench/apps/build" --gio "$TMP" --out "$TMP" ior 2>&1) || status=$?
is "$status: $said" "2: build: no gio.h and libgio in $TMP" "which must be there"
ok "ior without it" "$SRC/bench/apps/build" --hdf5 no --mpicc "$MPICC" \
    --out "$TMP" ior
like "$("$TMP/ior" --write --api gio "$TMP" 2>&1)" "ior was built without GIO" \
    "says so"

# Blocks of a whole stripe: 8 ranks write 8 times 1 MiB each.
run --sets rivals-none-4 --labels ior-segmented --variants ours,stock,fpp \
    --reps 1 --scale 0.25
is $status 0 "ior, small"
is "$(count writes ours write)" 64 "ours: a system write a block"
is "$(count callbacks ours write)" 0 "without a callback"
is "$(count writes fpp write)" 64 "a file per process: as many"
is "$(count reads ours read)" 64 "and as many reads"
text=$("$lbench" report --out "$TMP/out" --text)
like "$text" "ours / best" "the table has the best of the others"
like "$text" "^ior-segmented +write +64 / [0-9]+ / 0 / [0-9]+ " \
    "and counts: system calls, locks, callbacks, RPCs"
like "$("$lbench" report --out "$TMP/out" --markdown)" \
    '^\| ior-segmented \| write \| 64 / ' "in documents, too"
