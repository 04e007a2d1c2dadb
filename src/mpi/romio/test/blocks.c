/* blocks.c - blocks that no two ranks share: written, read back, and refused
 *
 * usage: blocks FILE BYTES CALLS WHERE [KEY=VALUE...]
 *
 * Every rank writes CALLS blocks of BYTES bytes, one a collective call. WHERE:
 *   segment  a rank's blocks follow each other
 *   turn     the blocks of a call follow each other
 *   later    the same by nonblocking calls
 * Then the ranks read the blocks of their neighbours and compare. Prints how it
 * went: "right", or "class N: n of p ranks, b bytes" for a call that failed.
 * KEY=VALUE are hints; `atomic=1` is the file's mode.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

static int rank, nprocs, calls;
static long bytes;
static const char *where;

static MPI_Offset place(int r, int call)
{
    if (where[0] == 's')
        return ((MPI_Offset)r * calls + call) * bytes;
    return ((MPI_Offset)call * nprocs + r) * bytes;
}

static void fill(char *buf, int r, int call)
{
    for (long i = 0; i < bytes; i++)
        buf[i] = (char)((place(r, call) + i) * 7 + r + call + (i >> 9));
}

/* All ranks must say the same; a failed call counts no bytes. */
static int judge(int rc, MPI_Status *status)
{
    int mine[2] = {0, 0}, least[2], most[2], got = 0;

    if (rc)
        MPI_Error_class(rc, &mine[0]);
    if (!rc)
        MPI_Get_count(status, MPI_BYTE, &got);
    mine[1] = got;
    MUST(MPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    MUST(MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    if (most[0] == 0)
        return 0;
    if (rank == 0)
        printf("class %d to %d, bytes %d to %d\n", least[0], most[0], least[1],
               most[1]);
    return 1;
}

static int write_call(MPI_File fh, int call, char *buf)
{
    MPI_Status status;
    MPI_Request request;
    int rc;

    fill(buf, rank, call);
    if (where[0] == 'l') {
        rc = MPI_File_iwrite_at_all(fh, place(rank, call), buf, (int)bytes,
                                    MPI_BYTE, &request);
        if (!rc)
            rc = MPI_Wait(&request, &status);
    } else {
        rc = MPI_File_write_at_all(fh, place(rank, call), buf, (int)bytes,
                                   MPI_BYTE, &status);
    }
    return judge(rc, &status);
}

static int read_call(MPI_File fh, int call, char *buf, char *back)
{
    int other = (rank + 1) % nprocs, rc, wrong;
    MPI_Status status;

    fill(buf, other, call);
    rc = MPI_File_read_at_all(fh, place(other, call), back, (int)bytes,
                              MPI_BYTE, &status);
    if (judge(rc, &status))
        return 1;
    wrong = memcmp(buf, back, bytes) != 0;
    MUST(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM,
                       MPI_COMM_WORLD));
    if (wrong && rank == 0)
        printf("call %d: %d ranks read other bytes\n", call, wrong);
    return wrong;
}

static MPI_Info hints_of(char **words, int n, int *atomic)
{
    MPI_Info info;

    MUST(MPI_Info_create(&info));
    for (int i = 0; i < n; i++) {
        char *value = strchr(words[i], '=');

        *value++ = 0;
        if (strcmp(words[i], "atomic") == 0)
            *atomic = 1;
        else
            MUST(MPI_Info_set(info, words[i], value));
    }
    return info;
}

int main(int argc, char **argv)
{
    char *buf, *back;
    MPI_File fh;
    MPI_Info info;
    int atomic = 0, bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    bytes = atol(argv[2]);
    calls = atoi(argv[3]);
    where = argv[4];
    buf = malloc(bytes);
    back = malloc(bytes);
    info = hints_of(argv + 5, argc - 5, &atomic);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    if (atomic)
        MUST(MPI_File_set_atomicity(fh, 1));
    for (int i = 0; i < calls && !bad; i++)
        bad = write_call(fh, i, buf);
    for (int i = 0; i < calls && !bad; i++)
        bad = read_call(fh, i, buf, back);
    if (!bad && rank == 0)
        printf("right\n");
    MPI_File_close(&fh);
    MPI_Info_free(&info);
    free(buf);
    free(back);
    MPI_Finalize();
    return 0;
}
