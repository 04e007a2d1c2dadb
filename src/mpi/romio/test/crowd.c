/* crowd.c - many files, threads, communicators and calls at a time
 *
 * usage: crowd CASE DIR [N]
 *
 *   threads   N threads, each with a communicator and a file of its own, all
 *             calling collectives at the same time (MPI_THREAD_MULTIPLE)
 *   files     N files open at once on four communicators, each written and
 *             read; then all again: descriptors and memory are back
 *   overlap   files of communicators that share ranks, nonblocking calls on all
 *             of them outstanding together
 *   twice     one file under two handles, each sees what the other wrote
 *   far       offsets of terabytes, and of one stripe of 2,000
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>

#include "expect.h"

enum {
    BYTES = 20000,
    ROUNDS = 5,
    MOST = 1000,
    COMMS = 4,
    KEPT = 1024, /* bytes of the heap that a closed file may leave */
};

static int rank, size;
static const char *dir;

static void name_file(char *path, size_t room, const char *what, int i)
{
    snprintf(path, room, "lustre:%s/%s.%d", dir, what, i);
}

static MPI_File open_on(MPI_Comm comm, const char *what, int i, MPI_Info info)
{
    char path[600];
    MPI_File fh;

    name_file(path, sizeof(path), what, i);
    MUST(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    return fh;
}

/* What rank r of a communicator writes in round k of file i. */
static void fill(char *buf, int r, int i, int k)
{
    for (int b = 0; b < BYTES; b++)
        buf[b] = (char)(b * 3 + r * 7 + i * 11 + k * 13 + b / 255);
}

static void check(const char *got, int r, int i, int k)
{
    static __thread char want[BYTES];

    fill(want, r, i, k);
    EXPECT(memcmp(got, want, BYTES) == 0);
}

/* Rounds of collective writes, each read by the next rank. */
static void use_file(MPI_Comm comm, MPI_File fh, int i, int rounds)
{
    static __thread char buf[BYTES], got[BYTES];
    int r, n, other;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    other = (r + 1) % n;
    for (int k = 0; k < rounds; k++) {
        fill(buf, r, i, k);
        MUST(MPI_File_write_at_all(fh, (MPI_Offset)r * BYTES, buf, BYTES,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
        MUST(MPI_File_read_at_all(fh, (MPI_Offset)other * BYTES, got, BYTES,
                                  MPI_BYTE, MPI_STATUS_IGNORE));
        check(got, other, i, k);
        MUST(MPI_Barrier(comm));
    }
}

/* ---- cases ---- */

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int i;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    MPI_File fh = open_on(w->comm, "threads", w->i, MPI_INFO_NULL);

    use_file(w->comm, fh, w->i, ROUNDS);
    MUST(MPI_File_close(&fh));
    return NULL;
}

static void case_threads(int n)
{
    struct worker *w = calloc(n, sizeof(*w));

    EXPECT(w);
    for (int i = 0; i < n; i++) {
        w[i].i = i;
        MUST(MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm));
    }
    for (int i = 0; i < n; i++)
        EXPECT_EQ(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    for (int i = 0; i < n; i++) {
        EXPECT_EQ(pthread_join(w[i].thread, NULL), 0);
        MUST(MPI_Comm_free(&w[i].comm));
    }
    free(w);
}

/* All ranks, all in the other order, the even and the odd ones, halves. */
static void split_world(MPI_Comm comm[COMMS], int color[COMMS])
{
    color[0] = color[1] = 0;
    color[2] = rank % 2;
    color[3] = rank < size / 2;
    for (int c = 0; c < COMMS; c++)
        MUST(MPI_Comm_split(MPI_COMM_WORLD, color[c], c == 1 ? -rank : rank,
                            &comm[c]));
}

static void use_files(int n, int rounds)
{
    static MPI_File fh[MOST];
    int color[COMMS];
    MPI_Comm comm[COMMS];

    split_world(comm, color);
    for (int i = 0; i < n; i++)
        fh[i] = open_on(comm[i % COMMS], "files", 2 * i + color[i % COMMS],
                        MPI_INFO_NULL);
    for (int i = n - 1; i >= 0; i--)
        use_file(comm[i % COMMS], fh[i], i, rounds);
    for (int i = 0; i < n; i++)
        MUST(MPI_File_close(&fh[i]));
    for (int c = 0; c < COMMS; c++)
        MUST(MPI_Comm_free(&comm[c]));
}

/* The last file leaves its buffers for the next one of the same ranks; one of
 * other ranks makes them go. */
static void let_go(void)
{
    MPI_File fh = open_on(MPI_COMM_SELF, "alone", rank, MPI_INFO_NULL);

    MUST(MPI_File_close(&fh));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
}

/* What MPI keeps for the next communicators it has after the first time. */
static void case_files(int n)
{
    int fds;
    long kib, heap, more[2], most[2];

    EXPECT(n <= MOST);
    use_files(n, ROUNDS);
    let_go();
    fds = open_descriptors();
    kib = resident_kib();
    heap = (long)mallinfo2().uordblks;
    use_files(n, 1);
    let_go();
    EXPECT_EQ(open_descriptors(), fds);
    more[0] = (long)mallinfo2().uordblks - heap;
    more[1] = resident_kib() - kib;
    MUST(MPI_Allreduce(more, most, 2, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
    if (rank == 0)
        printf("%d files on %d ranks: %d descriptors the first time and the "
               "second, at most %ld bytes more of the heap, %ld KiB more than "
               "%ld in all\n",
               n, size, fds, most[0], most[1], kib);
    EXPECT(most[0] < 65536 + (long)n * KEPT);
}

/* All ranks, the even ones, the odd ones, those without the first. */
static void case_overlap(int n)
{
    static char buf[4][BYTES];
    MPI_Request request[4];
    MPI_Status status[4];
    MPI_File fh[4];
    MPI_Comm comm[4];
    int color[4] = {0, rank % 2, (rank + 1) / 2, rank > 0}, r[4];

    (void)n;
    for (int c = 0; c < 4; c++) {
        MUST(MPI_Comm_split(MPI_COMM_WORLD, color[c], rank, &comm[c]));
        MPI_Comm_rank(comm[c], &r[c]);
        fh[c] = open_on(comm[c], "overlap", 10 * c + color[c], MPI_INFO_NULL);
    }
    for (int k = 0; k < ROUNDS; k++) {
        for (int c = 0; c < 4; c++) {
            fill(buf[c], r[c], c, k);
            MUST(MPI_File_iwrite_at_all(fh[c], (MPI_Offset)r[c] * BYTES, buf[c],
                                        BYTES, MPI_BYTE, &request[c]));
        }
        MUST(MPI_Waitall(4, request, status));
    }
    for (int c = 3; c >= 0; c--) {
        use_file(comm[c], fh[c], c, ROUNDS);
        MUST(MPI_File_close(&fh[c]));
        MUST(MPI_Comm_free(&comm[c]));
    }
}

static void case_twice(int n)
{
    MPI_File one = open_on(MPI_COMM_WORLD, "twice", 0, MPI_INFO_NULL);
    MPI_File two = open_on(MPI_COMM_WORLD, "twice", 0, MPI_INFO_NULL);
    static char buf[BYTES], got[BYTES];

    for (int k = 0; k < n; k++) {
        MPI_File to = k % 2 ? two : one, from = k % 2 ? one : two;

        fill(buf, rank, 0, k);
        MUST(MPI_File_write_at_all(to, (MPI_Offset)rank * BYTES, buf, BYTES,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
        MUST(MPI_File_sync(to));
        MUST(MPI_Barrier(MPI_COMM_WORLD));
        MUST(MPI_File_sync(from));
        MUST(MPI_File_read_at_all(from, (MPI_Offset)rank * BYTES, got, BYTES,
                                  MPI_BYTE, MPI_STATUS_IGNORE));
        check(got, rank, 0, k);
    }
    MUST(MPI_File_close(&one));
    MUST(MPI_File_close(&two));
}

static void case_far(int n)
{
    static char buf[BYTES], got[BYTES];
    MPI_File fh = open_on(MPI_COMM_WORLD, "far", 0, MPI_INFO_NULL);
    MPI_Offset size_now;

    for (int k = 0; k < n; k++) {
        MPI_Offset off = ((MPI_Offset)k << 40) + (MPI_Offset)rank * BYTES;

        fill(buf, rank, 0, k);
        MUST(MPI_File_write_at_all(fh, off, buf, BYTES, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        MUST(MPI_File_read_at_all(fh, off, got, BYTES, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
        check(got, rank, 0, k);
    }
    MUST(MPI_File_get_size(fh, &size_now));
    EXPECT_EQ(size_now, ((MPI_Offset)(n - 1) << 40) + (MPI_Offset)size * BYTES);
    MUST(MPI_File_close(&fh));
}

static const struct {
    const char *name;
    void (*run)(int n);
    int n;
} cases[] = {
    {"threads", case_threads, 4}, {"files", case_files, 60},
    {"overlap", case_overlap, 0}, {"twice", case_twice, 6},
    {"far", case_far, 5},
};

int main(int argc, char **argv)
{
    int level, found = 0;

    MUST(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    EXPECT_EQ(level, MPI_THREAD_MULTIPLE);
    EXPECT(argc == 3 || argc == 4);
    dir = argv[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run(argc > 3 ? atoi(argv[3]) : cases[i].n);
            found = 1;
        }
    EXPECT(found);
    MUST(MPI_Finalize());
    return 0;
}
