/* lustre.c - test of sys/lustre on a file system that is not Lustre: what it
 * answers there, and that nothing is left half done. */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../lustre.h"
#include "../lustre_abi.h"
#include "../clock.h"
#include "../lockmany.h"
#include "../../core/layout/layspec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

/* Takes the place of libc's: a signal interrupts so many of the next calls. */
static int interrupts;

int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    void *arg;

    va_start(args, request);
    arg = va_arg(args, void *);
    va_end(args);
    if (interrupts > 0) {
        interrupts--;
        errno = EINTR;
        return -1;
    }
    return (int)syscall(SYS_ioctl, fd, request, arg);
}

struct place {
    char dir[64];
    char file[96];
    int fd;
};

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));

    strcpy(p->dir, "/tmp/adl-lustre-XXXXXX");
    if (!mkdtemp(p->dir))
        return -1;
    snprintf(p->file, sizeof(p->file), "%s/file", p->dir);
    p->fd = open(p->file, O_CREAT | O_RDWR, 0600);
    *state = p;
    return p->fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
    struct place *p = *state;

    close(p->fd);
    unlink(p->file);
    rmdir(p->dir);
    free(p);
    return 0;
}

static void test_is(void **state)
{
    struct place *p = *state;

    assert_int_equal(adl_lustre_is_fd(p->fd), 0);
    assert_int_equal(adl_lustre_is_path(p->dir), 0);
    assert_int_equal(adl_lustre_is_fd(-1), -EBADF);
    assert_int_equal(adl_lustre_is_path("/nowhere/at/all"), -ENOENT);
    assert_int_equal(adl_lustre_holds(p->file), 0);
    assert_int_equal(adl_lustre_holds("not-there-yet"), 0);
    assert_int_equal(adl_lustre_holds("/nowhere/at/all"), -ENOENT);
}

static void test_layout(void **state)
{
    struct place *p = *state;
    struct adl_layout *l = NULL;
    struct adl_err err = {""};

    assert_int_equal(adl_lustre_get_layout(p->fd, NULL, &l, &err), -EOPNOTSUPP);
    assert_non_null(strstr(err.text, "layout"));
    assert_int_equal(adl_lustre_path_layout(p->file, NULL, &l, &err),
                     -EOPNOTSUPP);
    assert_int_equal(adl_lustre_path_layout("/nowhere/f", NULL, &l, &err),
                     -ENOENT);
    assert_int_equal(adl_lustre_get_layout(-1, NULL, &l, NULL), -EBADF);
    assert_null(l);
}

static void test_default_layout(void **state)
{
    struct place *p = *state;
    struct adl_layout *l = NULL;
    struct adl_err err = {""};
    char path[128];

    snprintf(path, sizeof(path), "%s/new", p->dir);
    assert_int_equal(adl_lustre_default_layout(path, NULL, &l, &err),
                     -EOPNOTSUPP);
    assert_int_equal(adl_lustre_default_layout("relative", NULL, &l, &err),
                     -EOPNOTSUPP);
    assert_int_equal(adl_lustre_default_layout("/in_root", NULL, &l, &err),
                     -EOPNOTSUPP);
    assert_int_equal(adl_lustre_default_layout("/nowhere/f", NULL, &l, &err),
                     -ENOENT);
    assert_null(l);
}

/* The layout is refused, but there is a file and it can be written to. */
static void test_create(void **state)
{
    struct place *p = *state;
    struct adl_layout_spec spec = {0};
    int fd, again, refused = 1;
    char path[128];
    void *blob;
    size_t len;

    assert_int_equal(adl_layout_spec_parse("-c 4 -S 1M", &spec, NULL), 0);
    assert_int_equal(adl_layout_spec_encode(&spec, &blob, &len, NULL), 0);
    snprintf(path, sizeof(path), "%s/new", p->dir);
    fd = adl_lustre_create(path, O_RDWR | O_EXCL, 0600, blob, len, &refused);
    assert_true(fd >= 0);
    assert_int_equal(refused, -EOPNOTSUPP);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(fcntl(fd, F_GETFL) & FASYNC, 0);
    assert_int_equal(
        adl_lustre_create(path, O_RDWR | O_EXCL, 0600, blob, len, &refused),
        -EEXIST);
    again = adl_lustre_create(path, O_RDWR, 0600, blob, len, &refused);
    assert_true(again >= 0);
    assert_int_equal(lseek(again, 0, SEEK_END), 3);
    close(fd);
    close(again);
    unlink(path);
    snprintf(path, sizeof(path), "%s/none/new", p->dir);
    assert_int_equal(adl_lustre_create(path, O_RDWR, 0600, blob, len, &refused),
                     -ENOENT);
    free(blob);
    adl_layout_spec_clear(&spec);
}

