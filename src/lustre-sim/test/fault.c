/* fault.c - unit test: errors on demand */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../fault.h"

static void test_refused(void **state)
{
    static const char *const specs[] = {
        "write",
        "write:",
        "write:errno=ENOSUCH",
        "write:errno=0",
        "write:errno=-5",
        "write:errno=99999999999999999999",
        "write:n=0:errno=EIO",
        "write:n=x:errno=EIO",
        "write:short=0",
        "write:short=-1",
        "open:short=1",
        "fsync:short=1",
        "write:client=-1:errno=EIO",
        "nocall:errno=EIO",
        "errno=EIO",
        "ost=1",
        "ost=1:errno=EIO",
        "ost=1:slow=0",
        "ost=x:full",
        "full",
        "write:full",
        "write:errno=EIO:nosuch=1",
        "write:delay=0",
        "write:delay=-1",
        "ost=1:delay=5",
        "write:errno=EIO;;read",
        "write:errno=EIO:file="
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };
    struct sim_faults *f;
    struct adl_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        err.text[0] = '\0';
        if (sim_faults_parse(specs[i], &f, &err) != -EINVAL)
            fail_msg("accepted: %s", specs[i]);
        assert_true(err.text[0] != '\0');
    }
}

static void test_known_osts(void **state)
{
    static const struct {
        const char *spec;
        int want;
    } cases[] = {
        {"ost=3:full", 0},       {"write:ost=3:eintr", 0},
        {"read:eintr", 0},       {"", 0},
        {"ost=4:full", -EINVAL}, {"read:eintr;write:ost=4:eintr", -EINVAL}};
    struct sim_faults *f;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(sim_faults_parse(cases[i].spec, &f, NULL), 0);
        assert_int_equal(sim_faults_check(f, 4, NULL), cases[i].want);
        sim_faults_destroy(f);
    }
}

static void test_none(void **state)
{
    struct sim_fault_call c = {.call = SIM_CALL_WRITE, .path = "f"};
    struct sim_faults *f;
    size_t limit = 10;

    (void)state;
    assert_int_equal(sim_faults_parse(NULL, &f, NULL), 0);
    assert_false(sim_faults_any(f));
    sim_faults_destroy(f);
    assert_int_equal(sim_faults_parse("", &f, NULL), 0);
    assert_int_equal(sim_faults_call(f, &c, &limit), 0);
    assert_int_equal(limit, 10);
    sim_faults_destroy(f);
    assert_false(sim_faults_any(NULL));
    assert_int_equal(sim_faults_call(NULL, &c, &limit), 0);
    assert_int_equal(sim_faults_slow(NULL, 0), 1);
}

/* What happens to call number 1, 2, ... of a kind on client 2 and OSTs 0, 1,
 * file "out/a": an errno a call; 0 passes. */
