/* rw.c - unit tests of sys/rw and sys/calls: the test plays the kernel */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "../calls.h"
#include "../rw.h"

enum { FILE_SIZE = 65536, BLOCK = 4096 };

/* A file with O_DIRECT on descriptor 77, or without. */
static struct {
    unsigned char bytes[FILE_SIZE];
    int64_t size;
    int direct;
    int ever_cached;
    size_t most;    /* bytes a call moves; 0: all */
    int interrupts; /* so many calls fail with EINTR first */
    int fails;      /* with this errno, when `most` bytes have been moved */
    int calls;
    int64_t mdt; /* descriptor 77 moves nothing below */
    int how;     /* what the file is to be opened again for */
    int opens, closes;
    int no_open; /* the file cannot be opened again */
    int close_fails;
} kernel;

static void reset(int direct)
{
    memset(&kernel, 0, sizeof(kernel));
    kernel.direct = direct;
    kernel.size = FILE_SIZE;
}

/* What the call moves, or -1. */
static ssize_t kernel_moves(size_t len, off_t off)
{
    kernel.calls++;
    if (kernel.interrupts > 0) {
        kernel.interrupts--;
        errno = EINTR;
        return -1;
    }
    if (kernel.fails && off > 0) {
        errno = kernel.fails;
        return -1;
    }
    if (kernel.direct && (off % BLOCK || len % BLOCK)) {
        errno = EINVAL;
        return -1;
    }
    return kernel.most && len > kernel.most ? kernel.most : len;
}

/* Descriptor 78 is the file opened again; `mdt` is none of its business. */
static ssize_t kernel_refuses(int fd, ssize_t n, off_t off)
{
    assert_true(fd == 77 || (fd == 78 && kernel.opens == kernel.closes + 1));
    if (n <= 0 || fd == 78 || off >= kernel.mdt)
        return n;
    errno = EOPNOTSUPP;
    return -1;
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t off)
{
    ssize_t n = kernel_refuses(fd, kernel_moves(len, off), off);

    if (n > 0)
        memcpy(kernel.bytes + off, buf, n);
    return n;
}

ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t off)
{
    ssize_t n =
        off >= kernel.size && !kernel.direct ? 0 : kernel_moves(len, off);

    n = kernel_refuses(fd, n, off);
    if (n > 0 && off + n > kernel.size)
        n = kernel.size - off;
    if (n > 0)
        memcpy(buf, kernel.bytes + off, n);
    return n;
}

int __wrap_fcntl(int fd, int cmd, long arg)
{
    assert_int_equal(fd, 77);
    if (cmd == F_GETFL)
        return O_RDWR | (kernel.direct ? O_DIRECT : 0);
    assert_int_equal(cmd, F_SETFL);
    kernel.direct = (arg & O_DIRECT) != 0;
    kernel.ever_cached |= !kernel.direct;
    return 0;
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
    (void)mode;
    assert_string_equal(path, "/proc/self/fd/77");
    assert_int_equal(flags, kernel.how | O_CLOEXEC);
    if (kernel.no_open) {
        errno = EACCES;
        return -1;
    }
    kernel.opens++;
    return 78;
}

int __wrap_close(int fd)
{
    assert_int_equal(fd, 78);
    kernel.closes++;
    errno = EIO;
    return kernel.close_fails ? -1 : 0;
}

int __wrap_fsync(int fd)
{
    assert_int_equal(fd, 77);
    return kernel_moves(0, 0) < 0 ? -1 : 0;
}

ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t off)
{
    return __wrap_pwrite(fd, buf, len, off);
}

ssize_t __wrap_pread64(int fd, void *buf, size_t len, off_t off)
{
    return __wrap_pread(fd, buf, len, off);
}

int __wrap_open64(const char *path, int flags, mode_t mode)
{
    return __wrap_open(path, flags, mode);
}

int __wrap_fcntl64(int fd, int cmd, long arg)
{
    return __wrap_fcntl(fd, cmd, arg);
}

static void fill(unsigned char *buf, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf[i] = 1 + (i * 7 + i / 251) % 255;
}

