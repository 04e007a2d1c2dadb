/* failures.c - a nonblocking collective call that fails, and the file after it
 *
 * usage: failures PREFIX; prints the names of its cases with -l
 *
 * The caller lets the first write to PREFIX.write.HOW fail with ENOSPC, the
 * first read of PREFIX.read.HOW with EIO, on one aggregator; HOW is the call
 * that completes the request. Errors of the file are returned, those of
 * MPI_COMM_WORLD end the job.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <unistd.h>

#include "expect.h"

enum { PIECE = 4096, PIECES = 16, BYTES = PIECE * PIECES, TAG = 5 };

static const char *const hows[] = {"wait", "waitall", "waitany", "waitsome",
                                   "test", "testall", "testany", "testsome"};

struct result {
    int rc;        /* what the call returned */
    MPI_Status of; /* the file's request */
    int one;       /* completed by a call for one request */
};

static int rank, nprocs;
static char data[BYTES], back[BYTES];

static void open_file(const char *name, MPI_File *fh)
{
    MPI_Datatype type;

    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, fh));
    MUST(MPI_File_set_errhandler(*fh, MPI_ERRORS_RETURN));
    MUST(MPI_Type_vector(PIECES, PIECE, PIECE * nprocs, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(*fh, (MPI_Offset)rank * PIECE, MPI_BYTE, type,
                           "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
}

/* Until the file's request, req[1], is complete; req[0] is a message's. */
static void any(MPI_Request req[2], int test, struct result *r)
{
    int index = -1, flag = 1;

    r->one = 1;
    while (index != 1) {
        if (test)
            r->rc = MPI_Testany(2, req, &index, &flag, &r->of);
        else
            r->rc = MPI_Waitany(2, req, &index, &r->of);
        if (index != 1)
            EXPECT_EQ(r->rc, MPI_SUCCESS);
    }
}

static void some(MPI_Request req[2], int test, struct result *r)
{
    MPI_Status status[2];
    int index[2], n, found = 0;

    while (!found) {
        if (test)
            r->rc = MPI_Testsome(2, req, &n, index, status);
        else
            r->rc = MPI_Waitsome(2, req, &n, index, status);
        for (int i = 0; i < n; i++) {
            if (index[i] == 1) {
                r->of = status[i];
                found = 1;
            } else if (r->rc == MPI_ERR_IN_STATUS) {
                EXPECT_EQ(status[i].MPI_ERROR, MPI_SUCCESS);
            }
        }
        if (!found)
            EXPECT_EQ(r->rc, MPI_SUCCESS);
    }
}

static void all(MPI_Request req[2], int test, struct result *r)
{
    MPI_Status status[2];
    int flag = 0;

    if (test)
        while (!flag)
            r->rc = MPI_Testall(2, req, &flag, status);
    else
        r->rc = MPI_Waitall(2, req, status);
    if (r->rc == MPI_ERR_IN_STATUS)
        EXPECT_EQ(status[0].MPI_ERROR, MPI_SUCCESS);
    r->of = status[1];
}

static void one(MPI_Request req[2], int test, struct result *r)
{
    int flag = 0;

    r->one = 1;
    MUST(MPI_Wait(&req[0], MPI_STATUS_IGNORE));
    if (test)
        while (!flag)
            r->rc = MPI_Test(&req[1], &flag, &r->of);
    else
        r->rc = MPI_Wait(&req[1], &r->of);
}

/* Complete it in the way of that name, beside a message around the ring. */
static void complete(MPI_Request file, int how, struct result *r)
{
    void (*const way[])(MPI_Request[2], int, struct result *) = {one, all, any,
                                                                 some};
    MPI_Request req[2] = {MPI_REQUEST_NULL, file};
    int value = -1;

    memset(r, 0, sizeof(*r));
    MUST(MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % nprocs, TAG, MPI_COMM_WORLD,
                   &req[0]));
    MUST(MPI_Send(&rank, 1, MPI_INT, (rank + nprocs - 1) % nprocs, TAG,
                  MPI_COMM_WORLD));
    way[how % 4](req, how / 4, r);
    EXPECT(req[1] == MPI_REQUEST_NULL);
    MUST(MPI_Wait(&req[0], MPI_STATUS_IGNORE));
    EXPECT_EQ(value, (rank + 1) % nprocs);
}

static void start(MPI_File fh, int reading, MPI_Request *req)
{
    memset(back, 0, BYTES);
    if (reading)
        MUST(MPI_File_iread_at_all(fh, 0, back, BYTES, MPI_BYTE, req));
    else
        MUST(MPI_File_iwrite_at_all(fh, 0, data, BYTES, MPI_BYTE, req));
}

static void must_say(int code, const char *name, const char *why)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    MPI_Error_string(code, text, &len);
    if (!strstr(text, name) || !strstr(text, why))
        expect_failed(__FILE__, __LINE__, "\"%s\" does not tell %s, %s", text,
                      name, why);
}

static void must_have_failed(const struct result *r, int reading,
                             const char *name)
{
    int code = r->one ? r->rc : r->of.MPI_ERROR, n = -1;
    const char *base = strrchr(name, '/');

    if (!r->one)
        EXPECT_EQ(r->rc, MPI_ERR_IN_STATUS);
    EXPECT_EQ(class_of(code), reading ? MPI_ERR_IO : MPI_ERR_NO_SPACE);
    must_say(code, base ? base + 1 : name,
             reading ? "Input/output error" : "No space left");
    MUST(MPI_Get_count(&r->of, MPI_BYTE, &n));
    EXPECT_EQ(n, 0);
}

static void must_have_worked(const struct result *r)
{
    int n = -1;

    MUST(r->rc);
    MUST(MPI_Get_count(&r->of, MPI_BYTE, &n));
    EXPECT_EQ(n, BYTES);
}

static void run(const char *prefix, int reading, int how)
{
    char name[600];
    struct result r;
    MPI_Request req;
    MPI_File fh;

    snprintf(name, sizeof(name), "%s.%s.%s", prefix, reading ? "read" : "write",
             hows[how]);
    open_file(name, &fh);
    if (reading)
        MUST(MPI_File_write_at_all(fh, 0, data, BYTES, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    start(fh, reading, &req);
    complete(req, how, &r);
    must_have_failed(&r, reading, name);
    start(fh, reading, &req);
    complete(req, how, &r);
    must_have_worked(&r);
    MUST(MPI_File_read_at_all(fh, 0, back, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(memcmp(data, back, BYTES) == 0);
    MUST(MPI_File_close(&fh));
    if (rank == 0)
        printf("ok %s\n", strrchr(name, '.') - (reading ? 4 : 5));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "-l") == 0) {
        for (int i = 0; i < 16; i++)
            printf("%s.%s\n", i / 8 ? "read" : "write", hows[i % 8]);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    for (int i = 0; i < BYTES; i++)
        data[i] = (char)(i * 11 + rank * 17 + 1);
    for (int i = 0; i < 16; i++)
        run(argv[1], i / 8, i % 8);
    MPI_Finalize();
    return 0;
}
