/* accesses.c - access a file as told, counting system calls for itself
 *
 *   accesses [-h KEY=VALUE]... FILE OP...
 *
 *   coll=N,SIZE[,OFF]   N collective writes; in call i rank r writes SIZE bytes
 *                       at OFF + (i x ranks + r) x SIZE
 *   rcoll=...           the same, reading
 *   icoll=..., ircoll=...   nonblocking, all N begun before any is waited for
 *   some=R,SIZE,OFF     a collective write in which only ranks below R write
 *   holes=N,SIZE        a collective write of N pieces of SIZE a rank, as much
 *                       again left out behind each
 *   ind=RANK,N,SIZE,OFF rank RANK alone writes N times SIZE from OFF on
 *   rind=...            the same, reading
 *   late=RANK,MS        rank RANK sleeps
 *   size=N              MPI_File_set_size
 *   next                close FILE, go on with FILE.2, FILE.3, ...
 *   many=N,SIZE         N times: open, write collectively, close; the memory in
 *                       use afterwards
 *   open                leave the file open at MPI_Finalize
 *
 * The last line is "counted: writes=N written=BYTES reads=N read=BYTES", all
 * ranks together: the program stands before the system's pwrite and pread.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include "expect.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what really happens ---- */

static struct {
    long long calls[2], bytes[2]; /* write, read */
} counted;
static char target[4096];

static int is_target(int fd)
{
    char link[64], name[4096];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, name, sizeof(name) - 1);
    if (n < 0)
        return 0;
    name[n] = '\0';
    return strncmp(name, target, strlen(target)) == 0;
}

static ssize_t count(int read, int fd, ssize_t n)
{
    int keep = errno;

    if (n >= 0 && target[0] && is_target(fd)) {
        __atomic_fetch_add(&counted.calls[read], 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&counted.bytes[read], n, __ATOMIC_SEQ_CST);
    }
    errno = keep;
    return n;
}

typedef ssize_t write_fn(int, const void *, size_t, off_t);
typedef ssize_t read_fn(int, void *, size_t, off_t);

#define STAND_BEFORE_WRITE(name)                                 \
    ssize_t name(int fd, const void *buf, size_t len, off_t off) \
    {                                                            \
        write_fn *next = (write_fn *)dlsym(RTLD_NEXT, #name);    \
                                                                 \
        return count(0, fd, next(fd, buf, len, off));            \
    }
#define STAND_BEFORE_READ(name)                             \
    ssize_t name(int fd, void *buf, size_t len, off_t off)  \
    {                                                       \
        read_fn *next = (read_fn *)dlsym(RTLD_NEXT, #name); \
                                                            \
        return count(1, fd, next(fd, buf, len, off));       \
    }
STAND_BEFORE_WRITE(pwrite)
STAND_BEFORE_WRITE(pwrite64)
STAND_BEFORE_READ(pread)
STAND_BEFORE_READ(pread64)

/* Empty messages sent so far: by MPICH_MPIIO_OFI_STARTUP_CONNECT. ROMIO calls
 * MPI by its profiling names. */
static int hellos;

typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                     MPI_Request *);

int PMPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *req)
{
    isend_fn *next = (isend_fn *)dlsym(RTLD_NEXT, "PMPI_Isend");

    hellos += n == 0;
    return next(data, n, type, to, tag, comm, req);
}

