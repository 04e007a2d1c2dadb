#!/bin/sh
# t1002-many-opens - thousands of opens leave nothing behind
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin

tap_plan 4
TIMEOUT=600

prog=$TMP/manyopens
ok "manyopens compiles" "$MPICC" -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/manyopens.c"
mkdir "$TMP/dir"
export ROMIO_FSTYPE_FORCE=lustre:
# Ranks that wait for each other burn time on a busy machine; one does not.
opens=200
[ "$FULL" = yes ] && opens=2000
ok "2000 opens of each kind by one rank: no descriptors, no memory" \
    plugin_run 1 "$prog" 2000 "$TMP/dir"
diag "$(grep 'rank 0' "$TMP/.out")"
ok "$opens opens by two ranks" plugin_run 2 "$prog" "$opens" "$TMP/dir"
diag "$(grep 'rank 0' "$TMP/.out")"
MPIR_CVAR_NUM_CLIQUES=2
export MPIR_CVAR_NUM_CLIQUES
ok "$((opens / 4)) opens by four ranks on two nodes" \
    plugin_run 4 "$prog" "$((opens / 4))" "$TMP/dir"
