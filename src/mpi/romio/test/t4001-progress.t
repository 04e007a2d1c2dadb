#!/bin/sh
# t4001-progress - no legal program hangs: the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin

prog=$TMP/progress
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/progress.c"
where=lustre:$TMP/f
all=$("$prog" -L)
slow="late_blocking late_nonblocking cost_of_waiting"
# Ranks of several nodes inside calls of MPI's own, see Limits in README.lustre.
beyond="barrier_half recv_meanwhile irecv_meanwhile"

# on_nodes NODES CMD...
on_nodes() {
    MPIR_CVAR_NUM_CLIQUES=$1
    export MPIR_CVAR_NUM_CLIQUES
    shift
    "$@"
}

has_async() {
    libmpi=$(ldd "$prog" | awk '/libmpi(ch)?\.so/ { print $3; exit }')
    nm -D "$libmpi" | grep -q ' PMPIX_Async_start$'
}

# hangs CASE: the limit, to be seen: a time-out and nothing else. Where all ranks
# happen to be through in time there is nothing to see: so three tries.
hangs() {
    for try in 1 2 3; do
        plugin_run 4 "$prog" -l 4 "$where" "$1" >"$TMP/cases" 2>&1
        grep -qx "case $1" "$TMP/cases" && ! grep -qx "ok $1" "$TMP/cases" &&
            grep -qi 'alarm clock' "$TMP/cases" && return 0
    done
    return 1
}

run_cases "one node" "$all" on_nodes 1 plugin_run 4 "$prog" -l $LIMIT
run_cases "two nodes" "$(minus "$all" "$beyond $slow")" \
    on_nodes 2 plugin_run 4 "$prog" -l $LIMIT
run_cases "four nodes" "$(minus "$all" "$beyond")" \
    on_nodes 4 plugin_run 4 "$prog" -l $LIMIT
run_cases "two nodes, MPI_THREAD_MULTIPLE" "$(minus "$all" "$slow")" \
    on_nodes 2 plugin_run 4 "$prog" -m -l $LIMIT
run_cases "four nodes, MPI_THREAD_MULTIPLE" "$beyond several_on_one" \
    on_nodes 4 plugin_run 4 "$prog" -m -l $LIMIT
run_cases "one node, MPI_THREAD_MULTIPLE" "$beyond whole_life_other" \
    on_nodes 1 plugin_run 4 "$prog" -m -l $LIMIT

# The limit is these cases, on several nodes, at this thread level; and the
# variable that README.lustre names removes it.
MPIR_CVAR_NUM_CLIQUES=2
export MPIR_CVAR_NUM_CLIQUES
if has_async; then
    run_cases "two nodes, by MPIX_Async_start" "$beyond" \
        plugin_run 4 "$prog" -l $LIMIT
else
    for name in $beyond; do
        ok "two nodes, no way into MPI: $name waits for ever" hangs "$name"
    done
fi
MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE
export MPIR_CVAR_DEFAULT_THREAD_LEVEL
run_cases "two nodes, the thread level raised from outside" "$beyond" \
    plugin_run 4 "$prog" -l $LIMIT
unset MPIR_CVAR_DEFAULT_THREAD_LEVEL MPIR_CVAR_NUM_CLIQUES

# The same while the servers, and so the io threads, are slow.
if [ -x "$LUSTRE_SIM" ]; then
    sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
    where=$SIM/f
    SIM_OPTIONS="--profile flash --fault ost=0:slow=50"
    held="isend_write_all isend_waitall opposite_order blocking_other"
    run_cases "slow OST, one node" "$held $beyond" node_run 1 4 "$prog" \
        -l $LIMIT
    run_cases "slow OST, four nodes" "$held" node_run 4 4 "$prog" -l $LIMIT
else
    skip 1 "no lustre-sim: slow OSTs"
fi
tap_done
