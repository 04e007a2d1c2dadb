#!/bin/sh
# t8042-mpi-errors - MPI fails between the ranks of a file: the job ends, told
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The errors of the user's communicators are returned; the file's has its own
# error handler. A message fails at its receiver (LONGER) or when it is sent
# (REFUSED).
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

cat >"$TMP/writes.c" <<'END'
/* writes.c - collective writes with MPI_ERRORS_RETURN everywhere */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char buf[100000];
    int rank, failed = 0;
    MPI_File fh;

    alarm(20);
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_File_open(MPI_COMM_WORLD, argv[1],
                      MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh))
        return 1;
    for (int i = 0; i < 4; i++)
        failed |= MPI_File_write_at_all(fh, (i * 4 + rank) * 100000LL, buf,
                                        100000, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    if (rank == 0)
        printf("%s\n", failed ? "failed" : "all went well");
    MPI_Finalize();
    return 0;
}
END
ok "the program compiles" "$MPICC" -o "$TMP/writes" "$TMP/writes.c"
ok "the preload library compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/longer.so" "$here/longer.c" -ldl

# writes NODES: the output in $TMP/out
writes() {
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$MPIEXEC" -n 4 \
        -genv LD_PRELOAD "$(preload "$TMP/longer.so" "$PLUGIN")" \
        "$here/lastwords.sh" "$TMP/said" "$TMP/writes" "lustre:$TMP/f" \
        >"$TMP/out" 2>&1 </dev/null
    rc=$?
    cat "$TMP/said" >>"$TMP/out" 2>/dev/null
    rm -f "$TMP/said"
    return $rc
}

for nodes in 2 4; do
    ok "$nodes nodes, nothing fails" writes $nodes
    like "$(cat "$TMP/out")" "all went well" "$nodes nodes: it goes well"
    for how in LONGER REFUSED; do
        for n in 1 2 3 4; do
            export $how=$n
            writes $nodes
            unset $how
            is "$(grep -c 'all went well' "$TMP/out")" 0 \
                "$nodes nodes, $how=$n: no success"
            like "$(cat "$TMP/out")" \
                "MPI failed between the ranks of a file.*abort" \
                "$nodes nodes, $how=$n: the job ends with a word"
        done
    done
done
tap_done
