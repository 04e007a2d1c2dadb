#!/bin/sh
# t2030-owners - what the servers see of collective calls: one client an object,
# SPDX-License-Identifier: LicenseRef-romio-lustre
# whole stripes, in order; 4 ranks = 4 clients, 4 OSTs
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 24

ok "the proxies compile" "$SRC/bench/apps/build" --mpicc "$MPICC" --out "$TMP" \
    lattice ior climate

# fresh: a file system whose files have 4 stripes of 64 KiB
fresh() {
    sim_mkfs --osts 4 >/dev/null
    "$LUSTRE_SIM" setstripe -c 4 -S 64K "$SIM"
}

# stat LABEL: a number of the statistics block of the last run
stat() {
    sed -n "s/^|   $1 *= \([0-9]*\).*/\1/p" "$TMP/.out" | head -n 1
}

export MPICH_MPIIO_STATS=1

# 4 x 16^4 sites of 24 bytes = 96 stripes, no byte missing
fresh
ok "4-D lattice: write" sim_run 4 "$TMP/lattice" --write --keep "$SIM"
is "$(stat 'system writes')" 96 "4-D lattice: a system write a stripe"
is "$(stat 'stripe sized writes')" 96 "4-D lattice: all of them whole stripes"
is "$(sim_count bl_callback)" 0 "4-D lattice: no lock called back"
is "$(sim_count enqueue)" 4 "4-D lattice: one lock an object"
is "$(sim_count seek)" 4 "4-D lattice: every object written in order"
is "$(sim_count write_bytes)" 6291456 "4-D lattice: every byte once"

sim_fresh "$SIM"
ok "4-D lattice: read" sim_run 4 "$TMP/lattice" --read "$SIM"
is "$(sim_count enqueue)" 4 "read: one client an object"
is "$(sim_count seek)" 4 "read: every object from its start to its end"
is "$(sim_count read_bytes)" 6291456 "read: every byte once"
is "$("$LUSTRE_SIM" stats "$SIM" | grep -c '^client .* read_bytes=1572864')" 4 \
    "read: each client reads one object, all of it"

sim_fresh "$SIM"
# Generic collective reading with an aggregator a rank: contiguous domains, so
# every client comes to every OST.
echo "cb_nodes 4
cb_config_list *:*" >"$TMP/hints"
ok "stock ROMIO: read" limited env ROMIO_HINTS="$TMP/hints" "$LUSTRE_SIM" run \
    --root "$SIM" "$MPIEXEC" -n 4 -genv LD_PRELOAD \
    "$BUILD/libromio_stock.so:$("$LUSTRE_SIM" --preload)" \
    "$TMP/lattice" --read "ufs:$SIM"
is "$(sim_count enqueue)" 16 "stock ROMIO: every client reads every object"

for what in "ior -p strided -b 500000 -t 10000 --batch 50" \
    "climate --variables 1" "ior --gaps -b 512K -t 512K"; do
    fresh
    # shellcheck disable=SC2086 # a list of options
    ok "$what: write" sim_run 4 "$TMP/"$what --again 1 --write --keep "$SIM"
    is "$(sim_count bl_callback)" 0 "$what: no lock called back"
    is "$(sim_count enqueue)" 4 "$what: one lock an object"
done
