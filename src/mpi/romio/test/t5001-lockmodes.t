#!/bin/sh
# t5001-lockmodes - what the lock modes cost in locks: 16 ranks on 4 and on 8
# SPDX-License-Identifier: LicenseRef-romio-lustre
# nodes, 4 OSTs, 4 aggregators an OST, strided collective writes
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 28

prog=$TMP/strided
ok "strided compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/strided.c"

# An aggregator list that deals the four owners of each object to four nodes:
# rank r lives on node r mod 4, owner o serves object o mod 4.
spread=0,5,10,15,1,6,11,12,2,7,8,13,3,4,9,14
# 256 blocks of 64 KiB = 256 stripes, in two calls
shape="-b 64 -n 8 -c 2"

# write NAME NODES HINT...: on a new file system; two tests
write() {
    name=$1
    nodes=$2
    shift 2
    sim_mkfs --osts 4 >/dev/null
    # shellcheck disable=SC2086 # a list of options
    ok "$name: writes" node_run "$nodes" 16 "$prog" $shape "$SIM/f" \
        striping_factor=4 striping_unit=65536 cray_cb_nodes_multiplier=4 "$@"
    said=$(cat "$TMP/.out")
    # shellcheck disable=SC2086
    ok "$name: contents" "$prog" $shape -v 16 "$SIM/f"
    diag "$("$LUSTRE_SIM" stats "$SIM" | grep '^total')"
}

write "mode 0, owners spread" 4 cray_cb_write_lock_mode=0 \
    "cb_aggregator_list=$spread"
ok "mode 0, owners spread: they call each other's locks back" \
    test "$(sim_count bl_callback)" -ge 16

write "mode 0, owners where we put them" 4 cray_cb_write_lock_mode=0
is "$(sim_count bl_callback)" 0 \
    "mode 0, owners of an object on one node: no callback"

write "mode 1" 4 cray_cb_write_lock_mode=1 romio_no_indep_rw=true
is "$(sim_count bl_callback)" 0 "mode 1: no callback"
is "$(sim_count enqueue)" 16 "mode 1: a group lock a node and OST, nothing else"
is "$(sim_count group)" 64 "mode 1: every aggregator is in the group"
is "$(sim_count ungroup)" 64 "mode 1: and all have given it back"

write "mode 2" 4 cray_cb_write_lock_mode=2
is "$(sim_count bl_callback)" 0 "mode 2: no callback"
is "$(sim_count enqueue)" "$(sim_count lockahead)" \
    "mode 2: every write found its lock: hits = stripe writes"
is "$(sim_count refused)" 0 "mode 2: no lock request was refused"
is "$(sim_count lockahead)" 256 "mode 2: as many extents as stripes"

write "mode 2, 8 nodes, short window" 8 romio_lustre_cb_lock_ahead_write=1 \
    cb_lock_ahead_num_extents=6
is "$(sim_count bl_callback)" 0 "short window: no callback"
is "$(sim_count enqueue)" "$(sim_count lockahead)" \
    "short window: renewed before it runs out"
ok "short window: not much more is asked for than is used" \
    test "$(sim_count lockahead)" -le $((256 + 16 * 6))

write "mode 1 without the promise" 4 cray_cb_write_lock_mode=1
like "$said" "needs the promise" "it is refused, with a message"
is "$(sim_count group)" 0 "and mode 0 is used"
