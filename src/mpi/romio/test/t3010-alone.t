#!/bin/sh
# t3010-alone - reads of blocks that no two ranks share: which ranks ask
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
ok "ior compiles" "$SRC/bench/apps/build" --mpicc "$MPICC" --out "$TMP" ior

# ior OPTION...: 4 ranks on 4 nodes; counts begin anew
ior() {
    sim_fresh "$SIM"
    node_run 4 4 "$TMP/ior" --keep "$@" "$SIM" >"$TMP/out" 2>"$TMP/err" ||
        { diag "exit status $?"; diag_file "$TMP/err"; }
}

# One object: so many locks, so many clients.
sim_mkfs --osts 4 --stripe-count 1 --stripe-size 1M >/dev/null || exit 1
set -- --block 256K --transfer 256K
ior --write "$@"
ior --read "$@"
is "$(sim_count enqueue)" 4 "without disks every rank reads its own block"
is "$(sim_count read_bytes)" $((4 * 256 * 1024)) "and nothing else"
ior --read -h romio_cb_read=enable "$@"
is "$(sim_count enqueue)" 1 "asked for it, the aggregator does"
ior --read -h romio_no_indep_rw=true "$@"
is "$(sim_count enqueue)" 1 "others may not where that was promised"
ior --read --block 64K --transfer 64K
is "$(sim_count enqueue)" 1 "small blocks are read by one"
SIM_OPTIONS="--profile disk"
ior --read "$@"
is "$(sim_count enqueue)" 1 "disks are read by one"
SIM_OPTIONS=
ior --write --read "$@"
is "$(sim_count enqueue)" 1 "what the aggregator has written it has still"
is "$(sim_count read_rpc)" 0 "no client asks a server for it"

# A client takes short reads in a row for a file that is read to its end.
rm -rf "$SIM"
sim_mkfs --osts 4 --stripe-count 4 --stripe-size 256K >/dev/null || exit 1
set -- --block 8M --transfer 8M
ior --write "$@"
ior --read "$@"
is "$(sim_count read_bytes)" $((4 * 8 << 20)) \
    "blocks of many stripes are read at once, nothing beyond them"
tap_done