static void show_counted(int rank)
{
    long long mine[4] = {counted.calls[0], counted.bytes[0], counted.calls[1],
                         counted.bytes[1]},
              all[4];

    MUST(MPI_Reduce(mine, all, 4, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("counted: writes=%lld written=%lld reads=%lld read=%lld\n",
               all[0], all[1], all[2], all[3]);
}

/* ---- accesses ---- */

static int rank, nprocs;
static MPI_File fh;
static MPI_Info info;
static char *buf;

#define ROOM (64 << 20)

static void collect(long long *v, int read, int nonblocking)
{
    MPI_Request *req = malloc(v[0] * sizeof(*req));

    for (int i = 0; i < v[0]; i++) {
        MPI_Offset off = v[2] + ((long long)i * nprocs + rank) * v[1];

        if (nonblocking && read)
            MUST(MPI_File_iread_at_all(fh, off, buf, v[1], MPI_BYTE, &req[i]));
        else if (nonblocking)
            MUST(MPI_File_iwrite_at_all(fh, off, buf, v[1], MPI_BYTE, &req[i]));
        else if (read)
            MUST(MPI_File_read_at_all(fh, off, buf, v[1], MPI_BYTE,
                                      MPI_STATUS_IGNORE));
        else
            MUST(MPI_File_write_at_all(fh, off, buf, v[1], MPI_BYTE,
                                       MPI_STATUS_IGNORE));
    }
    for (int i = 0; nonblocking && i < v[0]; i++)
        MUST(MPI_Wait(&req[i], MPI_STATUS_IGNORE));
    free(req);
}

static void independent(long long *v, int read)
{
    for (int i = 0; rank == v[0] && i < v[1]; i++) {
        MPI_Offset off = v[3] + i * v[2];

        if (read)
            MUST(MPI_File_read_at(fh, off, buf, v[2], MPI_BYTE,
                                  MPI_STATUS_IGNORE));
        else
            MUST(MPI_File_write_at(fh, off, buf, v[2], MPI_BYTE,
                                   MPI_STATUS_IGNORE));
    }
}

static void some(long long *v)
{
    int n = rank < v[0] ? v[1] : 0;

    MUST(MPI_File_write_at_all(fh, v[2] + rank * v[1], buf, n, MPI_BYTE,
                               MPI_STATUS_IGNORE));
}

static void holes(long long *v)
{
    MPI_Datatype piece, tile;

    MUST(MPI_Type_contiguous(v[1], MPI_BYTE, &piece));
    MUST(MPI_Type_create_resized(piece, 0, 2 * v[1], &tile));
    MUST(MPI_Type_commit(&tile));
    MUST(MPI_File_set_view(fh, rank * v[0] * 2 * v[1], MPI_BYTE, tile, "native",
                           MPI_INFO_NULL));
    MUST(MPI_File_write_at_all(fh, 0, buf, v[0] * v[1], MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&tile));
    MUST(MPI_Type_free(&piece));
}

static void open_file(const char *name, int number)
{
    char path[4200];

    if (number == 1)
        snprintf(path, sizeof(path), "%s", name);
    else
        snprintf(path, sizeof(path), "%s.%d", name, number);
    MUST(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
}

static long in_use(void)
{
    long pages = 0, skip;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%ld %ld", &skip, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The first tenth may fill caches. */
static void many(long long *v, const char *name)
{
    long start = 0;

    for (int i = 0; i < v[0]; i++) {
        open_file(name, 1 + i % 7);
        MUST(MPI_File_write_at_all(fh, rank * v[1], buf, v[1], MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        MUST(MPI_File_close(&fh));
        if (i == v[0] / 10)
            start = in_use();
    }
    if (rank == 0)
        printf("grown: %ld KiB\n", in_use() - start);
    open_file(name, 1);
}

/* ---- what to do ---- */

static int numbers(const char *op, const char *name, long long *v)
{
    size_t n = strlen(name);

    memset(v, 0, 4 * sizeof(*v));
    if (strncmp(op, name, n) || op[n] != '=')
        return 0;
    return sscanf(op + n + 1, "%lld,%lld,%lld,%lld", &v[0], &v[1], &v[2],
                  &v[3]) > 0;
}

static void run(const char *op, const char *name, int *number)
{
    long long v[4];

    if (numbers(op, "coll", v) || numbers(op, "icoll", v))
        collect(v, 0, op[0] == 'i');
    else if (numbers(op, "rcoll", v) || numbers(op, "ircoll", v))
        collect(v, 1, op[0] == 'i');
    else if (numbers(op, "ind", v) || numbers(op, "rind", v))
        independent(v, op[0] == 'r');
    else if (numbers(op, "some", v))
        some(v);
    else if (numbers(op, "holes", v))
        holes(v);
    else if (numbers(op, "late", v))
        usleep(rank == v[0] ? v[1] * 1000 : 0);
    else if (numbers(op, "size", v))
        MUST(MPI_File_set_size(fh, v[0]));
    else if (numbers(op, "many", v))
        many(v, name);
    else if (strcmp(op, "next") == 0) {
        MUST(MPI_File_close(&fh));
        open_file(name, ++*number);
    } else {
        fprintf(stderr, "accesses: what is %s?\n", op);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int main(int argc, char **argv)
{
    int c, number = 1, leave = 0;
    const char *name;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MPI_Info_create(&info);
    while ((c = getopt(argc, argv, "+h:")) == 'h') {
        char *eq = strchr(optarg, '=');

        if (eq) {
            *eq = '\0';
            MPI_Info_set(info, optarg, eq + 1);
        }
    }
    name = argv[optind++];
    snprintf(target, sizeof(target), "%s", name);
    buf = calloc(1, ROOM);
    open_file(name, number);
    MUST(MPI_Reduce(rank ? &hellos : MPI_IN_PLACE, &hellos, 1, MPI_INT, MPI_SUM,
                    0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("hellos: %d\n", hellos);
    for (; optind < argc; optind++) {
        if (strcmp(argv[optind], "open") == 0)
            leave = 1;
        else
            run(argv[optind], name, &number);
    }
    if (!leave)
        MUST(MPI_File_close(&fh));
    show_counted(rank);
    MPI_Info_free(&info);
    free(buf);
    MPI_Finalize();
    return 0;
}
