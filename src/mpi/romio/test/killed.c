/* killed.c - a rank dies in the middle of collective writes
 *
 * usage: killed RANK USEC FILE   generations of the whole file are written, one
 *                                after the other; the rank kills itself after
 *                                USEC microseconds (-1: no rank does)
 *        killed --check RANKS FILE   every byte is of the last generation in
 *                                the file or of the one before it
 *
 * A collective write is over on all ranks before the next one begins on any, so
 * there cannot be bytes of three generations.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "expect.h"

enum { PIECE = 4096, PIECES = 64, BYTES = PIECE * PIECES, GENERATIONS = 60 };

/* Of generation g (from 1), in a piece of rank r. */
static unsigned char byte_of(int g, int r)
{
    return (unsigned char)(1 + (g - 1) * 4 + r % 4);
}

static int generation_of(unsigned char byte, int r)
{
    return byte != 0 && (byte - 1) % 4 == r % 4 ? 1 + (byte - 1) / 4 : 0;
}

static void die(int sig)
{
    (void)sig;
    kill(getpid(), SIGKILL);
}

static void die_in(long usec)
{
    struct itimerval t = {{0, 0}, {usec / 1000000, usec % 1000000}};

    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &t, NULL);
}

static void write_all(const char *file, int victim, long usec)
{
    static unsigned char buf[BYTES];
    MPI_Datatype pieces;
    MPI_File fh;
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MUST(MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh));
    MUST(MPI_Type_vector(PIECES, PIECE, PIECE * size, MPI_BYTE, &pieces));
    MUST(MPI_Type_commit(&pieces));
    MUST(MPI_File_set_view(fh, rank * PIECE, MPI_BYTE, pieces, "native",
                           MPI_INFO_NULL));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == victim && usec >= 0)
        die_in(usec + 1);
    for (int g = 1; g <= GENERATIONS; g++) {
        memset(buf, byte_of(g, rank), BYTES);
        MUST(MPI_File_write_at_all(fh, 0, buf, BYTES, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        if (rank == 0 && g == 1)
            fprintf(stderr, "began\n");
    }
    MUST(MPI_Type_free(&pieces));
    MUST(MPI_File_close(&fh));
}

/* 0: right. Holes are generation 0. */
static int check(const char *file, int ranks)
{
    static unsigned char piece[PIECE];
    int fd = open(file, O_RDONLY), oldest = GENERATIONS, newest = 0;

    EXPECT(fd >= 0);
    for (int p = 0; p < PIECES * ranks; p++) {
        memset(piece, 0, PIECE);
        EXPECT(pread(fd, piece, PIECE, (off_t)p * PIECE) >= 0);
        for (int i = 0; i < PIECE; i++) {
            int g = generation_of(piece[i], p % ranks);

            if (g == 0 && piece[i] != 0) {
                printf("piece %d, byte %d: %d is no rank's\n", p, i, piece[i]);
                return 1;
            }
            oldest = g < oldest ? g : oldest;
            newest = g > newest ? g : newest;
        }
    }
    close(fd);
    printf("generations %d to %d\n", oldest, newest);
    return newest - oldest > 1;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--check") == 0)
        return check(argv[3], atoi(argv[2]));
    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 4);
    write_all(argv[3], atoi(argv[1]), atol(argv[2]));
    MUST(MPI_Finalize());
    return 0;
}