/* Short by every length, with and without O_DIRECT, there and back. */
static void test_short(void **state)
{
    static const size_t most[] = {0, 1000, 4096, 5000, 8191, 8192, 40000};
    static unsigned char out[FILE_SIZE], in[FILE_SIZE];
    size_t done;

    (void)state;
    fill(out, sizeof(out));
    for (int direct = 0; direct < 2; direct++)
        for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
            reset(direct);
            kernel.most = most[i];
            kernel.interrupts = 2;
            assert_int_equal(adl_rw_write(77, out, FILE_SIZE, 0, &done), 0);
            assert_int_equal(done, FILE_SIZE);
            assert_memory_equal(kernel.bytes, out, FILE_SIZE);
            assert_int_equal(kernel.direct, direct);
            assert_int_equal(kernel.ever_cached, direct && most[i] % BLOCK);
            memset(in, 0, sizeof(in));
            assert_int_equal(adl_rw_read(77, in, FILE_SIZE, 0, &done), 0);
            assert_memory_equal(in, out, FILE_SIZE);
            assert_int_equal(kernel.direct, direct);
        }
}

/* A direct read that meets the end of a file inside a block. */
static void test_end(void **state)
{
    static unsigned char in[FILE_SIZE];
    size_t done;

    (void)state;
    reset(1);
    kernel.size = 5 * BLOCK + 100;
    fill(kernel.bytes, kernel.size);
    assert_int_equal(adl_rw_read(77, in, 8 * BLOCK, 0, &done), 0);
    assert_int_equal(done, kernel.size);
    assert_memory_equal(in, kernel.bytes, kernel.size);
    assert_int_equal(kernel.direct, 1);
}

/* An EINVAL of another cause is told, and not for ever tried again. */
static void test_errors(void **state)
{
    static unsigned char out[FILE_SIZE];
    size_t done;

    (void)state;
    reset(1);
    assert_int_equal(adl_rw_write(77, out, 1000, 0, &done), -EINVAL);
    assert_int_equal(done, 0);
    assert_int_equal(kernel.direct, 1);
    reset(1);
    kernel.most = 1000;
    kernel.fails = EINVAL;
    assert_int_equal(adl_rw_write(77, out, 2 * BLOCK, 0, &done), -EINVAL);
    assert_int_equal(done, 1000);
    assert_int_equal(kernel.calls, 3);
    assert_int_equal(kernel.direct, 1);
    reset(0);
    kernel.most = 1000;
    kernel.fails = ENOSPC;
    assert_int_equal(adl_rw_write(77, out, 2 * BLOCK, 0, &done), -ENOSPC);
    assert_int_equal(done, 1000);
    assert_int_equal(kernel.calls, 2);
}

/* Bytes on an MDT, which a descriptor with exact locks refuses. */
static void test_refused(void **state)
{
    static unsigned char out[FILE_SIZE];
    size_t done;

    (void)state;
    fill(out, sizeof(out));
    reset(0);
    kernel.mdt = 3 * BLOCK;
    kernel.most = BLOCK;
    kernel.how = O_WRONLY;
    assert_int_equal(adl_rw_write(77, out, FILE_SIZE, 0, &done), 0);
    assert_int_equal(done, FILE_SIZE);
    assert_memory_equal(kernel.bytes, out, FILE_SIZE);
    assert_int_equal(kernel.opens, 3);
    assert_int_equal(kernel.closes, 3);
    kernel.close_fails = 1;
    assert_int_equal(adl_rw_write(77, out, BLOCK, 0, &done), -EIO);
    assert_int_equal(done, 0);
    kernel.no_open = 1;
    assert_int_equal(adl_rw_write(77, out, BLOCK, 0, &done), -EOPNOTSUPP);
    assert_int_equal(kernel.opens, kernel.closes);
}

static void test_refused_read(void **state)
{
    static unsigned char in[FILE_SIZE];
    size_t done;

    (void)state;
    reset(0);
    fill(kernel.bytes, FILE_SIZE);
    kernel.mdt = 3 * BLOCK;
    kernel.most = BLOCK;
    kernel.how = O_RDONLY;
    assert_int_equal(adl_rw_read(77, in, FILE_SIZE, 0, &done), 0);
    assert_int_equal(done, FILE_SIZE);
    assert_memory_equal(kernel.bytes, in, FILE_SIZE);
    assert_int_equal(kernel.opens, 3);
    assert_int_equal(kernel.closes, 3);
    kernel.no_open = 1;
    assert_int_equal(adl_rw_read(77, in, BLOCK, 0, &done), -EOPNOTSUPP);
    assert_int_equal(kernel.opens, kernel.closes);
}

static void test_fsync(void **state)
{
    (void)state;
    reset(0);
    kernel.interrupts = 3;
    assert_int_equal(adl_call_fsync(77), 0);
    assert_int_equal(kernel.calls, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short),  cmocka_unit_test(test_end),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_fsync),  cmocka_unit_test(test_refused_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
