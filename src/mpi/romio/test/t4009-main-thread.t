#!/bin/sh
# t4009-main-thread - the thread that carries calls on does not call MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test

cat >"$TMP/asleep.c" <<'END'
/* asleep.c - nonblocking writes that another thread has to finish */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char buf[4][262144];
    char mode[8] = "";
    int rank, found, failed = 0;
    MPI_Info info;
    MPI_File fh;

    alarm(40);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "cray_cb_write_lock_mode", "2");
    MPI_Info_set(info, "cray_cb_nodes_multiplier", "2");
    MPI_Info_set(info, "romio_cb_write", "enable");
    if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                      info, &fh))
        return 1;
    MPI_Info_free(&info);
    MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    for (int i = 0; i < 4; i++) {
        MPI_Request req;

        failed |= MPI_File_iwrite_at_all(fh, (i * 4 + rank) * 262144LL, buf[i],
                                         262144, MPI_BYTE, &req);
        usleep(100000);
        failed |= MPI_Wait(&req, MPI_STATUS_IGNORE);
    }
    MPI_File_get_info(fh, &info);
    MPI_Info_get(info, "cray_cb_write_lock_mode", 7, mode, &found);
    MPI_Info_free(&info);
    MPI_File_close(&fh);
    if (rank == 0)
        printf("failed %d, mode %s\n", failed, mode);
    MPI_Finalize();
    return failed;
}
END
ok "the program compiles" "$MPICC" -o "$TMP/asleep" "$TMP/asleep.c"
ok "the preload library compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/mainonly.so" "$here/mainonly.c" -ldl
off=0
for call in 2 3 4 5 6; do
    sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
    SIM_OPTIONS="--fault ioctl:n=$call:errno=EIO"
    LD_PRELOAD="$TMP/mainonly.so" node_run 1 4 "$TMP/asleep" "$SIM/f" \
        >"$TMP/out" 2>&1
    like "$(cat "$TMP/out")" "^failed 0, mode [02]$" "ioctl $call fails: all is well"
    ! grep -q 'mode 0' "$TMP/out" || off=$((off + 1))
done
ok "lock modes were turned off ($off)" [ "$off" -gt 0 ]
tap_done
