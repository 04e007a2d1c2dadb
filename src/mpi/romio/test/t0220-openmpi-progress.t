#!/bin/sh
# t0220-openmpi-progress - no legal program hangs: over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The driver's steps are in Open MPI's own loop: the cases that MPICH 4.0 cannot
# do without MPI_THREAD_MULTIPLE (t4001) are done here.
ADL_MPI=openmpi
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin

prog=$TMP/progress
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/progress.c"
where=lustre:$TMP/f
all=$("$prog" -L)
slow="late_blocking late_nonblocking cost_of_waiting"

# on_nodes NODES CMD...
on_nodes() {
    ROMIO_LUSTRE_NODES=$1
    export ROMIO_LUSTRE_NODES
    shift
    "$@"
}

run_cases "one node" "$(minus "$all" "$slow")" \
    on_nodes 1 plugin_run 4 "$prog" -l $LIMIT
run_cases "two nodes" "$(minus "$all" "$slow")" \
    on_nodes 2 plugin_run 4 "$prog" -l $LIMIT
run_cases "two nodes, MPI_THREAD_MULTIPLE" "$(minus "$all" "$slow")" \
    on_nodes 2 plugin_run 4 "$prog" -m -l $LIMIT
if [ $FULL = yes ]; then
    run_cases "four nodes" "$all" on_nodes 4 plugin_run 4 "$prog" -l $LIMIT
    run_cases "one node, late ranks" "$slow" \
        on_nodes 1 plugin_run 4 "$prog" -l $LIMIT
fi
tap_done
