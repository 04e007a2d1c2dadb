#!/bin/sh
# t0013-sessions - files in an MPI session, with MPI_Init and without
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
echo 'int main(void) { return MPI_Session_init != 0; }' |
    "$MPICC" -include mpi.h -x c -o "$TMP/try" - 2>/dev/null ||
    skip_all "this MPI has no sessions"

tap_plan 3

ok "sessions compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/sessions" \
    "$SRC/src/mpi/romio/test/sessions.c"
ok "beside MPI_Init: files work on a session's communicator" \
    plugin_run 3 "$TMP/sessions" world "lustre:$TMP/f"
ok "without MPI_Init: MPI_File_open returns an error, nothing breaks" \
    plugin_run 3 "$TMP/sessions" alone "lustre:$TMP/f"
