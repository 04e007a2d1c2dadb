#!/bin/sh
# t5003-lock-faults - calls for locks that fail: the file is right all the same
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

prog=$TMP/strided
shape="-b 64 -n 4 -c 4"
ok "strided compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/strided.c"
ok "lockcase compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$TMP/lockcase" \
    "$SRC/src/mpi/romio/test/lockcase.c"
mode1="cray_cb_write_lock_mode=1 romio_no_indep_rw=true"

# fault NAME SPEC MESSAGES HINT...: on 8 ranks of 4 nodes; four tests
fault() {
    name=$1
    spec=$2
    want=$3
    shift 3
    sim_mkfs --osts 4 >/dev/null
    SIM_OPTIONS="--fault $spec"
    # shellcheck disable=SC2086 # lists
    ok "$name: the job goes on" node_run 4 8 "$prog" $shape "$SIM/f" \
        striping_factor=4 striping_unit=65536 cray_cb_nodes_multiplier=2 "$@"
    unset SIM_OPTIONS
    is "$(grep -c 'does not work here' "$TMP/.out")" "$want" \
        "$name: messages: $want"
    # shellcheck disable=SC2086
    ok "$name: contents" "$prog" $shape -v 8 "$SIM/f"
    is "$(sim_count ungroup)" "$(sim_count group)" "$name: no group lock left"
}

# what the user can know beforehand
sim_mkfs --osts 4 >/dev/null
doctor() {
    "$LUSTRE_SIM" run --root "$SIM" "$@" "$BUILD/romio-lustre" doctor "$SIM"
}
said=$(doctor)
like "$said" "group lock +yes" "doctor: group locks are there"
like "$said" "lockahead +yes" "doctor: lockahead is there"
said=$(doctor --fault ioctl:errno=ENOTTY)
like "$said" "group lock +no" "doctor: no group locks"
like "$said" "lockahead +no" "doctor: no lockahead"

# not there at all, as on an old client or server
for error in ENOTTY EOPNOTSUPP EINVAL; do
    # shellcheck disable=SC2086 # a list
    fault "mode 1, $error" "ioctl:errno=$error" 1 $mode1
    fault "mode 2, $error" "ioctl:errno=$error" 1 cray_cb_write_lock_mode=2
done

# on one client only
# shellcheck disable=SC2086 # a list
fault "mode 1, on one node" "ioctl:errno=ENOTTY:client=2" 1 $mode1
fault "mode 2, on one node" "ioctl:errno=EOPNOTSUPP:client=2" 1 \
    cray_cb_write_lock_mode=2

# The n-th call. Mode 1: lock, unlock at sync (then the descriptor is opened
# again: no message). Mode 2: the mount's name, whose lack is no loss, then
# noexpand, first window, renewals.
# shellcheck disable=SC2086 # a list
fault "mode 1, call 1" "ioctl:n=1:errno=EIO" 1 $mode1
# shellcheck disable=SC2086
fault "mode 1, call 2: the unlock" "ioctl:n=2:errno=EIO" 0 $mode1
fault "mode 2, call 1" "ioctl:n=1:errno=EIO" 0 cray_cb_write_lock_mode=2
for n in 2 3 4; do
    fault "mode 2, call $n" "ioctl:n=$n:errno=EIO" 1 \
        cray_cb_write_lock_mode=2 romio_lustre_cb_lock_ahead_num_extents=4
done
fault "mode 2, call 99: never made" "ioctl:n=99:errno=EIO" 0 \
    cray_cb_write_lock_mode=2

# Writes that fail under the group lock: an error everywhere, no lock left.
sim_mkfs --osts 4 >/dev/null
SIM_OPTIONS="--fault write:n=2:errno=EIO:client=1"
# shellcheck disable=SC2086 # a list
ok "mode 1, a write fails: nothing hangs" node_run 4 8 "$TMP/lockcase" -p -t \
    "$SIM/f" striping_factor=4 striping_unit=65536 cray_cb_nodes_multiplier=2 \
    $mode1
unset SIM_OPTIONS
is "$(sim_count ungroup)" "$(sim_count group)" \
    "mode 1, a write fails: no group lock left"
tap_done
