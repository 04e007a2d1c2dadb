#!/bin/sh
# t7002-hdf5-metadata - HDF5's collective metadata: the same files, fewer requests
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
pkg-config --exists hdf5-mpich 2>/dev/null || skip_all "no libhdf5-mpich-dev"

tap_plan 15
TIMEOUT=300

# shellcheck disable=SC2046 # compiler options
ok "the program compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/meta" \
    "$SRC/src/mpi/romio/test/hdf5_meta.c" \
    $(pkg-config --cflags --libs hdf5-mpich)

# ---- contents: written and read in either way, and without MPI-IO ----
sim_mkfs --osts 4 --stripe-count 3 --stripe-size 64K >/dev/null
for how in together alone; do
    ok "written $how" sim_run 4 "$TMP/meta" write $how "$SIM/$how.h5"
    for again in together alone; do
        ok "written $how, read $again" \
            sim_run 3 "$TMP/meta" check $again "$SIM/$how.h5"
    done
    ok "written $how, read without MPI-IO" \
        sim_one "$TMP/meta" serial alone "$SIM/$how.h5"
done

# ---- requests: the paper's experiment, small ----
limited "$SRC/bench/lbench" run papers --build "$BUILD" --sets metadata \
    --dir "$TMP" --out "$TMP/out" >"$TMP/table" 2>&1 </dev/null
is $? 0 "lbench counts"
diag_file "$TMP/table"

# result COLUMN PHASE VARIANT: of the table of results
result() {
    awk -F , -v name="$1" -v phase="$2" -v variant="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
        $c["phase"] == phase && $c["variant"] == variant { print $c[name] }
        ' "$TMP/out/results.csv"
}

# asked PHASE METADATA HANDLES: reads, writes and locks together
asked() {
    variant=$3
    [ "$3" = kept ] || variant=reopened
    [ "$2" != collective ] || variant=$variant-coll
    result value_s "$1" "$variant"
}

# halves DESC MORE LESS: LESS is at most half of MORE
halves() {
    if [ "${2:-0}" -gt 0 ] && [ "${3:-0}" -gt 0 ] &&
        [ $((2 * $3)) -le "$2" ]; then
        pass "$1 ($2, $3)"
    else
        fail "$1 ($2, $3)"
    fi
}

halves "write: collective metadata halves the requests" \
    "$(asked write independent re-opened)" "$(asked write collective re-opened)"
halves "read: collective metadata halves the requests" \
    "$(asked read independent kept)" "$(asked read collective kept)"
halves "write: so do handles that are kept" \
    "$(asked write collective re-opened)" "$(asked write collective kept)"
halves "write: both" \
    "$(asked write independent re-opened)" "$(asked write collective kept)"
# HDF5 asks for the file's size when it opens it. Each of the 4 objects, which
# no client writes yet, answers with a read lock on all of it (locks-2.md, D4), and
# the first write calls that back: lustre-sim's trace shows rank 0's 4 requests
# first, then per object the first writer's, whose callback goes to rank 0. There
# is none later, nor at close.
ok "and then no client takes a lock from another but for the size" \
    test "$(result callbacks write kept-coll)" -le 4
