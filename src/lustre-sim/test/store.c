/* store.c - unit test: records are found again, and others not believed */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "root.h"

#include <errno.h>
#include <sys/xattr.h>
#include "../store.h"

static int setup(void **state)
{
    struct root *r = test_malloc(sizeof(*r));

    root_make(r, 4);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    root_remove(*state);
    test_free(*state);
    return 0;
}

/* What the store says: the length, or -errno. */
static long get(struct root *r, int fd, unsigned char first)
{
    void *lov;
    size_t len;
    int rc = sim_store_get(&r->conf, fd, &lov, &len);

    if (rc)
        return rc;
    if (len)
        assert_int_equal(*(unsigned char *)lov, first);
    free(lov);
    return (long)len;
}

static void test_lengths(void **state)
{
    static const size_t lengths[] = {0,    1,     32,    3000,
                                     4096, 20000, 48048, SIM_LOV_MAX};
    struct root *r = *state;
    unsigned char lov[SIM_LOV_MAX];
    int fd = root_file(r, "f");

    assert_int_equal(get(r, fd, 0), -ENODATA);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memset(lov, (int)i + 1, sizeof(lov));
        assert_int_equal(sim_store_put(&r->conf, fd, lov, lengths[i]), 0);
        assert_int_equal(get(r, fd, i + 1), lengths[i]);
    }
    /* And short again: the long one must not come back. */
    assert_int_equal(sim_store_put(&r->conf, fd, lov, 8), 0);
    assert_int_equal(get(r, fd, lov[0]), 8);
    assert_int_equal(sim_store_put(&r->conf, fd, lov, SIM_LOV_MAX + 1), -E2BIG);
    sim_store_drop(&r->conf, fd);
    assert_int_equal(get(r, fd, 0), -ENODATA);
    close(fd);
}

static void test_rename(void **state)
{
    struct root *r = *state;
    char a[PATH_MAX], b[PATH_MAX];
    unsigned char lov[SIM_LOV_MAX];
    int fd = root_file(r, "a");

    memset(lov, 7, sizeof(lov));
    assert_int_equal(sim_store_put(&r->conf, fd, lov, sizeof(lov)), 0);
    close(fd);
    root_path(r, "a", a);
    root_path(r, "b", b);
    assert_int_equal(rename(a, b), 0);
    fd = open(b, O_PATH);
    assert_int_equal(get(r, fd, 7), sizeof(lov));
    close(fd);
}

/* A record of another file (cp -a), or of another root. */
static void test_foreign(void **state)
{
    struct root *r = *state, other;
    char rec[4096];
    int a = root_file(r, "a"), b = root_file(r, "b");
    ssize_t n;

    assert_int_equal(sim_store_put(&r->conf, a, "12345678", 8), 0);
    n = fgetxattr(a, SIM_STORE_XATTR, rec, sizeof(rec));
    if (n < 0)
        skip(); /* no user xattrs here */
    assert_int_equal(fsetxattr(b, SIM_STORE_XATTR, rec, n, 0), 0);
    assert_int_equal(get(r, b, 0), -ENODATA);
    root_make(&other, 4);
    assert_int_equal(get(&other, a, 0), -ENODATA);
    root_remove(&other);
    close(a);
    close(b);
}

/* Any damage to a record means no record, and no crash. */
static void test_damaged(void **state)
{
    struct root *r = *state;
    char rec[4096], bad[4096];
    int fd = root_file(r, "f");
    ssize_t n;

    assert_int_equal(sim_store_put(&r->conf, fd, "12345678", 8), 0);
    n = fgetxattr(fd, SIM_STORE_XATTR, rec, sizeof(rec));
    if (n < 0)
        skip();
    for (ssize_t len = 0; len < n; len++) {
        assert_int_equal(fsetxattr(fd, SIM_STORE_XATTR, rec, len, 0), 0);
        assert_int_equal(get(r, fd, 0), -ENODATA);
    }
    for (ssize_t i = 0; i < n - 8; i++) {
        memcpy(bad, rec, n);
        bad[i] ^= 0x41;
        assert_int_equal(fsetxattr(fd, SIM_STORE_XATTR, bad, n, 0), 0);
        assert_int_equal(get(r, fd, 0), -ENODATA);
    }
    close(fd);
}

static void test_reused(void **state)
{
    struct root *r = *state;
    unsigned char lov[SIM_LOV_MAX] = {9};
    char path[PATH_MAX];
    int fd = root_file(r, "f");

    assert_int_equal(sim_store_put(&r->conf, fd, lov, sizeof(lov)), 0);
    close(fd);
    root_path(r, "f", path);
    for (int i = 0; i < 50; i++) { /* the number may well come again */
        unlink(path);
        fd = root_file(r, "f");
        assert_int_equal(get(r, fd, 0), -ENODATA);
        close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lengths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rename, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reused, setup, teardown),
    };

    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
