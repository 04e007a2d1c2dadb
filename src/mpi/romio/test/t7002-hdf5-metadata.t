#!/bin/sh
# t7002-hdf5-metadata - HDF5's collective metadata: the same files, fewer requests
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
pkg-config --exists hdf5-mpich 2>/dev/null || skip_all "no libhdf5-mpich-dev"

tap_plan 15

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
ADL_BUILD=$BUILD limited "$SRC/bench/metadata" --datasets 48 --steps 3 \
    >"$TMP/table" 2>"$TMP/err" </dev/null
is $? 0 "bench/metadata runs"
diag_file "$TMP/table"
diag_file "$TMP/err"

# asked PHASE METADATA HANDLES: reads, writes and locks together
asked() {
    awk -v phase="$1:" -v mode="$2," -v handles="$3" '
        $1 == phase && $2 == mode && $3 == handles { print $4 + $5 + $6 }
        ' "$TMP/table"
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
is "$(awk '$1 == "write:" && $2 == "collective," && $3 == "kept" { print $7 }' \
    "$TMP/table")" 0 "and then no client takes a lock from another"
