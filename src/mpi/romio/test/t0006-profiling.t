#!/bin/sh
# t0006-profiling - a PMPI tool in front of the plug-in sees every call once
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

tap_plan 12

ok "the tool compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/tool.so" "$here/pmpi_tool.c"
ok "allfile compiles" "$MPICC" -o "$TMP/allfile" "$here/allfile.c"
PLUGIN_ONLY=$PLUGIN
PLUGIN="$TMP/tool.so $PLUGIN_ONLY"
out=$(ROMIO_LUSTRE_VERBOSE=1 plugin_run 2 "$TMP/allfile" "lustre:$TMP/f" 2>&1)
rc=$?
is $rc 0 "the program works with both"
like "$out" "^romio-lustre [0-9]" "through the plug-in"
# allfile opens twice (one open fails), closes once, calls write_all once; the
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

# ---- in the right order by itself ----
# A program whose calls are counted on two hands: one of those that the driver
# lives on, and a strided write over two nodes, which needs many of them.
cat >"$TMP/few.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    static int data[4096];
    MPI_Datatype type;
    MPI_File fh;
    int rank, one = 1, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Type_vector(64, 64, 64 * sum, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    MPI_File_set_view(fh, 256L * rank, MPI_INT, type, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(fh, data, 4096, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
END
ok "few compiles" "$MPICC" -o "$TMP/few" "$TMP/few.c"
counts="behind: rank 0: 1
behind: rank 1: 1
tool: rank 0: 1 opens 1 write_all 1 closes
tool: rank 1: 1 opens 1 write_all 1 closes"
run_few() {
    out=$(MPIR_CVAR_NUM_CLIQUES=2 ROMIO_LUSTRE_VERBOSE=1 limited \
        "$BUILD/romio-lustre" run "$MPIEXEC" -n 2 "$@" "$TMP/few" \
        "lustre:$TMP/f" 2>&1)
}
LD_PRELOAD=$(preload "$TMP/tool.so") run_few
like "$out" "^romio-lustre [0-9]" "romio-lustre run with a tool preloaded"
is "$(printf '%s\n' "$out" | grep -E '^(tool|behind):' | sort)" "$counts" \
    "the tool sees the program's calls, and no call of the driver's"
run_few -genv LD_PRELOAD "$(preload "$TMP/tool.so")"
like "$out" "^romio-lustre [0-9]" "romio-lustre run mpiexec -genv LD_PRELOAD tool"
is "$(printf '%s\n' "$out" | grep -E '^(tool|behind):' | sort)" "$counts" \
    "the same"
