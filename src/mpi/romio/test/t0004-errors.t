#!/bin/sh
# t0004-errors - error handlers of files, error classes and their texts
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin

tap_plan 11

prog=$TMP/errors
ok "errors compiles" "$MPICC" -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/errors.c"
echo some bytes >"$TMP/readable"
export ROMIO_FSTYPE_FORCE=lustre:
run() {
    plugin_run 3 "$prog" "$1" "$TMP"
}
ok "open errors: the class on all ranks, the file name in the text" run open
ok "errors of calls have their class" run use
ok "no space: the same class on all ranks" run space
ok "the handler on MPI_FILE_NULL is the default" run default
ok "handlers of files, kept after their handle is freed" run set
ok "a hundred handlers" run many
ok "handlers of communicators are as before" run comm
plugin_run 3 "$SRC/src/mpi/romio/test/lastwords.sh" "$TMP/said" \
    "$prog" fatal "$TMP" >>"$TMP/said" 2>&1
rc=$?
out=$(cat "$TMP/said")
ok "MPI_ERRORS_ARE_FATAL ends the job" [ "$rc" -ne 0 ]
ok "at once" [ "${out%still here*}" = "$out" ]
like "$out" "read-only" "and says why"
