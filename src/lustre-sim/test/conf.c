/* conf.c - unit test: what mkfs wrote is read again, nonsense is refused */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "root.h"

#include <errno.h>

static void test_again(void **state)
{
    struct sim_conf c;
    struct root r;

    (void)state;
    root_make(&r, 6);
    assert_int_equal(sim_conf_load(&c, r.dir, NULL), 0);
    assert_int_equal(c.osts, 6);
    assert_int_equal(c.fsid, r.conf.fsid);
    assert_int_equal(c.stripe_size, 4 << 20);
    assert_int_equal(c.npools, 1);
    assert_non_null(sim_conf_pool(&c, "fix"));
    assert_null(sim_conf_pool(&c, "fi"));
    assert_int_equal(sim_conf_pool(&c, "fix")->count, 2);
    assert_int_equal(sim_conf_create(&c, r.dir, NULL), -EEXIST);
    sim_conf_clear(&c);
    root_remove(&r);
}

static void test_pools(void **state)
{
    static const char *const bad[] = {"",      ":",
                                      "a",     "a:",
                                      "a:4",   "a:-1",
                                      "a:1-",  "a:2-1",
                                      "a:1,",  "a:1 2",
                                      "a:x",   "a:99999999999999999999",
                                      "b:0",   "0123456789abcdef:0",
                                      "a:1,,2"};
    struct sim_conf c;

    (void)state;
    sim_conf_init(&c);
    assert_int_equal(sim_conf_add_pool(&c, "b: 0-3", NULL), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (sim_conf_add_pool(&c, bad[i], NULL) != -EINVAL)
            fail_msg("accepted: %s", bad[i]);
    assert_int_equal(sim_conf_add_pool(&c, "c = 3,1,1-2", NULL), 0);
    assert_int_equal(c.pools[1].count, 3);
    assert_int_equal(c.pools[1].osts[0], 1);
    sim_conf_clear(&c);
}

static void rewrite(const struct root *r, const char *text)
{
    char path[PATH_MAX];
    FILE *f;

    root_path(r, ".lustre-sim/config", path);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_damaged(void **state)
{
    static const char *const texts[] = {
        "osts=0\n",    "osts=1025\n",      "stripe_size=1000\n",
        "version=2\n", "stripe_count=0\n", "osts=4\npool=a:9\n",
        "pool=\n"};
    struct sim_conf c;
    struct root r;

    (void)state;
    root_make(&r, 4);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        rewrite(&r, texts[i]);
        if (sim_conf_load(&c, r.dir, NULL) != -EINVAL)
            fail_msg("accepted: %s", texts[i]);
    }
    rewrite(&r, "osts=3\nfuture=1\n");
    assert_int_equal(sim_conf_load(&c, r.dir, NULL), 0);
    sim_conf_clear(&c);
    root_remove(&r);
}

static void test_find(void **state)
{
    char path[PATH_MAX], found[PATH_MAX];
    struct root r;

    (void)state;
    root_make(&r, 4);
    root_path(&r, "a", path);
    assert_int_equal(mkdir(path, 0755), 0);
    root_path(&r, "a/b", path);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(sim_conf_find_root(path, found), 0);
    assert_string_equal(found, r.conf.root);
    assert_int_equal(sim_conf_find_root("/", found), -ENOTTY);
    root_path(&r, "nosuch", path);
    assert_int_equal(sim_conf_find_root(path, found), -ENOENT);
    root_remove(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again), cmocka_unit_test(test_pools),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_find)};

    return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
