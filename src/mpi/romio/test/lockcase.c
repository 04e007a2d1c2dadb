/* lockcase.c - one file under everything that can meet its locks
 *
 * Collective writes with independent ones between them, truncation, reads by
 * all and by one, sync, close, reopen. Every rank keeps what the file should
 * hold; rank 0 compares by read(2) in the end. With -p independent accesses are
 * promised away: they must fail, with MPI_ERR_ACCESS, and change nothing.
 * With -i collective writes are nonblocking. -a: abort while locks are held.
 * -t: write errors are expected, then no content is compared.
 *
 * Two other lives, for lockahead: with -r 100 collective writes far apart and
 * in no order; with -n one independent write ahead of collective ones.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 16384
#define MAX (24 * 1048576)

static int rank, size, promised, nonblocking, aborting, tolerant;
static int wild, noticing;
static char *model;
static int64_t model_end;
static MPI_File fh;
static MPI_Info info;
static const char *name;
static int serial; /* changes what is written */

static void die(const char *what, long where)
{
    fprintf(stderr, "rank %d: %s at %ld\n", rank, what, where);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int len;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &len);
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static char byte_of(int step, int64_t off)
{
    uint64_t h = ((uint64_t)off + 1) * 0x9e3779b97f4a7c15u + step * 7919u;

    return (char)(h >> 32);
}

/* What step `step` puts into [off, off + len). */
static void expect(int step, int64_t off, int64_t len)
{
    for (int64_t i = off; i < off + len; i++)
        model[i] = byte_of(step, i);
    if (off + len > model_end)
        model_end = off + len;
}

static void fill(char *buf, int step, int64_t off, int64_t len)
{
    for (int64_t i = 0; i < len; i++)
        buf[i] = byte_of(step, off + i);
}

/* Collective: blocks of all ranks in turn, `n` each, from `start`. Every rank
 * knows what all write. */
static void write_all(int64_t start, int n)
{
    char *buf = malloc((size_t)n * BLOCK);
    MPI_Datatype vector;
    MPI_Request req;
    int rc, step = ++serial;

    for (int i = 0; i < n; i++)
        fill(buf + (int64_t)i * BLOCK, step,
             start + ((int64_t)i * size + rank) * BLOCK, BLOCK);
    MPI_Type_vector(n, BLOCK, BLOCK * size, MPI_BYTE, &vector);
    MPI_Type_commit(&vector);
    must(MPI_File_set_view(fh, start + rank * BLOCK, MPI_BYTE, vector, "native",
                           MPI_INFO_NULL),
         "set_view");
    if (nonblocking) {
        rc = MPI_File_iwrite_at_all(fh, 0, buf, n * BLOCK, MPI_BYTE, &req);
        must(rc, "iwrite_at_all");
        rc = MPI_Wait(&req, MPI_STATUS_IGNORE);
    } else {
        rc = MPI_File_write_at_all(fh, 0, buf, n * BLOCK, MPI_BYTE,
                                   MPI_STATUS_IGNORE);
    }
    if (!tolerant)
        must(rc, "write_at_all");
    MPI_Type_free(&vector);
    free(buf);
    expect(step, start, (int64_t)n * size * BLOCK);
}

static void plain_view(void)
{
    must(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
         "set_view");
}

/* An access of one rank: done, or refused where it was promised away. */
static int settle(int rc, const char *what)
{
    int class;

    if (!promised) {
        must(rc, what);
        return 1;
    }
    MPI_Error_class(rc, &class);
    if (class != MPI_ERR_ACCESS)
        die("promise broken without an error", class);
    return 0;
}

static void write_one(int who, int64_t off, int64_t len)
{
    char *buf = malloc(len);
    int step = ++serial;

    plain_view();
    if (rank == who) {
        fill(buf, step, off, len);
        settle(MPI_File_write_at(fh, off, buf, (int)len, MPI_BYTE,
                                 MPI_STATUS_IGNORE),
               "write_at");
    }
    if (!promised)
        expect(step, off, len);
    free(buf);
}

static void compare(const char *buf, int64_t off, int64_t len, const char *what)
{
    for (int64_t i = 0; i < len; i++)
        if (buf[i] != model[off + i])
            die(what, (long)(off + i));
}

static void read_one(int who, int64_t off, int64_t len)
{
    char *buf = malloc(len);

    plain_view();
    if (rank == who && settle(MPI_File_read_at(fh, off, buf, (int)len, MPI_BYTE,
                                               MPI_STATUS_IGNORE),
                              "read_at"))
        compare(buf, off, len, "read_at: wrong byte");
    free(buf);
}

/* Every rank reads its part of [0, end). */
static void read_all(void)
{
    int64_t part = model_end / size;
    char *buf = malloc(part);

    plain_view();
    must(MPI_File_read_at_all(fh, rank * part, buf, (int)part, MPI_BYTE,
                              MPI_STATUS_IGNORE),
         "read_at_all");
    if (!tolerant)
        compare(buf, rank * part, part, "read_at_all: wrong byte");
    free(buf);
}

