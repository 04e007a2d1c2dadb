/* allfile.c - call every MPI_File function and check what it did
 *
 * usage: allfile FILE. t0002 checks that no function of mpi.h is left out.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#define N 1000 /* ints of one rank in one call */

/* One rank's block; every use gets new content. */
struct block {
    MPI_File fh;
    MPI_Offset at; /* where my block is, in bytes */
    int rank, size, seed;
    int out[N], in[N];
};

static void fill(struct block *b)
{
    b->seed += 7;
    for (int i = 0; i < N; i++) {
        b->out[i] = b->seed * 1000003 + b->rank * N + i;
        b->in[i] = -1;
    }
}

static void counted(const MPI_Status *status)
{
    int n = -1;

    MUST(MPI_Get_count(status, MPI_INT, &n));
    EXPECT_EQ(n, N);
}

static void compare(const struct block *b)
{
    for (int i = 0; i < N; i++)
        EXPECT_EQ(b->in[i], b->out[i]);
}

static void done(MPI_Request *request)
{
    MPI_Status status;

    MUST(MPI_Wait(request, &status));
    counted(&status);
}

static void mine(struct block *b)
{
    MUST(MPI_File_seek(b->fh, b->rank * N, MPI_SEEK_SET));
}

/* Shared pointer: which rank gets which block is not defined, but each block is
 * whole and all together are all. */
static void shared_start(struct block *b)
{
    fill(b);
    for (int i = 0; i < N; i++)
        b->out[i] = b->rank + 1;
    MUST(MPI_File_seek_shared(b->fh, 0, MPI_SEEK_SET));
}

static void shared_check(struct block *b)
{
    int sum = 0;

    for (int i = 1; i < N; i++)
        EXPECT_EQ(b->in[i], b->in[0]);
    MUST(MPI_Allreduce(&b->in[0], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EXPECT_EQ(sum, b->size * (b->size + 1) / 2);
}

/* The calls with int counts, then the same with MPI_Count, new in MPI 4. */
#define FN(name) name
#include "allfile_calls.h"
#undef FN
#if MPI_VERSION >= 4
#define FN(name) name##_c
#include "allfile_calls.h"
#undef FN
#endif

static void sizes(struct block *b)
{
    MPI_Offset size;

    MUST(MPI_File_set_size(b->fh, 12345));
    MUST(MPI_File_get_size(b->fh, &size));
    EXPECT_EQ(size, 12345);
    MUST(MPI_File_preallocate(b->fh, 100000));
    MUST(MPI_File_get_size(b->fh, &size));
    EXPECT_EQ(size, 100000);
    MUST(MPI_File_set_size(b->fh, 0));
    MUST(MPI_File_get_size(b->fh, &size));
    EXPECT_EQ(size, 0);
}

static void positions(struct block *b)
{
    MPI_Offset pos;

    MUST(MPI_File_seek(b->fh, 5, MPI_SEEK_SET));
    MUST(MPI_File_seek(b->fh, b->rank, MPI_SEEK_CUR));
    MUST(MPI_File_get_position(b->fh, &pos));
    EXPECT_EQ(pos, 5 + b->rank);
    MUST(MPI_File_get_byte_offset(b->fh, 3, &pos));
    EXPECT_EQ(pos, 3 * sizeof(int));
    MUST(MPI_File_seek_shared(b->fh, 11, MPI_SEEK_SET));
    MUST(MPI_File_get_position_shared(b->fh, &pos));
    EXPECT_EQ(pos, 11);
    MUST(MPI_Barrier(MPI_COMM_WORLD));
}

static void extents(struct block *b)
{
    MPI_Aint small;

    MUST(MPI_File_get_type_extent(b->fh, MPI_DOUBLE, &small));
    EXPECT_EQ(small, sizeof(double));
#if MPI_VERSION >= 4
    MPI_Count large;

    MUST(MPI_File_get_type_extent_c(b->fh, MPI_DOUBLE, &large));
    EXPECT_EQ(large, sizeof(double));
#endif
}

static void properties(struct block *b)
{
    MPI_Group group;
    MPI_Info info;
    int amode, flag, n;

    MUST(MPI_File_get_amode(b->fh, &amode));
    EXPECT_EQ(amode, MPI_MODE_CREATE | MPI_MODE_RDWR);
    MUST(MPI_File_get_group(b->fh, &group));
    MUST(MPI_Group_size(group, &n));
    EXPECT_EQ(n, b->size);
    MUST(MPI_Group_free(&group));
    MUST(MPI_File_set_atomicity(b->fh, 1));
    MUST(MPI_File_get_atomicity(b->fh, &flag));
    EXPECT(flag);
    MUST(MPI_File_set_atomicity(b->fh, 0));
    MUST(MPI_File_get_info(b->fh, &info));
    MUST(MPI_Info_get_nkeys(info, &n));
    EXPECT(n > 0);
    MUST(MPI_File_set_info(b->fh, info));
    MUST(MPI_Info_free(&info));
#ifndef MPI_H_ABI
    EXPECT(MPI_File_f2c(MPI_File_c2f(b->fh)) == b->fh);
#endif
#if MPI_VERSION >= 5
    EXPECT(MPI_File_fromint(MPI_File_toint(b->fh)) == b->fh);
#endif
}

static void handlers(struct block *b)
{
    MPI_Errhandler handler;

    MUST(MPI_File_get_errhandler(b->fh, &handler));
    EXPECT(handler == MPI_ERRORS_RETURN);
    MUST(MPI_Errhandler_free(&handler));
    MUST(MPI_File_set_errhandler(b->fh, MPI_ERRORS_RETURN));
    MUST(MPI_File_call_errhandler(b->fh, MPI_ERR_IO));
}

static void on_error(MPI_File *fh, int *code, ...)
{
    (void)fh;
    (void)code;
}

static void handler_made(void)
{
    MPI_Errhandler handler;

    MUST(MPI_File_create_errhandler(on_error, &handler));
    MUST(MPI_Errhandler_free(&handler));
}

static void views(struct block *b)
{
    MPI_Datatype etype, filetype;
    MPI_Offset disp;
    char rep[MPI_MAX_DATAREP_STRING];

    MUST(
        MPI_File_set_view(b->fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    MUST(MPI_File_get_view(b->fh, &disp, &etype, &filetype, rep));
    EXPECT_EQ(disp, 0);
    EXPECT(etype == MPI_INT);
    EXPECT(!strcmp(rep, "native"));
}

int main(int argc, char **argv)
{
    static struct block b;
    MPI_File gone;
    int rc;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 2);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &b.rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &b.size));
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &b.fh));
    b.at = (MPI_Offset)b.rank * sizeof(b.out);
    sizes(&b);
    properties(&b);
    handlers(&b);
    handler_made();
    extents(&b);
    calls(&b);
    views(&b);
    positions(&b);
    pointer_calls(&b);
    shared_calls(&b);
#if MPI_VERSION >= 4
    pointer_calls_c(&b);
    shared_calls_c(&b);
    MUST(MPI_File_set_view(b.fh, 0, MPI_BYTE, MPI_BYTE, "native",
                           MPI_INFO_NULL));
    calls_c(&b);
#endif
    MUST(MPI_File_sync(b.fh));
    MUST(MPI_File_close(&b.fh));
    EXPECT(b.fh == MPI_FILE_NULL);
    if (b.rank == 0)
        MUST(MPI_File_delete(argv[1], MPI_INFO_NULL));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    rc = MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL,
                       &gone);
    EXPECT_EQ(class_of(rc), MPI_ERR_NO_SUCH_FILE);
    MUST(MPI_Finalize());
    return 0;
}
