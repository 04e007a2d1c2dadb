/* handlers.c - errors of nonblocking calls beside other errors, and tests
 *
 * usage: handlers [-l SECONDS] FILE [CASE...], or handlers -L
 *
 * The caller lets every write to FILE.all.* fail with ENOSPC, and the first one
 * to FILE.one.* on one rank. Every case is a correct MPI program. Rank 0 prints
 * "ok NAME" behind each; one that takes longer than the limit ends the job by
 * SIGALRM. Linked with -rdynamic: nanosleep stands in front of the C library's.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

enum { PIECE = 4096, PIECES = 16, BYTES = PIECE * PIECES, TAG = 5, MANY = 100 };

static int rank, nprocs;
static const char *prefix;
static char data[BYTES];

/* ---- sleeping ---- */

static __thread int looking, naps;

/* politewait.c, preloaded in tests, makes MPI's own progress sleep. */
static int is_ours(const void *caller)
{
    Dl_info at;

    return dladdr(caller, &at) && strstr(at.dli_fname, "politewait") == NULL;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (looking && is_ours(__builtin_return_address(0)))
        naps++;
    return (int)syscall(SYS_nanosleep, time, left);
}

/* ---- files ---- */

static MPI_File open_hints(const char *suffix, int view, const char *cb)
{
    char name[600];
    MPI_Datatype type;
    MPI_Info info;
    MPI_File fh;

    snprintf(name, sizeof(name), "%s.%s", prefix, suffix);
    MUST(MPI_Info_create(&info));
    if (cb) {
        MUST(MPI_Info_set(info, "romio_cb_write", cb));
        MUST(MPI_Info_set(info, "romio_cb_read", cb));
    }
    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MUST(MPI_Info_free(&info));
    if (!view)
        return fh;
    MUST(MPI_Type_vector(PIECES, PIECE, PIECE * nprocs, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(fh, (MPI_Offset)rank * PIECE, MPI_BYTE, type,
                           "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
    return fh;
}

static MPI_File open_file(const char *suffix)
{
    return open_hints(suffix, 1, NULL);
}

static MPI_Request iwrite(MPI_File fh)
{
    MPI_Request req;

    MUST(MPI_File_iwrite_at_all(fh, 0, data, BYTES, MPI_BYTE, &req));
    return req;
}

/* A receive that fails: the message is too long for it. */
static MPI_Request bad_receive(void)
{
    static int value;
    static const int longer[4];
    MPI_Request req;

    MUST(MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % nprocs, TAG, MPI_COMM_WORLD,
                   &req));
    MUST(MPI_Send(longer, 4, MPI_INT, (rank + nprocs - 1) % nprocs, TAG,
                  MPI_COMM_WORLD));
    return req;
}

static void must_have_failed(const MPI_Status *status)
{
    EXPECT_EQ(class_of(status->MPI_ERROR), MPI_ERR_NO_SPACE);
    EXPECT_EQ(status->MPI_SOURCE, MPI_UNDEFINED);
    EXPECT_EQ(status->MPI_TAG, MPI_UNDEFINED);
}

/* ---- another request fails, too ---- */

static void judge_mixed(int index, const MPI_Status *status)
{
    if (index == 1)
        EXPECT_EQ(class_of(status->MPI_ERROR), MPI_ERR_TRUNCATE);
    else
        must_have_failed(status);
}

/* MPI may leave some of them for the next call when one has failed. */
static void finish_mixed(MPI_Request req[3], int test)
{
    MPI_Status status[3];
    int rc, flag, left = 3;

    while (left > 0) {
        int known[3] = {req[0] != MPI_REQUEST_NULL, req[1] != MPI_REQUEST_NULL,
                        req[2] != MPI_REQUEST_NULL};

        rc = test ? MPI_Testall(3, req, &flag, status)
                  : MPI_Waitall(3, req, status);
        if (test && rc == MPI_SUCCESS && !flag)
            continue;
        EXPECT_EQ(class_of(rc), MPI_ERR_IN_STATUS);
        for (int i = 0; i < 3; i++) {
            if (!known[i] || status[i].MPI_ERROR == MPI_ERR_PENDING)
                continue;
            judge_mixed(i, &status[i]);
            EXPECT(req[i] == MPI_REQUEST_NULL);
            left--;
        }
    }
}

static void wait_mixed(MPI_Request req[3])
{
    finish_mixed(req, 0);
}

static void test_mixed(MPI_Request req[3])
{
    finish_mixed(req, 1);
}

static void wait_mixed_some(MPI_Request req[3])
{
    MPI_Status status[3];
    int index[3], n;

    for (int left = 3; left > 0; left -= n) {
        EXPECT_EQ(class_of(MPI_Waitsome(3, req, &n, index, status)),
                  MPI_ERR_IN_STATUS);
        for (int i = 0; i < n; i++)
            judge_mixed(index[i], &status[i]);
    }
}

static void mixed(void (*finish)(MPI_Request req[3]))
{
    MPI_File fh = open_file("all.mixed");
    MPI_Request req[3];

    MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int turn = 0; turn < 3; turn++) {
        req[0] = iwrite(fh);
        req[1] = bad_receive();
        req[2] = iwrite(fh);
        finish(req);
    }
    MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    MUST(MPI_File_close(&fh));
}

static void mixed_waitall(void)
{
    mixed(wait_mixed);
}

static void mixed_testall(void)
{
    mixed(test_mixed);
}

static void mixed_waitsome(void)
{
    mixed(wait_mixed_some);
}

/* More than one would keep notes of. */
static void many(void)
{
    /* GCC takes MPI_STATUSES_IGNORE for an array that is too short. */
    int (*volatile wait_all)(int, MPI_Request *, MPI_Status *) = MPI_Waitall;
    MPI_File fh = open_file("all.many");
    static MPI_Request req[MANY];
    static MPI_Status status[MANY];
    int rc;

    for (int i = 0; i < MANY; i++)
        req[i] = iwrite(fh);
    EXPECT_EQ(MPI_Waitall(MANY, req, status), MPI_ERR_IN_STATUS);
    for (int i = 0; i < MANY; i++)
        must_have_failed(&status[i]);
    for (int i = 0; i < MANY; i++)
        req[i] = iwrite(fh);
    rc = wait_all(MANY, req, MPI_STATUSES_IGNORE);
    EXPECT_EQ(rc, MPI_ERR_IN_STATUS);
    MUST(MPI_File_close(&fh));
}

/* ---- error handlers ---- */

static MPI_File called[8];
static int calls;

static void count_call(MPI_File *fh, int *code, ...)
{
    EXPECT_EQ(class_of(*code), MPI_ERR_NO_SPACE);
    EXPECT(calls < 8);
    called[calls++] = *fh;
}

static void two_files(void)
{
    MPI_File fh[3] = {open_file("all.two.a"), open_file("all.two.b"),
                      open_file("good.two")};
    MPI_Errhandler handler;
    MPI_Request req[4];
    MPI_Status status[4];

    MUST(MPI_File_create_errhandler(count_call, &handler));
    for (int i = 0; i < 3; i++)
        MUST(MPI_File_set_errhandler(fh[i], handler));
    MUST(MPI_Errhandler_free(&handler));
    calls = 0;
    for (int i = 0; i < 4; i++)
        req[i] = iwrite(fh[i % 3]);
    EXPECT_EQ(MPI_Waitall(4, req, status), MPI_ERR_IN_STATUS);
    EXPECT_EQ(calls, 2);
    EXPECT(called[0] == fh[0] && called[1] == fh[1]);
    EXPECT_EQ(status[2].MPI_ERROR, MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        MUST(MPI_File_close(&fh[i]));
}

static jmp_buf back;

static void leave_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

static void leave_file(MPI_File *fh, int *code, ...)
{
    (void)fh;
    (void)code;
    longjmp(back, 1);
}

/* A failed call after a handler has left MPI by longjmp is an error still. */
static void jump_comm(void)
{
    MPI_File fh = open_file("all.jump");
    MPI_Errhandler handler;
    volatile int turn;
    MPI_Request req;

    MUST(MPI_Comm_create_errhandler(leave_comm, &handler));
    MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    MUST(MPI_Errhandler_free(&handler));
    for (turn = 0; turn < 3; turn++) {
        req = bad_receive();
        if (setjmp(back) == 0) {
            MPI_Wait(&req, MPI_STATUS_IGNORE);
            expect_failed(__FILE__, __LINE__, "no error in a bad receive");
        }
        req = iwrite(fh);
        EXPECT_EQ(class_of(MPI_Wait(&req, MPI_STATUS_IGNORE)),
                  MPI_ERR_NO_SPACE);
    }
    MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    MUST(MPI_File_close(&fh));
}

static void jump_file(void)
{
    MPI_File fh = open_file("all.jump");
    MPI_Errhandler handler;
    volatile int jumps = 0;
    MPI_Request req;

    MUST(MPI_File_create_errhandler(leave_file, &handler));
    MUST(MPI_File_set_errhandler(fh, handler));
    MUST(MPI_Errhandler_free(&handler));
    while (jumps < 3) {
        req = iwrite(fh);
        if (setjmp(back) == 0) {
            MPI_Wait(&req, MPI_STATUS_IGNORE);
            expect_failed(__FILE__, __LINE__, "the handler was not called");
        }
        jumps++;
    }
    MUST(MPI_File_close(&fh));
}

/* ---- one rank fails ---- */

static void one_rank(const char *suffix, int view, const char *cb)
{
    MPI_File fh = open_hints(suffix, view, cb);
    MPI_Request req;
    int rc, lowest, highest, n;
    MPI_Status status;

    MUST(MPI_File_iwrite_at_all(fh, view ? 0 : (MPI_Offset)rank * BYTES, data,
                                BYTES, MPI_BYTE, &req));
    rc = class_of(MPI_Wait(&req, &status));
    MUST(MPI_Allreduce(&rc, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    MUST(MPI_Allreduce(&rc, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    EXPECT_EQ(lowest, MPI_ERR_NO_SPACE);
    EXPECT_EQ(highest, MPI_ERR_NO_SPACE);
    MUST(MPI_Get_count(&status, MPI_BYTE, &n));
    EXPECT_EQ(n, 0);
    MUST(MPI_File_iwrite_at_all(fh, view ? 0 : (MPI_Offset)rank * BYTES, data,
                                BYTES, MPI_BYTE, &req));
    MUST(MPI_Wait(&req, &status));
    MUST(MPI_Get_count(&status, MPI_BYTE, &n));
    EXPECT_EQ(n, BYTES);
    MUST(MPI_File_close(&fh));
}

static void one_rank_disabled(void)
{
    one_rank("one.disabled", 1, "disable");
}

static void one_rank_first_call(void)
{
    one_rank("one.first", 0, NULL);
}

/* ---- calls that only look ---- */

static void get_status(void)
{
    MPI_File fh = open_file("good.status"), bad = open_file("all.status");
    MPI_Request req;
    MPI_Status status;
    int flag, n;

    for (int turn = 0; turn < 3; turn++) {
        req = iwrite(fh);
        for (flag = 0; !flag;)
            MUST(MPI_Request_get_status(req, &flag, &status));
        MUST(MPI_Get_count(&status, MPI_BYTE, &n));
        EXPECT_EQ(n, BYTES);
        MUST(MPI_Wait(&req, MPI_STATUS_IGNORE));
        req = iwrite(bad);
        for (flag = 0; !flag;)
            MUST(MPI_Request_get_status(req, &flag, &status));
        EXPECT_EQ(status.MPI_SOURCE, MPI_UNDEFINED);
        EXPECT_EQ(class_of(MPI_Wait(&req, MPI_STATUS_IGNORE)),
                  MPI_ERR_NO_SPACE);
    }
    MUST(MPI_File_close(&fh));
    MUST(MPI_File_close(&bad));
}

/* An event loop: a file's request among receives, and a rank that is late. */
static void test_sleeps(void)
{
    MPI_File fh = open_file("good.test");
    MPI_Request req[2], none = MPI_REQUEST_NULL;
    int flag = 0, value, index;

    MUST(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == nprocs - 1)
        usleep(50000);
    req[0] = iwrite(fh);
    MUST(MPI_Irecv(&value, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD, &req[1]));
    looking = 1;
    naps = 0;
    while (!flag) {
        for (int i = 0; !flag && i < 1000; i++)
            MUST(MPI_Test(&req[0], &flag, MPI_STATUS_IGNORE));
        if (!flag)
            MUST(MPI_Testany(2, req, &index, &flag, MPI_STATUS_IGNORE));
        if (!flag)
            MUST(MPI_Request_get_status(req[0], &(int){0}, MPI_STATUS_IGNORE));
    }
    looking = 0;
    EXPECT(req[0] == none);
    EXPECT_EQ(naps, 0);
    MUST(MPI_Send(&rank, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD));
    MUST(MPI_Wait(&req[1], MPI_STATUS_IGNORE));
    MUST(MPI_File_close(&fh));
}

/* clang-format off */
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"mixed_waitall", mixed_waitall},
    {"mixed_testall", mixed_testall},
    {"mixed_waitsome", mixed_waitsome},
    {"many", many},
    {"two_files", two_files},
    {"jump_comm", jump_comm},
    {"jump_file", jump_file},
    {"one_rank_disabled", one_rank_disabled},
    {"one_rank_first_call", one_rank_first_call},
    {"get_status", get_status},
    {"test_sleeps", test_sleeps},
};
/* clang-format on */

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static int is_named(char **names, const char *name)
{
    if (!*names)
        return 1;
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int opt, limit = 20;

    while ((opt = getopt(argc, argv, "l:L")) != -1) {
        if (opt == 'l')
            limit = atoi(optarg);
        for (int i = 0; opt == 'L' && i < CASES; i++)
            printf("%s\n", cases[i].name);
        if (opt != 'l')
            return opt == 'L' ? 0 : 2;
    }
    if (optind == argc)
        return 2;
    prefix = argv[optind++];
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    memset(data, 'a' + rank, BYTES);
    for (int i = 0; i < CASES; i++) {
        if (!is_named(argv + optind, cases[i].name))
            continue;
        alarm(limit);
        cases[i].run();
        MUST(MPI_Barrier(MPI_COMM_WORLD));
        alarm(0);
        if (rank == 0)
            printf("ok %s\n", cases[i].name);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
