#!/bin/sh
# t4008-handlers - failed nonblocking calls beside other errors; calls that look
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin
need_sim

prog=$TMP/handlers
# build_with MPICC
build_with() {
    "$1" -O1 -Wall -Wextra -Werror -rdynamic -o "$prog" "$here/handlers.c" -ldl
}

SIM_OPTIONS="--fault write:errno=ENOSPC:file=*.all.*"
for name in disabled first; do
    SIM_OPTIONS="$SIM_OPTIONS;write:errno=ENOSPC:n=1:client=0:file=*.one.$name"
done
ok "the program compiles" build_with "$MPICC"
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
where=$SIM/f
for nodes in 1 2 4; do
    run_cases "nodes: $nodes" "$("$prog" -L)" node_run $nodes 4 "$prog" \
        -l $LIMIT
done
# Without what makes MPI's own progress sleep: looks come quickly then.
polite=$POLITE
POLITE=
run_cases "as fast as it goes" test_sleeps node_run 1 2 "$prog" -l $LIMIT
POLITE=$polite
if [ -n "$fork" ] && [ -x "$fork/bin/mpiexec" ]; then
    ok "the program compiles for the fork" build_with "$fork/bin/mpicc"
    for nodes in 1 2 4; do
        run_cases "fork, nodes: $nodes" "$("$prog" -L)" sim_fork_run $nodes 4 \
            "$prog" -l $LIMIT
    done
else
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
tap_done
