#!/bin/sh
# t4004-crossed - two threads, two communicators, two files
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin

prog=$TMP/crossed
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -pthread \
    -o "$prog" "$here/crossed.c"
for nodes in 1 2 4; do
    MPIR_CVAR_NUM_CLIQUES=$nodes
    export MPIR_CVAR_NUM_CLIQUES
    ok "plug-in, nodes: $nodes: no thread waits for the other one's file" \
        plugin_run 4 "$prog" "lustre:$TMP/f"
    rm -f "$TMP"/f.*
done
if [ -n "$fork" ] && [ -x "$fork/bin/mpiexec" ]; then
    ok "the program compiles for the fork" "$fork/bin/mpicc" -pthread \
        -o "$prog" "$here/crossed.c"
    for nodes in 1 2; do
        MPIR_CVAR_NUM_CLIQUES=$nodes
        ok "fork, nodes: $nodes" fork_run 4 "$prog" "lustre:$TMP/f"
        rm -f "$TMP"/f.*
    done
else
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
tap_done
