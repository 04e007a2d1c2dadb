#!/bin/sh
# t0006-profiling - a PMPI tool in front of the plug-in sees every call once
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

tap_plan 7

ok "the tool compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/tool.so" "$here/pmpi_tool.c"
ok "allfile compiles" "$MPICC" -o "$TMP/allfile" "$here/allfile.c"
PLUGIN_ONLY=$PLUGIN
PLUGIN="$TMP/tool.so $PLUGIN_ONLY"
out=$(ROMIO_LUSTRE_VERBOSE=1 plugin_run 2 "$TMP/allfile" "lustre:$TMP/f" 2>&1)
rc=$?
is $rc 0 "the program works with both"
like "$out" "^romio-lustre [0-9]" "through the plug-in"
# allfile opens twice (once in vain), closes once, calls write_all once; the
# split collectives and MPI_File_write_all_c are calls of other names
is "$(printf '%s\n' "$out" | grep '^tool:' | sort)" \
    "tool: rank 0: 2 opens 1 write_all 1 closes
tool: rank 1: 2 opens 1 write_all 1 closes" "the tool saw every call once"
# A tool linked into the program stands in front as well.
ok "a program with the tool inside compiles" "$MPICC" -rdynamic \
    -o "$TMP/with" "$here/allfile.c" "$here/pmpi_tool.c"
PLUGIN=$PLUGIN_ONLY
out=$(plugin_run 2 "$TMP/with" "lustre:$TMP/f" 2>&1)
like "$out" "tool: rank 1: 2 opens 1 write_all 1 closes" "and it counts too"
