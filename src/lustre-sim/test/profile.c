/* profile.c - the time model's numbers from a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include <errno.h>

static int load(const char *text, struct lsim_profile *p, char *err, size_t len)
{
    char path[] = "/tmp/lsim-profile.XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    int rc;

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    rc = lsim_profile_load(path, p, err, len);
    unlink(path);
    return rc;
}

static void test_builtin(void **state)
{
    struct lsim_profile p;
    char err[160];

    (void)state;
    assert_int_equal(lsim_profile_load("none", &p, err, sizeof err), 0);
    assert_false(p.timed);
    assert_int_equal(p.rpc_size, 4 * MIB);
    assert_int_equal(lsim_profile_load("disk", &p, err, sizeof err), 0);
    assert_true(p.timed && p.seek_us);
    assert_int_equal(lsim_profile_load("flash", &p, err, sizeof err), 0);
    assert_true(p.timed && !p.seek_us);
    assert_int_equal(lsim_profile_load("/nonexistent", &p, err, sizeof err),
                     -ENOENT);
}

static void test_file(void **state)
{
    struct lsim_profile p;
    char err[160];

    (void)state;
    assert_int_equal(load("# mine\nbase disk\nbandwidth 1G # fast\n\n"
                          "rpc_size=1M\n",
                          &p, err, sizeof err),
                     0);
    assert_true(p.timed);
    assert_int_equal(p.bandwidth, 1024 * MIB);
    assert_int_equal(p.rpc_size, MIB);
    assert_int_equal(p.seek_us, 8000);
    assert_int_equal(load("rpc_size 1M", &p, err, sizeof err), 0);
    assert_false(p.timed);
}

static void test_errors(void **state)
{
    static const char *const bad[] = {
        "bandwidth",
        "bandwidth 1 2",
        "bandwidth fast",
        "bandwidth 0",
        "bandwidth -1",
        "rpc_size 1T",
        "rpc_size 99999999999999999999",
        "speed 5",
        "base tape",
        "lock_us 5",
        "rpc_size 0",
        "rpcs_in_flight 65",
        "bandwidth 1\nlru 0",
        "name x",
    };
    struct lsim_profile p;
    char err[160];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err[0] = '\0';
        if (load(bad[i], &p, err, sizeof err) != -EINVAL || !err[0])
            fail_msg("%s accepted", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_errors),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