static void test_calls(void **state)
{
    static const struct {
        const char *spec;
        enum sim_call call;
        int want[5];
    } cases[] = {
        {"write:errno=EIO", SIM_CALL_WRITE, {EIO, EIO, EIO, EIO, EIO}},
        {"write:errno=EIO", SIM_CALL_READ, {0}},
        {"any:errno=EIO:n=2", SIM_CALL_FSYNC, {0, EIO, 0, 0, 0}},
        {"read:n=2:count=2:eintr", SIM_CALL_READ, {0, EINTR, EINTR, 0, 0}},
        {"write:count=2:errno=28", SIM_CALL_WRITE, {ENOSPC, ENOSPC, 0, 0, 0}},
        {"write:errno=EIO:client=2:n=1", SIM_CALL_WRITE, {EIO, 0, 0, 0, 0}},
        {"write:errno=EIO:client=1", SIM_CALL_WRITE, {0}},
        {"write:errno=EIO:ost=1:n=1", SIM_CALL_WRITE, {EIO, 0, 0, 0, 0}},
        {"write:errno=EIO:ost=2", SIM_CALL_WRITE, {0}},
        {"write:errno=EIO:file=out/*:n=3", SIM_CALL_WRITE, {0, 0, EIO, 0, 0}},
        {"write:errno=EIO:file=*.h5", SIM_CALL_WRITE, {0}},
        {"read:errno=EIO;write:n=1:errno=EROFS",
         SIM_CALL_WRITE,
         {EROFS, 0, 0, 0, 0}},
        {"open:errno=EACCES:n=1", SIM_CALL_OPEN, {EACCES, 0, 0, 0, 0}},
        {"ioctl:errno=ENOTTY:n=5", SIM_CALL_IOCTL, {0, 0, 0, 0, ENOTTY}},
        {"xattr:errno=EIO:n=1", SIM_CALL_XATTR, {EIO, 0, 0, 0, 0}},
        {"truncate:errno=EDQUOT:n=2", SIM_CALL_TRUNCATE, {0, EDQUOT, 0, 0, 0}},
        {"fallocate:errno=ENOSPC", SIM_CALL_OPEN, {0}},
        {"close:errno=EIO:n=3", SIM_CALL_CLOSE, {0, 0, EIO, 0, 0}},
        {"write:delay=1:n=1", SIM_CALL_WRITE, {0}},
        {"any:errno=EIO:n=1", SIM_CALL_CLOSE, {EIO, 0, 0, 0, 0}},
    };
    static const uint32_t osts[] = {0, 1};
    struct sim_fault_call c = {
        .client = 2, .path = "out/a", .osts = osts, .nosts = 2};
    struct sim_faults *f;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(sim_faults_parse(cases[i].spec, &f, NULL), 0);
        c.call = cases[i].call;
        for (int k = 0; k < 5; k++) {
            size_t limit = 4096;

            assert_int_equal(sim_faults_call(f, &c, &limit), -cases[i].want[k]);
            assert_int_equal(limit, 4096);
        }
        sim_faults_destroy(f);
    }
}

static void test_short(void **state)
{
    struct sim_fault_call c = {.call = SIM_CALL_READ, .path = "f"};
    struct sim_faults *f;
    size_t limit = 1 << 20;

    (void)state;
    assert_int_equal(sim_faults_parse("any:short=4K:n=2", &f, NULL), 0);
    assert_int_equal(sim_faults_call(f, &c, &limit), 0);
    assert_int_equal(limit, 1 << 20);
    assert_int_equal(sim_faults_call(f, &c, &limit), 0);
    assert_int_equal(limit, 4096);
    assert_int_equal(sim_faults_call(f, &c, NULL), 0);
    assert_int_equal(sim_faults_seen(f), 3);
    sim_faults_destroy(f);
    assert_int_equal(sim_faults_seen(NULL), 0);
}

static void test_osts(void **state)
{
    struct sim_faults *f;

    (void)state;
    assert_int_equal(
        sim_faults_parse("ost=1:full;ost=2:dead;ost=3:slow=10", &f, NULL), 0);
    assert_int_equal(sim_faults_ost(f, SIM_CALL_WRITE, 0), 0);
    assert_int_equal(sim_faults_ost(f, SIM_CALL_WRITE, 1), -ENOSPC);
    assert_int_equal(sim_faults_ost(f, SIM_CALL_READ, 1), 0);
    assert_int_equal(sim_faults_ost(f, SIM_CALL_WRITE, 2), -EIO);
    assert_int_equal(sim_faults_ost(f, SIM_CALL_READ, 2), -EIO);
    assert_int_equal(sim_faults_ost(f, SIM_CALL_WRITE, 3), 0);
    assert_int_equal(sim_faults_slow(f, 3), 10);
    assert_int_equal(sim_faults_slow(f, 1), 1);
    sim_faults_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_known_osts),
        cmocka_unit_test(test_none),    cmocka_unit_test(test_calls),
        cmocka_unit_test(test_short),   cmocka_unit_test(test_osts),
    };

    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
