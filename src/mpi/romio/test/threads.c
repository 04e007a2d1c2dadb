/* threads.c - several threads of a rank write and read their own files
 *
 * usage: threads DIR. Needs MPI_THREAD_MULTIPLE.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 8
#define N 5000

static char dir[300];
static int rank;

/* Every other int, so that the strided paths and the collective engine run. */
static void one_round(int id, int round)
{
    int *out = malloc(N * sizeof(int)), *in = calloc(N, sizeof(int));
    MPI_Datatype view;
    MPI_Status status;
    MPI_File fh;
    char path[400];
    int n;

    EXPECT(out && in);
    for (int i = 0; i < N; i++)
        out[i] = ((rank * THREADS + id) * ROUNDS + round) * N + i;
    snprintf(path, sizeof(path), "lustre:%s/r%d.t%d", dir, rank, id);
    MUST(MPI_Type_vector(N, 1, 2, MPI_INT, &view));
    MUST(MPI_Type_commit(&view));
    MUST(MPI_File_open(MPI_COMM_SELF, path,
                       MPI_MODE_CREATE | MPI_MODE_RDWR |
                           MPI_MODE_DELETE_ON_CLOSE,
                       MPI_INFO_NULL, &fh));
    MUST(MPI_File_set_view(fh, 0, MPI_INT, view, "native", MPI_INFO_NULL));
    MUST(MPI_File_write_all(fh, out, N, MPI_INT, &status));
    MUST(MPI_Get_count(&status, MPI_INT, &n));
    EXPECT_EQ(n, N);
    MUST(MPI_File_read_at_all(fh, 0, in, N, MPI_INT, &status));
    EXPECT(!memcmp(in, out, N * sizeof(int)));
    MUST(MPI_File_close(&fh));
    MUST(MPI_Type_free(&view));
    free(out);
    free(in);
}

/* Errors are texts of this thread's own call. */
static void one_error(int id)
{
    char path[400], text[MPI_MAX_ERROR_STRING], name[32];
    MPI_File fh;
    int rc, len;

    snprintf(name, sizeof(name), "absent-%d-%d", rank, id);
    snprintf(path, sizeof(path), "lustre:%s/%s", dir, name);
    rc =
        MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
    EXPECT_EQ(class_of(rc), MPI_ERR_NO_SUCH_FILE);
    MUST(MPI_Error_string(rc, text, &len));
    EXPECT(strstr(text, name));
}

static void *work(void *arg)
{
    int id = *(int *)arg;

    for (int round = 0; round < ROUNDS; round++) {
        one_round(id, round);
        one_error(id);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int id[THREADS], level;

    MUST(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    if (level != MPI_THREAD_MULTIPLE) {
        printf("no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 77;
    }
    EXPECT_EQ(argc, 2);
    snprintf(dir, sizeof(dir), "%s", argv[1]);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    for (int i = 0; i < THREADS; i++) {
        id[i] = i;
        EXPECT(!pthread_create(&thread[i], NULL, work, &id[i]));
    }
    for (int i = 0; i < THREADS; i++)
        EXPECT(!pthread_join(thread[i], NULL));
    MUST(MPI_Finalize());
    return 0;
}
