#!/bin/sh
# t0011-sessions - files on communicators of MPI sessions
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
printf '#include <mpi.h>\nMPI_Session session;\n' >"$TMP/has.c"
"$MPICC" -Werror -c -o "$TMP/has.o" "$TMP/has.c" 2>/dev/null ||
    skip_all "this MPI has no sessions"

tap_plan 4
ok "the program compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/sessions" \
    "$SRC/src/mpi/romio/test/sessions.c"
out=$(plugin_run 2 "$TMP/sessions" --init "lustre:$TMP/f" 2>&1)
is "$(echo "$out" | grep -c '^data right')" 2 "with MPI_Init: written and read"
is "$(wc -c <"$TMP/f" | tr -d ' ')" 8192 "the file has both ranks' bytes"
out=$(plugin_run 2 "$TMP/sessions" "lustre:$TMP/g" 2>&1)
is "$(echo "$out" | grep -c '^open: .*not initialized')" 2 \
    "without it: an error on all ranks"
