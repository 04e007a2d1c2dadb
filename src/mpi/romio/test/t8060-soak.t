#!/bin/sh
# t8060-soak - every kind of access for a long time: right, and nothing grows
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# 20 s on 4 ranks; with ADL_CHECK_FULL=1 20 minutes on 16 (ADL_SOAK_SECONDS).
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 4
ranks=4 nodes=2 seconds=20
[ $FULL = no ] || { ranks=16 nodes=4 seconds=1200; }
seconds=${ADL_SOAK_SECONDS:-$seconds}
TIMEOUT=${ADL_TIMEOUT:-$((seconds + 300))}

ok "soak compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$TMP/soak" \
    "$SRC/src/mpi/romio/test/soak.c"
sim_mkfs --osts 4 >/dev/null
ok "$ranks ranks on $nodes nodes for $seconds s" \
    node_run $nodes $ranks "$TMP/soak" "$SIM" "$seconds"
diag "$(grep turns "$TMP/.out")"
is "$(sim_count group)" "$(sim_count ungroup)" "every group lock was given back"
is "$(grep -c 'does not work here' "$TMP/.out")" 0 "every lock mode worked"
