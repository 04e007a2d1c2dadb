/* gaps.c - pieces with gaps between them, and a second job that writes these
 *
 * gaps write FILE CALLS [KEY=VALUE...]
 *                       an MPI program: in every collective call the ranks
 *                       write PIECES pieces of 24 bytes in turn, with 8 bytes
 *                       between two of them; at the end all is compared
 * gaps intrude FILE UNTIL
 *                       without MPI: writes into the gaps and looks whether it
 *                       is still there after a round, until the file UNTIL
 *                       exists; prints how many were written and how many were
 *                       lost. It writes under a group lock of its own: a real
 *                       Lustre keeps a lock until the write that uses it has
 *                       ended, lustre-sim does that for group locks only.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "expect.h"

enum { PIECES = 32768, DATA = 24, GAP = 8, PITCH = DATA + GAP };

static int rank, nprocs;

/* ---- the intruder ---- */

#define GROUP_LOCK _IOW('f', 158, long)
#define GROUP_UNLOCK _IOW('f', 159, long)
#define GROUP 4711L

struct intruder {
    int fd;
    long written, lost;
};

/* 16 gaps that lie far apart. */
static int64_t gap_of(uint64_t round, int i)
{
    return (int64_t)(i * 2003 + round * 7919) % PIECES * PITCH + DATA;
}

static void one_round(struct intruder *in, uint64_t round)
{
    uint64_t v;

    EXPECT(ioctl(in->fd, GROUP_LOCK, GROUP) == 0);
    for (int i = 0; i < 16; i++) {
        v = round * 16 + i + 1;
        EXPECT(pwrite(in->fd, &v, GAP, gap_of(round, i)) == GAP);
        in->written++;
    }
    EXPECT(ioctl(in->fd, GROUP_UNLOCK, GROUP) == 0);
    for (int i = 0; i < 16; i++) {
        EXPECT(pread(in->fd, &v, GAP, gap_of(round, i)) == GAP);
        in->lost += v != round * 16 + i + 1;
    }
}

static int intrude(const char *name, const char *until)
{
    struct intruder in = {.fd = open(name, O_RDWR)};

    EXPECT(in.fd >= 0);
    for (uint64_t round = 0; access(until, F_OK) != 0; round++) {
        one_round(&in, round);
        if (round == 0) {
            printf("begun\n");
            fflush(stdout);
        }
    }
    printf("%ld written, %ld lost\n", in.written, in.lost);
    close(in.fd);
    return 0;
}

/* ---- the job ---- */

static void write_all(MPI_File fh, int calls)
{
    int mine = PIECES / nprocs;
    char *buf = malloc((size_t)mine * DATA),
         *back = malloc((size_t)mine * DATA);
    MPI_Datatype piece, type;

    MUST(MPI_Type_contiguous(DATA, MPI_BYTE, &piece));
    MUST(MPI_Type_create_resized(piece, 0, (MPI_Aint)nprocs * PITCH, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(fh, (MPI_Offset)rank * PITCH, MPI_BYTE, type,
                           "native", MPI_INFO_NULL));
    for (int c = 0; c < calls; c++) {
        memset(buf, 'a' + c % 26, (size_t)mine * DATA);
        MUST(MPI_File_write_at_all(fh, 0, buf, mine * DATA, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    }
    MUST(MPI_File_read_at_all(fh, 0, back, mine * DATA, MPI_BYTE,
                              MPI_STATUS_IGNORE));
    EXPECT(memcmp(buf, back, (size_t)mine * DATA) == 0);
    MPI_Type_free(&piece);
    MPI_Type_free(&type);
    free(buf);
    free(back);
}

static MPI_File open_it(const char *name, MPI_Comm comm, char **hint, int n)
{
    MPI_Info info;
    MPI_File fh;

    MUST(MPI_Info_create(&info));
    for (int i = 0; i < n; i++) {
        char *value = strchr(hint[i], '=');

        *value++ = 0;
        MUST(MPI_Info_set(info, hint[i], value));
    }
    MUST(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    MPI_Info_free(&info);
    return fh;
}

int main(int argc, char **argv)
{
    MPI_File fh;

    if (strcmp(argv[1], "intrude") == 0)
        return intrude(argv[2], argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    fh = open_it(argv[2], MPI_COMM_WORLD, argv + 4, argc - 4);
    write_all(fh, atoi(argv[3]));
    MPI_File_close(&fh);
    MPI_Finalize();
    return 0;
}
