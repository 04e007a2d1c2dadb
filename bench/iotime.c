/* iotime.c - counts and times a rank's file system calls, for lbench
 *
 * lbench puts it into LD_PRELOAD before lustre-sim's library, so that the time
 * that lustre-sim adds counts as file system time. At the end it writes a line
 * "write_ns read_ns writes reads" to a file of this process in the directory
 * LBENCH_IOTIME. Only files below the directory LBENCH_FILES count: MPI and the
 * driver read files of the system, too. The calls of all threads count, also
 * those made while the rank computes or communicates.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t spent[2]; /* ns in writing calls, in reading ones */
static _Atomic int64_t calls[2]; /* how many; fsync moves nothing */

/* The kernel is asked itself: a stat would count as one of lustre-sim's. */
static int is_file(int fd)
{
    const char *dir = getenv("LBENCH_FILES");
    char link[64], path[4096];
    ssize_t n;

    if (fd <= 2)
        return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    path[n < 0 ? 0 : n] = 0;
    if (!dir)
        return path[0] == '/';
    return strncmp(path, dir, strlen(dir)) == 0;
}

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void add(int reading, int64_t start, int moves)
{
    atomic_fetch_add(&spent[reading], now() - start);
    atomic_fetch_add(&calls[reading], moves);
}

/* The next definition of a function, looked up once. */
static void *next(void *_Atomic *known, const char *name)
{
    void *fn = atomic_load(known);

    if (!fn) {
        fn = dlsym(RTLD_NEXT, name);
        if (!fn)
            abort();
        atomic_store(known, fn);
    }
    return fn;
}

/* A call with the type, name and arguments of the C library's. */
#define TIMED(reading, moves, type, name, params, args)           \
    type name params                                              \
    {                                                             \
        static void *_Atomic known;                               \
        type(*real) params = (type(*) params)next(&known, #name); \
        int64_t start = now();                                    \
        type rc = real args;                                      \
                                                                  \
        if (is_file(fd))                                          \
            add(reading, start, moves);                           \
        return rc;                                                \
    }

TIMED(0, 1, ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o),
      (fd, b, n, o))
TIMED(0, 1, ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o),
      (fd, b, n, o))
TIMED(0, 1, ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o),
      (fd, v, n, o))
TIMED(0, 0, int, fsync, (int fd), (fd))
TIMED(0, 0, int, fdatasync, (int fd), (fd))
TIMED(1, 1, ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
TIMED(1, 1, ssize_t, pread64, (int fd, void *b, size_t n, off64_t o),
      (fd, b, n, o))
TIMED(1, 1, ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t o),
      (fd, v, n, o))
TIMED(0, 1, ssize_t, pwritev64,
      (int fd, const struct iovec *v, int n, off64_t o), (fd, v, n, o))
TIMED(1, 1, ssize_t, preadv64,
      (int fd, const struct iovec *v, int n, off64_t o), (fd, v, n, o))

ssize_t write(int fd, const void *b, size_t n)
{
    static void *_Atomic known;
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))next(&known, "write");
    int64_t start = now();
    ssize_t rc = real(fd, b, n);

    if (is_file(fd))
        add(0, start, 1);
    return rc;
}

ssize_t read(int fd, void *b, size_t n)
{
    static void *_Atomic known;
    ssize_t (*real)(int, void *, size_t) =
        (ssize_t(*)(int, void *, size_t))next(&known, "read");
    int64_t start = now();
    ssize_t rc = real(fd, b, n);

    if (is_file(fd))
        add(1, start, 1);
    return rc;
}

__attribute__((destructor)) static void leave(void)
{
    const char *dir = getenv("LBENCH_IOTIME");
    char name[4096];
    FILE *f;

    if (!dir || (!spent[0] && !spent[1]))
        return;
    snprintf(name, sizeof(name), "%s/%ld", dir, (long)getpid());
    f = fopen(name, "w");
    if (!f)
        return;
    fprintf(f, "%lld %lld %lld %lld\n", (long long)spent[0],
            (long long)spent[1], (long long)calls[0], (long long)calls[1]);
    fclose(f);
}
