#!/bin/sh
# t4002-progress-fork - no legal program hangs: the MPICH fork
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_fork

prog=$TMP/progress
ok "the program compiles" "$fork/bin/mpicc" -O2 -Wall -Wextra -Werror \
    -o "$prog" "$here/progress.c"
where=lustre:$TMP/f
all=$("$prog" -L)
slow="late_blocking late_nonblocking cost_of_waiting"

# No way out here: MPI's own progress loop carries everything on.
for nodes in 1 2 4; do
    MPIR_CVAR_NUM_CLIQUES=$nodes
    export MPIR_CVAR_NUM_CLIQUES
    cases=$all
    [ $nodes = 1 ] || cases=$(minus "$all" "$slow")
    run_cases "nodes: $nodes" "$cases" fork_run 4 "$prog" -l $LIMIT
done
MPIR_CVAR_NUM_CLIQUES=2
run_cases "nodes: 2, MPI_THREAD_MULTIPLE" "$(minus "$all" "$slow")" \
    fork_run 4 "$prog" -m -l $LIMIT
tap_done
