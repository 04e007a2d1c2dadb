#!/bin/sh
# t5002-locked-file - a file in every lock mode: independent writes between
# SPDX-License-Identifier: LicenseRef-romio-lustre
# collective ones, truncation, reads by other ranks, sync, close, reopen, abort
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 29

prog=$TMP/lockcase
ok "lockcase compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/lockcase.c"
shape="striping_factor=4 striping_unit=65536 cray_cb_nodes_multiplier=2"
mode1="cray_cb_write_lock_mode=1 romio_no_indep_rw=true"

# life NAME OPTIONS HINTS: all of it on 8 ranks of 4 nodes; two tests
life() {
    sim_mkfs --osts 4 >/dev/null
    # shellcheck disable=SC2086 # lists
    ok "$1: right, and nothing hangs" node_run 4 8 "$prog" $2 "$SIM/f" \
        $shape $3
    said=$(cat "$TMP/.out")
    diag "$("$LUSTRE_SIM" stats "$SIM" | grep '^total')"
    is "$(sim_count ungroup)" "$(sim_count group)" \
        "$1: no group lock is left behind"
}

life "mode 0" "" "cray_cb_write_lock_mode=0"
is "$(sim_count lockahead) $(sim_count group)" "0 0" "mode 0: plain locks only"

life "mode 1" -p "$mode1"
ok "mode 1: there were group locks" test "$(sim_count group)" -gt 0
like "$said" "independent access refused on rank 7" \
    "mode 1: an independent access is refused, and it is said why"

life "mode 1, nonblocking" "-p -i" "$mode1"
ok "mode 1, nonblocking: there were group locks" test "$(sim_count group)" -gt 0

life "mode 2" "" "cray_cb_write_lock_mode=2"
ok "mode 2: there were locks ahead" test "$(sim_count lockahead)" -gt 0
life "mode 2, nonblocking" -i "cray_cb_write_lock_mode=2"
life "mode 2, short window" "" \
    "cray_cb_write_lock_mode=2 romio_lustre_cb_lock_ahead_num_extents=5"
life "mode 2 and reads" "" \
    "cray_cb_write_lock_mode=2 romio_lustre_cb_lock_ahead_read=1"

# Composite layouts: three components of different shape.
shape="cray_cb_nodes_multiplier=2"
compose() {
    mkdir "$SIM/d" && "$LUSTRE_SIM" run --root "$SIM" \
        "$LUSTRE_SIM" setstripe -E 1M -c 1 -S 64K -E 4M -c 2 -S 128K \
        -E -1 -c 4 -S 64K "$SIM/d"
}
sim_mkfs --osts 4 >/dev/null
ok "a directory for composite files" compose
ok "mode 2, composite: right" node_run 4 8 "$prog" "$SIM/d/f" $shape \
    cray_cb_write_lock_mode=2
ok "mode 2, composite: there were locks ahead" test "$(sim_count lockahead)" \
    -gt 0
# shellcheck disable=SC2086 # a list
ok "mode 1, composite: right" node_run 4 8 "$prog" -p "$SIM/d/g" $shape $mode1
is "$(sim_count ungroup)" "$(sim_count group)" \
    "mode 1, composite: no group lock is left behind"

# One rank calls MPI_Abort while the group lock is held; then others want the
# file.
shape="striping_factor=4 striping_unit=65536 cray_cb_nodes_multiplier=2"
sim_mkfs --osts 4 >/dev/null
# shellcheck disable=SC2086 # lists
node_run 4 8 "$prog" -p -a "$SIM/f" $shape $mode1 >"$TMP/.out" 2>&1
rc=$?
is "$rc" 3 "mode 1: a job aborts"
ok "mode 1: it held group locks" test "$(sim_count group)" -gt 0
# shellcheck disable=SC2086
ok "mode 1: after that the file can be used" node_run 4 8 "$prog" \
    "$SIM/f" $shape cray_cb_write_lock_mode=0
# shellcheck disable=SC2086
ok "mode 1: and by another group" node_run 4 8 "$prog" -p "$SIM/f" $shape $mode1
