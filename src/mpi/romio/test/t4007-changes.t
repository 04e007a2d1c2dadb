#!/bin/sh
# t4007-changes - hints, atomicity and view change while calls are outstanding
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin
need_sim

prog=$TMP/changes
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/changes.c"
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
where=$SIM/f
for nodes in 1 2 4; do
    run_cases "nodes: $nodes" "$("$prog" -L)" node_run $nodes 4 "$prog" \
        -l $LIMIT
done
if [ -n "$fork" ] && [ -x "$fork/bin/mpiexec" ]; then
    ok "the program compiles for the fork" "$fork/bin/mpicc" -o "$prog" \
        "$here/changes.c"
    for nodes in 1 2 4; do
        run_cases "fork, nodes: $nodes" "$("$prog" -L)" sim_fork_run $nodes 4 \
            "$prog" -l $LIMIT
    done
else
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
tap_done