/* A mode that would not allow a second open. */
static void test_create_read_only(void **state)
{
    struct place *p = *state;
    struct adl_lov_user any = {.magic = ADL_LOV_MAGIC_V1, .pattern = 1};
    int fd, refused = 0;
    char path[128];

    snprintf(path, sizeof(path), "%s/new", p->dir);
    fd = adl_lustre_create(path, O_RDWR | O_APPEND, 0400, &any, sizeof(any),
                           &refused);
    assert_true(fd >= 0);
    assert_true(refused == -EOPNOTSUPP || refused == -EACCES);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(fcntl(fd, F_GETFL) & O_APPEND, O_APPEND);
    close(fd);
    unlink(path);
}

static void test_locks(void **state)
{
    struct place *p = *state;
    struct adl_lock_ahead locks[3] = {{.start = 0, .end = 4096}};
    int i;

    assert_int_equal(adl_lustre_group_lock(p->fd, 7), -ENOTTY);
    assert_int_equal(adl_lustre_group_unlock(p->fd, 7), -ENOTTY);
    assert_int_equal(adl_lustre_lock_noexpand(p->fd, 1), -ENOTTY);
    assert_int_equal(adl_lustre_lock_ahead(p->fd, 1, locks, 3), -ENOTTY);
    for (i = 0; i < 3; i++)
        assert_int_equal(locks[i].result, -ECANCELED);
    assert_int_equal(adl_lustre_lock_ahead(p->fd, 1, locks, 0), 0);
}

/* A call that waits for other clients is made again when it is interrupted. */
static void test_interrupted(void **state)
{
    struct place *p = *state;
    struct adl_lock_ahead lock = {.start = 0, .end = 4096};

    interrupts = 3;
    assert_int_equal(adl_lustre_group_lock(p->fd, 7), -ENOTTY);
    assert_int_equal(interrupts, 0);
    interrupts = 3;
    assert_int_equal(adl_lustre_lock_ahead(p->fd, 1, &lock, 1), -ENOTTY);
    assert_int_equal(interrupts, 0);
    /* but not for ever */
    interrupts = INT_MAX;
    assert_int_equal(adl_lustre_group_lock(p->fd, 7), -EINTR);
    interrupts = 0;
}

static void test_ost_count(void **state)
{
    struct place *p = *state;

    assert_int_equal(adl_lustre_ost_count(p->dir), -ENODATA);
    assert_int_equal(adl_lustre_ost_count("/nowhere"), -ENODATA);
    assert_int_equal(adl_lustre_seeks(p->dir, 0), -ENOTTY);
    assert_int_equal(adl_lustre_seeks("/nowhere", 0), -ENOENT);
}

/* Every lock is asked for once, by whichever thread, and an error is told. */
static void test_many_locks(void **state)
{
    struct place *p = *state;
    struct adl_lock_ahead locks[10];
    int64_t ns;

    for (int n = 0; n <= 10; n++)
        for (int threads = 1; threads <= 2 * ADL_LOCKMANY; threads++) {
            memset(locks, 0, sizeof(locks));
            assert_int_equal(adl_lockmany(p->fd, locks, n, threads, &ns),
                             n > 0 ? -ENOTTY : 0);
            assert_true(ns >= 0);
            for (int i = 0; i < 10; i++)
                assert_int_equal(locks[i].result, i < n ? -ECANCELED : 0);
        }
}

static void test_clock(void **state)
{
    int64_t a = adl_clock_ns(), b;

    (void)state;
    usleep(2000);
    b = adl_clock_ns();
    assert_true(a > 0 && b - a >= 2000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_is, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_default_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_create, setup, teardown),
        cmocka_unit_test_setup_teardown(test_create_read_only, setup, teardown),
        cmocka_unit_test_setup_teardown(test_locks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ost_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_locks, setup, teardown),
        cmocka_unit_test(test_clock),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
