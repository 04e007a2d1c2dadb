#!/bin/sh
# t0005-threads - MPI_THREAD_MULTIPLE, and handles in C and Fortran
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

tap_plan 5

ok "threads compiles" "$MPICC" -Wall -Wextra -Werror -pthread \
    -o "$TMP/threads" "$here/threads.c"
ok "4 threads of each of 2 ranks have their own files" \
    plugin_run 2 "$TMP/threads" "$TMP"
is "$(find "$TMP" -name 'r[0-9]*' | wc -l)" 0 "which are gone after their close"
ok "handles compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/handles" \
    "$here/handles.c"
ROMIO_FSTYPE_FORCE=lustre: ok "C and Fortran handles of 50 files" \
    plugin_run 2 "$TMP/handles" "$TMP"
