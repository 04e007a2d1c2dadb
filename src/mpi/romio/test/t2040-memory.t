#!/bin/sh
# t2040-memory - how the ranks of a node share memory: our way, and MPI's where
# SPDX-License-Identifier: LicenseRef-romio-lustre
# that does not work
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 8

ok "the proxies compile" "$SRC/bench/apps/build" --mpicc "$MPICC" --out "$TMP" \
    wrf lattice
ok "the odd systems, too" "$MPICC" -O2 -Wall -Wextra -Werror -fPIC -shared \
    -o "$TMP/oddmemory.so" "$SRC/src/mpi/romio/test/oddmemory.c" -ldl
POLITE=${POLITE:+$POLITE:}$TMP/oddmemory.so
sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null || exit 1

# shares KIND WINDOWS NODES RANKS DESC PROG ARG...: verified, so many windows
shares() {
    kind=$1 windows=$2 nodes=$3 ranks=$4 desc=$5
    shift 5
    ADL_TEST_MEMORY=$kind
    export ADL_TEST_MEMORY
    node_run "$nodes" "$ranks" "$@" "$SIM" >"$TMP/out" 2>"$TMP/err"
    is "$? $(grep -c 'oddmemory: a window' "$TMP/err")" "0 $windows" "$desc"
    [ "$(grep -c ^verify "$TMP/out")" = 1 ] || diag_file "$TMP/err"
}

# two opens with collective calls: for writing and for reading
shares ours 0 1 4 "our own memory: no window of MPI" "$TMP/lattice" -l 5
shares ours 0 2 6 "on two nodes, each its own" "$TMP/lattice" -l 5
shares none 2 1 4 "no memfd_create: windows" "$TMP/lattice" -l 5
shares none 2 2 6 "the same on two nodes" "$TMP/lattice" -l 5
shares foreign 2 2 6 "others' memory cannot be opened: windows" \
    "$TMP/lattice" -l 5
shares ours 0 2 4 "three files at once, each its own memory" "$TMP/wrf" \
    --scale 0.1 --sets 1 --records 1
