/* lock.c - unit tests of sys/lock */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lock.h"

static char name[64];

static int reopen(void)
{
    int fd = open(name, O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

static int setup(void **state)
{
    int fd;

    (void)state;
    __builtin_strcpy(name, "lock-test.XXXXXX");
    fd = mkstemp(name);
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(name);
}

/* Could another process lock [off, off + len)? With a lock of POSIX's, as other
 * programs have. */
static int is_free(off_t off, off_t len)
{
    struct flock ask = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = off, .l_len = len};
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(fcntl(open(name, O_RDWR), F_SETLK, &ask) != 0);
    assert_true(waitpid(child, &status, 0) == child);
    return status == 0;
}

static void test_process(void **state)
{
    struct adl_lock lock;
    int fd = reopen();

    (void)state;
    assert_int_equal(adl_lock_write(fd, 100, 50, &lock), 0);
    assert_false(is_free(149, 1));
    assert_true(is_free(150, 1));
    adl_lock_drop(&lock);
    assert_true(is_free(100, 50));
    assert_int_equal(adl_lock_read(fd, 0, 10, &lock), 0);
    assert_false(is_free(0, 10));
    adl_lock_drop(&lock);
    close(fd);
    assert_true(adl_lock_write(fd, 0, 1, &lock) < 0);
}

/* POSIX's locks of a process would go with any descriptor that it closes. */
static void test_close(void **state)
{
    struct adl_lock lock;
    int fd = reopen();

    (void)state;
    assert_int_equal(adl_lock_write(fd, 0, 10, &lock), 0);
    close(reopen());
    assert_false(is_free(0, 10));
    adl_lock_drop(&lock);
    assert_true(is_free(0, 10));
    close(fd);
}

/* Another thread of this process, which wants [off, off + 10). */
struct rival {
    pthread_t thread;
    int fd;
    int64_t off;
    atomic_int has; /* it got the lock, and has dropped it */
};

static void *contend(void *arg)
{
    struct rival *r = arg;
    struct adl_lock lock;

    if (adl_lock_write(r->fd, r->off, 10, &lock) == 0) {
        r->has = 1;
        adl_lock_drop(&lock);
    }
    return NULL;
}

static void begin_rival(struct rival *r, int fd, int64_t off)
{
    r->fd = fd;
    r->off = off;
    r->has = 0;
    assert_int_equal(pthread_create(&r->thread, NULL, contend, r), 0);
}

static void end_rival(struct rival *r)
{
    pthread_join(r->thread, NULL);
    assert_int_equal(r->has, 1);
}

/* A thread that must not get it is given a tenth of a second to do so. */
static void check_threads(int mine, int other)
{
    struct adl_lock lock;
    struct rival r;

    assert_int_equal(adl_lock_write(mine, 0, 10, &lock), 0);
    begin_rival(&r, other, 10);
    end_rival(&r);
    begin_rival(&r, other, 9);
    usleep(100000);
    assert_int_equal(r.has, 0);
    adl_lock_drop(&lock);
    end_rival(&r);
}

static void test_same_descriptor(void **state)
{
    int fd = reopen();

    (void)state;
    check_threads(fd, fd);
    close(fd);
}

/* Threads wait for each other; other processes do not. */
static void test_here(void **state)
{
    struct adl_lock lock;
    struct rival r;
    int fd = reopen();

    (void)state;
    adl_lock_here(fd, 0, 10, &lock);
    assert_true(is_free(0, 10));
    begin_rival(&r, fd, 9);
    usleep(100000);
    assert_int_equal(r.has, 0);
    adl_lock_drop(&lock);
    end_rival(&r);
    close(fd);
}

/* A lock that was refused, or dropped, is not dropped once more: that would
 * take away the lock which another thread has meanwhile. */
static void test_none(void **state)
{
    struct adl_lock lock = {0}, other;
    int fd = reopen();

    (void)state;
    adl_lock_drop(&lock);
    assert_true(adl_lock_write(-1, 0, 10, &lock) < 0);
    adl_lock_drop(&lock);
    assert_int_equal(adl_lock_write(fd, 0, 10, &lock), 0);
    adl_lock_drop(&lock);
    assert_int_equal(adl_lock_write(fd, 0, 10, &other), 0);
    adl_lock_drop(&lock);
    assert_false(is_free(0, 10));
    adl_lock_drop(&other);
    assert_true(is_free(0, 10));
    close(fd);
}

static void test_other_descriptor(void **state)
{
    int fd = reopen(), other = reopen();

    (void)state;
    check_threads(fd, other);
    close(fd);
    close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_same_descriptor),
        cmocka_unit_test(test_here),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_other_descriptor),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
