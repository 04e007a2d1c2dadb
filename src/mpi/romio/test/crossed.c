/* crossed.c - two threads, two communicators, two files, in crossed order
 *
 * usage: crossed FILE. Needs MPI_THREAD_MULTIPLE.
 *
 * On even ranks thread 0 comes first to every call and thread 1 late, on odd
 * ranks the other way round: where a rank lets only one thread in until its
 * collective call is over, the ranks wait for each other for ever.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

enum { BYTES = 100000, ROUNDS = 3, TAG = 7, LATE_US = 30000 };

struct worker {
    pthread_t thread;
    int id;
    MPI_Comm comm;
    char name[600];
    MPI_File fh;
    char data[BYTES], back[BYTES];
};

static int rank, nprocs;

static void come_late(const struct worker *w)
{
    if ((rank + w->id) % 2)
        usleep(LATE_US);
}

static void set_view(struct worker *w)
{
    MPI_Datatype type;

    MUST(MPI_Type_vector(BYTES / 1000, 1000, 1000 * nprocs, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(w->fh, (MPI_Offset)rank * 1000, MPI_BYTE, type,
                           "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
}

static void one_round(struct worker *w)
{
    MPI_Status status;
    MPI_Request req;

    come_late(w);
    MUST(MPI_File_open(w->comm, w->name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &w->fh));
    come_late(w);
    set_view(w);
    come_late(w);
    MUST(MPI_File_write_at_all(w->fh, 0, w->data, BYTES, MPI_BYTE, &status));
    come_late(w);
    MUST(MPI_File_iread_at_all(w->fh, 0, w->back, BYTES, MPI_BYTE, &req));
    come_late(w);
    MUST(MPI_Wait(&req, &status));
    EXPECT(memcmp(w->data, w->back, BYTES) == 0);
    come_late(w);
    MUST(MPI_File_sync(w->fh));
    come_late(w);
    MUST(MPI_File_close(&w->fh));
}

static void *rounds(void *arg)
{
    struct worker *w = arg;

    for (int i = 0; i < ROUNDS; i++)
        one_round(w);
    return NULL;
}

/* A thread writes on its own while another is in a collective call on the same
 * file, for which the other ranks come only after a word from the first. */
static void *alone_then_send(void *arg)
{
    struct worker *w = arg;

    usleep(LATE_US);
    MUST(MPI_File_write_at(w->fh, BYTES, "z", 1, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int r = 1; r < nprocs; r++)
        MUST(MPI_Send(&rank, 1, MPI_INT, r, TAG, MPI_COMM_WORLD));
    return NULL;
}

static void same_file(struct worker *w)
{
    int from;

    MUST(MPI_File_open(w->comm, w->name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &w->fh));
    set_view(w);
    if (rank == 0)
        EXPECT(!pthread_create(&w->thread, NULL, alone_then_send, w));
    else
        MUST(MPI_Recv(&from, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    MUST(MPI_File_write_at_all(w->fh, 0, w->data, BYTES, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    if (rank == 0)
        EXPECT(!pthread_join(w->thread, NULL));
    MUST(MPI_File_close(&w->fh));
}

int main(int argc, char **argv)
{
    struct worker *w = calloc(2, sizeof(*w));
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    EXPECT_EQ(level, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    EXPECT(w && argc == 2);
    alarm(40);
    for (int i = 0; i < 2; i++) {
        w[i].id = i;
        snprintf(w[i].name, sizeof(w[i].name), "%s.%d", argv[1], i);
        memset(w[i].data, 'a' + rank + 8 * i, BYTES);
        MUST(MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm));
    }
    for (int i = 0; i < 2; i++)
        EXPECT(!pthread_create(&w[i].thread, NULL, rounds, &w[i]));
    for (int i = 0; i < 2; i++)
        EXPECT(!pthread_join(w[i].thread, NULL));
    same_file(&w[0]);
    for (int i = 0; i < 2; i++)
        MUST(MPI_Comm_free(&w[i].comm));
    free(w);
    MPI_Finalize();
    return 0;
}
