/* progress.c - legal programs that a driver without progress lets hang
 *
 * usage: progress [-l SECONDS] [-m] FILE [CASE...], or progress -L
 *
 * Every case is a correct MPI program. Rank 0 prints "case NAME" when one
 * begins and "ok NAME" when it is over and its data were right; one that takes
 * longer than the limit ends the job by SIGALRM. Without names all are run; -L
 * lists them. -m asks for MPI_THREAD_MULTIPLE.
 *
 * Ranks act in pairs; "even" and "odd" below are the two of a pair.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

enum { PIECE = 4096, PIECES = 64, BYTES = PIECE * PIECES, TAG = 5 };

struct file {
    MPI_File fh;
    char name[600];
    char *data, *back; /* of one call */
    int seed;
};

static int rank, nprocs, even, peer;
static const char *prefix;

static void fill(struct file *f, int seed)
{
    f->seed = seed;
    for (int i = 0; i < BYTES; i++)
        f->data[i] = (char)(i * 7 + rank * 31 + seed);
}

/* Interleaved pieces, so that every rank sends to every aggregator. */
static void set_view(struct file *f)
{
    MPI_Datatype pieces, type;

    MUST(MPI_Type_vector(PIECES, PIECE, PIECE * nprocs, MPI_BYTE, &pieces));
    MUST(MPI_Type_create_resized(pieces, 0, (MPI_Aint)BYTES * nprocs, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(f->fh, (MPI_Offset)rank * PIECE, MPI_BYTE, type,
                           "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
    MUST(MPI_Type_free(&pieces));
}

static void open_with(struct file *f, MPI_Comm comm, const char *suffix,
                      MPI_Info info)
{
    snprintf(f->name, sizeof(f->name), "%s.%s", prefix, suffix);
    f->data = malloc(BYTES);
    f->back = malloc(BYTES);
    EXPECT(f->data && f->back);
    MUST(MPI_File_open(comm, f->name, MPI_MODE_CREATE | MPI_MODE_RDWR, info,
                       &f->fh));
    fill(f, suffix[0]);
}

static void open_on(struct file *f, MPI_Comm comm, const char *suffix)
{
    open_with(f, comm, suffix, MPI_INFO_NULL);
}

static void open_file(struct file *f, const char *suffix)
{
    open_on(f, MPI_COMM_WORLD, suffix);
    set_view(f);
}

static void must_count(const MPI_Status *status)
{
    int n;

    MUST(MPI_Get_count(status, MPI_BYTE, &n));
    EXPECT_EQ(n, BYTES);
}

static void must_hold(struct file *f)
{
    MPI_Status status;

    memset(f->back, 0, BYTES);
    MUST(MPI_File_read_at_all(f->fh, 0, f->back, BYTES, MPI_BYTE, &status));
    must_count(&status);
    EXPECT(memcmp(f->data, f->back, BYTES) == 0);
}

static void close_file(struct file *f)
{
    MUST(MPI_File_close(&f->fh));
    if (rank == 0)
        MPI_File_delete(f->name, MPI_INFO_NULL);
    free(f->data);
    free(f->back);
}

static void write_all(struct file *f)
{
    MPI_Status status;

    MUST(MPI_File_write_at_all(f->fh, 0, f->data, BYTES, MPI_BYTE, &status));
    must_count(&status);
}

static MPI_Request iwrite(struct file *f)
{
    MPI_Request req;

    MUST(MPI_File_iwrite_at_all(f->fh, 0, f->data, BYTES, MPI_BYTE, &req));
    return req;
}

static MPI_Request iread(struct file *f)
{
    MPI_Request req;

    memset(f->back, 0, BYTES);
    MUST(MPI_File_iread_at_all(f->fh, 0, f->back, BYTES, MPI_BYTE, &req));
    return req;
}

static void wait_for(MPI_Request *req)
{
    MPI_Status status;

    MUST(MPI_Wait(req, &status));
    must_count(&status);
}

static void read_is_right(struct file *f)
{
    EXPECT(memcmp(f->data, f->back, BYTES) == 0);
}

/* A message from even to odd that needs both sides to make progress. */
struct message {
    char *buf;
    int bytes;
    MPI_Request req;
};

static void message_begin(struct message *m, int bytes)
{
    m->bytes = bytes;
    m->req = MPI_REQUEST_NULL;
    m->buf = malloc(bytes);
    EXPECT(m->buf);
    memset(m->buf, even ? 'x' : 0, bytes);
    if (even)
        MUST(MPI_Isend(m->buf, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                       &m->req));
    else
        MUST(MPI_Recv(m->buf, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
}

static void message_end(struct message *m)
{
    MUST(MPI_Wait(&m->req, MPI_STATUS_IGNORE));
    EXPECT(m->buf[0] == 'x' && m->buf[m->bytes - 1] == 'x');
    free(m->buf);
}

#ifndef PROGRESS_LARGEST
#define PROGRESS_LARGEST 64000000
#endif
static const int sizes[] = {1000, 20000, 1000000, PROGRESS_LARGEST};

#define FOR_SIZES(bytes, largest)      \
    for (int i_ = 0, bytes = sizes[0]; \
         i_ < 4 && (bytes = sizes[i_]) <= (largest); i_++)

/* ---- a send that is not finished, beside each kind of call ---- */

static void isend_write_all(void)
{
    struct file f;
    struct message m;

    open_file(&f, "a");
    FOR_SIZES(bytes, PROGRESS_LARGEST)
    {
        message_begin(&m, bytes);
        fill(&f, bytes);
        write_all(&f);
        message_end(&m);
        must_hold(&f);
    }
    close_file(&f);
}

/* The first collective call of a file makes what all of them need. */
static void isend_first_call(void)
{
    struct file f;
    struct message m;

    open_on(&f, MPI_COMM_WORLD, "a");
    message_begin(&m, 1000000);
    MUST(MPI_File_write_at_all(f.fh, (MPI_Offset)rank * BYTES, f.data, BYTES,
                               MPI_BYTE, MPI_STATUS_IGNORE));
    message_end(&m);
    close_file(&f);
}

static void isend_read_all(void)
{
    struct file f;
    struct message m;

    open_file(&f, "a");
    write_all(&f);
    FOR_SIZES(bytes, PROGRESS_LARGEST)
    {
        message_begin(&m, bytes);
        must_hold(&f);
        message_end(&m);
    }
    close_file(&f);
}

enum finish {
    WAIT,
    WAITALL,
    WAITANY,
    WAITSOME,
    TEST,
    TESTALL,
    TESTANY,
    TESTSOME
};

static void finish_any(MPI_Request req[2], int test)
{
    MPI_Status status;
    int index;

    for (int left = 2 - (req[1] == MPI_REQUEST_NULL); left > 0;) {
        int flag = 1;

        if (test)
            MUST(MPI_Testany(2, req, &index, &flag, &status));
        else
            MUST(MPI_Waitany(2, req, &index, &status));
        if (!flag)
            continue;
        left--;
        if (index == 0)
            must_count(&status);
    }
}

static void finish_some(MPI_Request req[2], int test)
{
    MPI_Status status[2];
    int index[2], n;

    do {
        if (test)
            MUST(MPI_Testsome(2, req, &n, index, status));
        else
            MUST(MPI_Waitsome(2, req, &n, index, status));
        for (int i = 0; n != MPI_UNDEFINED && i < n; i++)
            if (index[i] == 0)
                must_count(&status[i]);
    } while (n != MPI_UNDEFINED);
}

/* req[0] is the file's, req[1] the message's or null. */
static void finish(MPI_Request req[2], enum finish how)
{
    MPI_Status status[2];
    int flag = 0;

    switch (how) {
    case WAIT:
        wait_for(&req[0]);
        break;
    case WAITALL:
        MUST(MPI_Waitall(2, req, status));
        must_count(&status[0]);
        break;
    case TEST:
        while (!flag)
            MUST(MPI_Test(&req[0], &flag, &status[0]));
        must_count(&status[0]);
        break;
    case TESTALL:
        while (!flag)
            MUST(MPI_Testall(2, req, &flag, status));
        must_count(&status[0]);
        break;
    case WAITANY:
    case TESTANY:
        finish_any(req, how == TESTANY);
        break;
    case WAITSOME:
    case TESTSOME:
        finish_some(req, how == TESTSOME);
        break;
    }
}

static void isend_nonblocking(enum finish how, int largest)
{
    struct file f;
    struct message m;

    open_file(&f, "a");
    FOR_SIZES(bytes, largest)
    {
        for (int reading = 0; reading < 2; reading++) {
            MPI_Request req[2];

            message_begin(&m, bytes);
            if (!reading)
                fill(&f, bytes);
            req[0] = reading ? iread(&f) : iwrite(&f);
            req[1] = m.req;
            finish(req, how);
            m.req = req[1];
            message_end(&m);
            if (reading)
                read_is_right(&f);
            else
                must_hold(&f);
        }
    }
    close_file(&f);
}

static void isend_wait(void)
{
    isend_nonblocking(WAIT, PROGRESS_LARGEST);
}

static void isend_waitall(void)
{
    isend_nonblocking(WAITALL, PROGRESS_LARGEST);
}

static void isend_waitany(void)
{
    isend_nonblocking(WAITANY, 1000000);
}

static void isend_waitsome(void)
{
    isend_nonblocking(WAITSOME, 1000000);
}

static void isend_test(void)
{
    isend_nonblocking(TEST, 1000000);
}

static void isend_testall(void)
{
    isend_nonblocking(TESTALL, 1000000);
}

static void isend_testany(void)
{
    isend_nonblocking(TESTANY, 1000000);
}

static void isend_testsome(void)
{
    isend_nonblocking(TESTSOME, 1000000);
}

/* ---- one call outstanding while the process is in another ---- */

static void opposite_order(void)
{
    struct file a, b;
    MPI_Request ra, rb;

    open_file(&a, "a");
    open_file(&b, "b");
    for (int reading = 0; reading < 2; reading++) {
        ra = reading ? iread(&a) : iwrite(&a);
        rb = reading ? iread(&b) : iwrite(&b);
        wait_for(even ? &ra : &rb);
        wait_for(even ? &rb : &ra);
    }
    read_is_right(&a);
    read_is_right(&b);
    close_file(&a);
    close_file(&b);
}

/* Contiguous blocks: no exchange is needed, and still no rank may hang. */
static void opposite_blocks(void)
{
    MPI_Request req[2];
    struct file f[2];

    for (int i = 0; i < 2; i++) {
        open_on(&f[i], MPI_COMM_WORLD, i ? "b" : "a");
        MUST(MPI_File_write_at_all(f[i].fh, (MPI_Offset)rank * BYTES, f[i].data,
                                   BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < 2; i++)
        MUST(MPI_File_iwrite_at_all(f[i].fh, (MPI_Offset)rank * BYTES,
                                    f[i].data, BYTES, MPI_BYTE, &req[i]));
    wait_for(&req[!even]);
    wait_for(&req[even]);
    close_file(&f[0]);
    close_file(&f[1]);
}

static void several_on_one(void)
{
    struct file f[5];
    MPI_Request req[5];
    char name[2] = "a";

    for (int i = 0; i < 5; i++, name[0]++)
        open_file(&f[i], name);
    for (int i = 0; i < 5; i++)
        req[i] = iwrite(&f[i]);
    for (int i = 0; i < 5; i++)
        wait_for(&req[(i + rank) % 5]);
    for (int i = 0; i < 5; i++) {
        must_hold(&f[i]);
        close_file(&f[i]);
    }
}

/* Small windows and holes, so that aggregators take messages out of their
 * order; ROMIO's own of the ordered call are before them. */
static void ordered_meanwhile(void)
{
    MPI_Offset block = 2 * (MPI_Offset)BYTES, end = nprocs * block;
    struct file f;
    MPI_Request req;
    MPI_Status status;
    MPI_Info info;

    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "cb_buffer_size", "12288"));
    MUST(MPI_Info_set(info, "striping_unit", "65536"));
    MUST(MPI_Info_set(info, "striping_factor", "4"));
    MUST(MPI_Info_set(info, "romio_cb_write", "enable"));
    open_with(&f, MPI_COMM_WORLD, "a", info);
    MUST(MPI_Info_free(&info));
    MUST(MPI_File_seek_shared(f.fh, end, MPI_SEEK_SET));
    MUST(MPI_File_iwrite_at_all(f.fh, rank * block, f.data, BYTES, MPI_BYTE,
                                &req));
    if (!even)
        wait_for(&req);
    MUST(MPI_File_write_ordered(f.fh, f.data, BYTES, MPI_BYTE, &status));
    must_count(&status);
    if (even)
        wait_for(&req);
    for (int i = 0; i < 2; i++) {
        MPI_Offset at = i ? end + rank * (MPI_Offset)BYTES : rank * block;

        memset(f.back, 0, BYTES);
        MUST(MPI_File_read_at(f.fh, at, f.back, BYTES, MPI_BYTE, &status));
        read_is_right(&f);
    }
    close_file(&f);
}

static void blocking_other(void)
{
    struct file a, b;
    MPI_Request req;

    open_file(&a, "a");
    open_file(&b, "b");
    req = iwrite(&a);
    if (even)
        write_all(&b);
    wait_for(&req);
    if (!even)
        write_all(&b);
    req = iread(&a);
    if (even)
        must_hold(&b);
    wait_for(&req);
    read_is_right(&a);
    if (!even)
        must_hold(&b);
    close_file(&a);
    close_file(&b);
}

/* The other file is opened, gets its view and first call, is resized, synced
 * and closed: all of them collective. */
static void whole_life_other(void)
{
    struct file a, b;
    MPI_Request req;

    open_file(&a, "a");
    for (int stage = 0; stage < 6; stage++) {
        req = iwrite(&a);
        if (!even)
            wait_for(&req);
        switch (stage) {
        case 0:
            open_on(&b, MPI_COMM_WORLD, "b");
            break;
        case 1:
            set_view(&b);
            break;
        case 2:
            write_all(&b);
            break;
        case 3:
            MUST(MPI_File_sync(b.fh));
            break;
        case 4:
            MUST(MPI_File_set_size(b.fh, 10));
            break;
        case 5:
            close_file(&b);
            break;
        }
        if (even)
            wait_for(&req);
    }
    must_hold(&a);
    close_file(&a);
}

/* A file of half of the ranks, while one of all is outstanding. */
static void blocking_half(void)
{
    struct file a, b;
    MPI_Request req;
    MPI_Comm half;

    MUST(MPI_Comm_split(MPI_COMM_WORLD, even, rank, &half));
    open_file(&a, "a");
    open_on(&b, half, even ? "even" : "odd");
    req = iwrite(&a);
    for (int i = 0; i < 3; i++)
        MUST(MPI_File_write_at_all(b.fh, (MPI_Offset)rank * BYTES, b.data,
                                   BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    wait_for(&req);
    must_hold(&a);
    MUST(MPI_File_close(&b.fh));
    close_file(&a);
    MUST(MPI_Comm_free(&half));
}

static void independent_meanwhile(void)
{
    struct file a;
    MPI_Request req;
    MPI_Offset past = (MPI_Offset)BYTES;
    char c = 0;

    open_file(&a, "a");
    req = iwrite(&a);
    for (int i = 0; i < 50; i++)
        MUST(MPI_File_write_at(a.fh, past + i, "z", 1, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_read_at(a.fh, past + 49, &c, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_EQ(c, 'z');
    wait_for(&req);
    must_hold(&a);
    close_file(&a);
}

/* ---- calls of MPI's own while one is outstanding ---- */

static void barrier_half(void)
{
    struct file f;
    MPI_Request req;

    open_file(&f, "a");
    for (int reading = 0; reading < 2; reading++) {
        req = reading ? iread(&f) : iwrite(&f);
        if (!even)
            wait_for(&req);
        MUST(MPI_Barrier(MPI_COMM_WORLD));
        if (even)
            wait_for(&req);
    }
    read_is_right(&f);
    close_file(&f);
}

static void split_barrier(void)
{
    struct file f;
    MPI_Status status;

    open_file(&f, "a");
    MUST(MPI_File_write_at_all_begin(f.fh, 0, f.data, BYTES, MPI_BYTE));
    if (even)
        MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_write_at_all_end(f.fh, f.data, &status));
    must_count(&status);
    if (!even)
        MUST(MPI_Barrier(MPI_COMM_WORLD));
    memset(f.back, 0, BYTES);
    MUST(MPI_File_read_at_all_begin(f.fh, 0, f.back, BYTES, MPI_BYTE));
    if (!even)
        MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_File_read_at_all_end(f.fh, f.back, &status));
    must_count(&status);
    if (even)
        MUST(MPI_Barrier(MPI_COMM_WORLD));
    read_is_right(&f);
    close_file(&f);
}

/* The sender sends after its own Wait. */
static void recv_meanwhile(void)
{
    struct file f;
    MPI_Request req;
    char c = 'm';

    open_file(&f, "a");
    req = iwrite(&f);
    if (even) {
        wait_for(&req);
        MUST(MPI_Send(&c, 1, MPI_CHAR, peer, TAG, MPI_COMM_WORLD));
    } else {
        MUST(MPI_Recv(&c, 1, MPI_CHAR, peer, TAG, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
        wait_for(&req);
    }
    must_hold(&f);
    close_file(&f);
}

/* The same, the receiver waiting for a request that is not the file's. */
static void irecv_meanwhile(void)
{
    struct file f;
    MPI_Request req, message;
    char c = 'm';

    open_file(&f, "a");
    req = iwrite(&f);
    if (even) {
        wait_for(&req);
        MUST(MPI_Send(&c, 1, MPI_CHAR, peer, TAG, MPI_COMM_WORLD));
    } else {
        MUST(MPI_Irecv(&c, 1, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &message));
        MUST(MPI_Wait(&message, MPI_STATUS_IGNORE));
        wait_for(&req);
    }
    must_hold(&f);
    close_file(&f);
}

/* ---- late ranks ---- */

static void late_blocking(void)
{
    struct file f;
    struct message m;

    open_file(&f, "a");
    message_begin(&m, 1000000);
    if (rank == nprocs - 1)
        sleep(2);
    write_all(&f);
    message_end(&m);
    must_hold(&f);
    close_file(&f);
}

static void late_nonblocking(void)
{
    struct file a, b;
    MPI_Request ra, rb;

    open_file(&a, "a");
    open_file(&b, "b");
    if (rank == 0)
        sleep(2);
    ra = iwrite(&a);
    rb = iwrite(&b);
    if (rank == nprocs - 1)
        sleep(1);
    wait_for(even ? &ra : &rb);
    wait_for(even ? &rb : &ra);
    must_hold(&a);
    must_hold(&b);
    close_file(&a);
    close_file(&b);
}

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Three kinds of waiting, a second each: what a waiting rank costs. */
static void cost_of_waiting(void)
{
    const char *kind[] = {"write_all", "Waitall", "Wait"};
    struct file f;

    open_file(&f, "a");
    for (int k = 0; k < 3; k++) {
        MPI_Request req = MPI_REQUEST_NULL;
        MPI_Status status;
        double used;

        MUST(MPI_Barrier(MPI_COMM_WORLD));
        used = cpu_seconds();
        if (rank == 0)
            sleep(1);
        if (k == 0)
            write_all(&f);
        else
            req = iwrite(&f);
        if (k == 1)
            MUST(MPI_Waitall(1, &req, &status));
        else if (k == 2)
            MUST(MPI_Wait(&req, &status));
        used = cpu_seconds() - used;
        MUST(MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_DOUBLE, MPI_MAX,
                           MPI_COMM_WORLD));
        if (rank == 0)
            printf("# %s: a rank that waits 1 s uses %.0f ms of a processor\n",
                   kind[k], used * 1e3);
        EXPECT(used < 0.3);
    }
    close_file(&f);
}

/* clang-format off */
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"isend_write_all", isend_write_all},
    {"isend_first_call", isend_first_call},
    {"isend_read_all", isend_read_all},
    {"isend_wait", isend_wait},
    {"isend_waitall", isend_waitall},
    {"isend_waitany", isend_waitany},
    {"isend_waitsome", isend_waitsome},
    {"isend_test", isend_test},
    {"isend_testall", isend_testall},
    {"isend_testany", isend_testany},
    {"isend_testsome", isend_testsome},
    {"opposite_order", opposite_order},
    {"opposite_blocks", opposite_blocks},
    {"several_on_one", several_on_one},
    {"ordered_meanwhile", ordered_meanwhile},
    {"blocking_other", blocking_other},
    {"whole_life_other", whole_life_other},
    {"blocking_half", blocking_half},
    {"independent_meanwhile", independent_meanwhile},
    {"barrier_half", barrier_half},
    {"split_barrier", split_barrier},
    {"recv_meanwhile", recv_meanwhile},
    {"irecv_meanwhile", irecv_meanwhile},
    {"late_blocking", late_blocking},
    {"late_nonblocking", late_nonblocking},
    {"cost_of_waiting", cost_of_waiting},
};
/* clang-format on */

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void say(const char *what, const char *name)
{
    if (rank == 0)
        printf("%s %s\n", what, name);
    fflush(stdout);
}

/* Files of an earlier case that hung may be there. */
static void run(int i, int limit)
{
    say("case", cases[i].name);
    alarm(limit);
    cases[i].run();
    MUST(MPI_Barrier(MPI_COMM_WORLD));
    alarm(0);
    say("ok", cases[i].name);
}

static int named(char **names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

static void list_cases(void)
{
    for (int i = 0; i < CASES; i++)
        printf("%s\n", cases[i].name);
    exit(0);
}

/* Plain MPI_Init where nothing else is asked for: most programs do so. */
static void start(int multiple)
{
    int level;

    if (!multiple) {
        MPI_Init(NULL, NULL);
    } else {
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
        EXPECT_EQ(level, MPI_THREAD_MULTIPLE);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    EXPECT(nprocs % 2 == 0);
    even = rank % 2 == 0;
    peer = rank ^ 1;
}

int main(int argc, char **argv)
{
    int opt, limit = 20, multiple = 0;

    while ((opt = getopt(argc, argv, "l:mL")) != -1) {
        if (opt == 'l')
            limit = atoi(optarg);
        else if (opt == 'm')
            multiple = 1;
        else if (opt == 'L')
            list_cases();
        else
            return 2;
    }
    if (optind == argc)
        return 2;
    prefix = argv[optind++];
    start(multiple);
    for (int i = 0; i < CASES; i++)
        if (optind == argc ||
            named(argv + optind, argc - optind, cases[i].name))
            run(i, limit);
    MPI_Finalize();
    return 0;
}
