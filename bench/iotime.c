/* iotime.c - preloaded by lbench: how long a rank is inside file system calls
 *
 * At the end a line "write_ns read_ns" is left in a file of this process in
 * the directory LBENCH_IOTIME. Calls of any thread count, so that time in
 * which a rank computes or communicates meanwhile is counted as well. Meant
 * to stand before lustre-sim's library: what that adds is file system time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t spent[2]; /* ns in writing calls, in reading ones */

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void add(int reading, int64_t start)
{
    atomic_fetch_add(&spent[reading], now() - start);
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

/* A call with the type, name and arguments of the C library's. Descriptors 0
 * to 2 are terminals and pipes. */
#define TIMED(reading, type, name, params, args)                  \
    type name params                                              \
    {                                                             \
        static void *_Atomic known;                               \
        type(*real) params = (type(*) params)next(&known, #name); \
        int64_t start = now();                                    \
        type rc = real args;                                      \
                                                                  \
        if (fd > 2)                                               \
            add(reading, start);                                  \
        return rc;                                                \
    }

TIMED(0, ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o),
      (fd, b, n, o))
TIMED(0, ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o),
      (fd, b, n, o))
TIMED(0, ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t o),
      (fd, v, n, o))
TIMED(0, int, fsync, (int fd), (fd))
TIMED(0, int, fdatasync, (int fd), (fd))
TIMED(1, ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
TIMED(1, ssize_t, pread64, (int fd, void *b, size_t n, off64_t o),
      (fd, b, n, o))
TIMED(1, ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t o),
      (fd, v, n, o))

/* write and read are also what pipes and sockets of the launcher use: only
 * calls on something that has a position count. */
ssize_t write(int fd, const void *b, size_t n)
{
    static void *_Atomic known;
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))next(&known, "write");
    int64_t start = now();
    ssize_t rc = real(fd, b, n);

    if (fd > 2 && lseek(fd, 0, SEEK_CUR) >= 0)
        add(0, start);
    return rc;
}

ssize_t read(int fd, void *b, size_t n)
{
    static void *_Atomic known;
    ssize_t (*real)(int, void *, size_t) =
        (ssize_t(*)(int, void *, size_t))next(&known, "read");
    int64_t start = now();
    ssize_t rc = real(fd, b, n);

    if (fd > 2 && lseek(fd, 0, SEEK_CUR) >= 0)
        add(1, start);
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
    fprintf(f, "%lld %lld\n", (long long)spent[0], (long long)spent[1]);
    fclose(f);
}
