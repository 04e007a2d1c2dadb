#!/bin/sh
# t4006-async - MPICH 4.3's MPIX_Async_start, imitated over an older one
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin

prog=$TMP/progress
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/progress.c"
ok "the imitation compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/fake.so" "$here/fake_async.c" -ldl
ldd "$(ldd "$prog" | awk '/libmpi(ch)?\.so/ { print $3; exit }')" |
    grep -q libucp || skip_all "the imitation needs an MPICH over UCX"
where=lustre:$TMP/f
PLUGIN="$TMP/fake.so $PLUGIN"
# The last three: a rank inside a call of MPI's own moves what it has
# outstanding. An aggregator's receives are posted, nothing is probed for.
cases="isend_waitall opposite_order several_on_one blocking_other \
barrier_half recv_meanwhile irecv_meanwhile"
for nodes in 1 2 4; do
    MPIR_CVAR_NUM_CLIQUES=$nodes
    export MPIR_CVAR_NUM_CLIQUES
    run_cases "nodes: $nodes" "$cases" plugin_run 4 "$prog" -l $LIMIT
    like "$(cat "$TMP/cases")" "fake_async: [1-9][0-9]* calls, 0 nested" \
        "nodes: $nodes: called from MPI's loop, no progress made inside it"
done
tap_done