/* What others wrote may be seen. */
static void publish(void)
{
    int rc = MPI_File_sync(fh);

    if (!tolerant)
        must(rc, "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    rc = MPI_File_sync(fh);
    if (!tolerant)
        must(rc, "sync");
}

static void check_size(void)
{
    MPI_Offset end;

    must(MPI_File_get_size(fh, &end), "get_size");
    if (end != model_end && !tolerant)
        die("get_size is wrong", (long)end);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void resize(int64_t end)
{
    must(MPI_File_set_size(fh, end), "set_size");
    if (end < model_end)
        memset(model + end, 0, model_end - end);
    model_end = end;
}

static void reopen(int amode)
{
    if (fh != MPI_FILE_NULL)
        must(MPI_File_close(&fh), "close");
    must(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &fh), "open");
}

static void first_life(void)
{
    reopen(MPI_MODE_CREATE | MPI_MODE_RDWR);
    resize(0);
    write_all(0, 8);
    check_size();
    if (aborting && rank == size / 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
    write_all(8L * size * BLOCK, 8);
    check_size();
    publish();
    write_one(size - 1, 100000, 70000);
    write_one(1 % size, 3000001, 12345);
    publish();
    write_all(16L * size * BLOCK, 8);
    write_all(4L * size * BLOCK, 2);
    publish();
    read_one(size / 2, 3000000, 20000);
    read_all();
    write_all(24L * size * BLOCK, 4);
    read_all();
}

static void second_life(void)
{
    int64_t half = model_end / 2 + 777;

    resize(half);
    check_size();
    write_all(40L * size * BLOCK, 3);
    publish();
    read_all();
    check_size();
    reopen(MPI_MODE_RDWR);
    write_all(0, 2);
    write_all(64L * size * BLOCK, 2);
    write_all(10L * size * BLOCK, 2);
    publish();
    must(MPI_File_set_atomicity(fh, 1), "set_atomicity");
    write_all(12L * size * BLOCK, 1);
    must(MPI_File_set_atomicity(fh, 0), "set_atomicity");
    write_all(13L * size * BLOCK, 1);
    must(MPI_File_close(&fh), "close");
}

/* Offset of the i-th of the writes in no order, whole rounds of 1 MiB. */
static int64_t wild_offset(int i)
{
    uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;

    return (int64_t)(h >> 44) * 1048576;
}

static void write_wildly(void)
{
    char buf[BLOCK];

    for (int i = 0; i < 100; i++) {
        int64_t off = wild_offset(i) + rank * BLOCK;

        fill(buf, i, off, BLOCK);
        must(MPI_File_write_at_all(fh, off, buf, BLOCK, MPI_BYTE,
                                   MPI_STATUS_IGNORE),
             "write_at_all");
    }
}

static void compare_wildly(void)
{
    char buf[BLOCK];
    int fd = open(name, O_RDONLY);

    for (int i = 0; i < 100; i++) {
        int64_t off = wild_offset(i) + rank * BLOCK;

        if (pread(fd, buf, BLOCK, off) != BLOCK)
            die("short file", (long)off);
        for (int k = 0; k < BLOCK; k++)
            if (buf[k] != byte_of(i, off + k))
                die("wrong byte", (long)(off + k));
    }
    close(fd);
}

static void wild_life(void)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info used;
    int flag;

    reopen(MPI_MODE_CREATE | MPI_MODE_RDWR);
    write_wildly();
    must(MPI_File_get_info(fh, &used), "get_info");
    MPI_Info_get(used, "cray_cb_write_lock_mode", MPI_MAX_INFO_VAL, value,
                 &flag);
    MPI_Info_free(&used);
    must(MPI_File_close(&fh), "close");
    compare_wildly();
    if (rank == 0)
        printf("lock mode in the end: %s\n", value);
}

static void noticing_life(void)
{
    reopen(MPI_MODE_CREATE | MPI_MODE_RDWR);
    write_all(0, 8);
    publish();
    write_one(size - 1, 10L * size * BLOCK, 100);
    publish();
    write_all(8L * size * BLOCK, 8);
    must(MPI_File_close(&fh), "close");
}

static void compare_file(void)
{
    char *buf = malloc(model_end + 1);
    int fd = open(name, O_RDONLY);
    int64_t n = 0, got;

    if (fd < 0)
        die("cannot open", 0);
    while ((got = pread(fd, buf + n, model_end + 1 - n, n)) > 0)
        n += got;
    if (n != model_end)
        die("wrong size", (long)n);
    compare(buf, 0, n, "file: wrong byte");
    close(fd);
    free(buf);
}

static void parse(int argc, char **argv)
{
    char *value;
    int c;

    while ((c = getopt(argc, argv, "piatrn")) != -1) {
        promised |= c == 'p';
        nonblocking |= c == 'i';
        aborting |= c == 'a';
        tolerant |= c == 't';
        wild |= c == 'r';
        noticing |= c == 'n';
    }
    name = argv[optind++];
    MPI_Info_create(&info);
    for (; optind < argc; optind++) {
        value = strchr(argv[optind], '=');
        *value++ = 0;
        MPI_Info_set(info, argv[optind], value);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    fh = MPI_FILE_NULL;
    parse(argc, argv);
    model = calloc(1, MAX);
    if (!model || 66L * size * BLOCK > MAX)
        die("too large", MAX);
    if (wild) {
        wild_life();
    } else if (noticing) {
        noticing_life();
    } else {
        first_life();
        second_life();
    }
    if (rank == 0 && !tolerant && !wild)
        compare_file();
    if (rank == 0)
        printf("right: %ld bytes\n", (long)model_end);
    free(model);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
