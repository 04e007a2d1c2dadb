/* findings.c - test of finding: each rule where it speaks, and where it is
 * silent
 *
 * A rule has a threshold; each test plays one log just past it and one just
 * below.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "played.h"

#define MIB 1048576
#define KIB 1024

/* The finding of a rule, or NULL. */
static const struct lp_finding *found(const struct lp_findings *f,
                                      const char *rule)
{
    for (unsigned i = 0; i < f->count; i++)
        if (strcmp(f->list[i].rule, rule) == 0)
            return &f->list[i];
    return NULL;
}

static struct lp_findings findings_of(struct played *w)
{
    struct lp_findings f;

    lp_findings_make(played_end(w), &f);
    return f;
}

/* Nothing at all: nothing is found. */
static void test_empty(void **state)
{
    struct lp_findings f = findings_of(*state);

    assert_int_equal(f.count, 0);
}

/* One client an OST, large requests in order: nothing stands out. */
static void test_good(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    for (int i = 0; i < 8; i++)
        for (int ost = 0; ost < 4; ost++)
            played_io(w, READ, 1 + ost, ost, (int64_t)i * 4 * MIB, 4 * MIB);
    f = findings_of(w);
    assert_int_equal(f.count, 0);
}

/* clients read from osts, all from all but for the first `but` pairs. */
static void all_from_all(struct played *w, int opc, int clients, int osts,
                         int but)
{
    for (int c = 1; c <= clients; c++)
        for (int ost = 0; ost < osts; ost++)
            if (but-- <= 0)
                played_io(w, opc, c, ost, (int64_t)c * MIB, MIB);
}

static void test_all_read_all(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    all_from_all(w, READ, 4, 4, 0);
    f = findings_of(w);
    one = found(&f, "all_read_all");
    assert_non_null(one);
    assert_int_equal(one->grave, 1);
    assert_string_equal(one->text,
                        "Every client reads from every OST: 4 clients on each "
                        "of 4 OSTs; a Lustre-aware read would use 1 client an "
                        "OST.");
    assert_non_null(strstr(one->hint, "romio_cb_read=enable"));
    assert_null(found(&f, "all_write_all"));
}

static void test_nearly_all_write_all(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    all_from_all(w, WRITE, 4, 4, 2);
    f = findings_of(w);
    one = found(&f, "all_write_all");
    assert_non_null(one);
    assert_non_null(strstr(one->text, "Nearly every client writes to every "
                                      "OST: 4 clients on each of 4 OSTs"));
    assert_non_null(strstr(one->hint, "romio_cb_write=enable"));
}

/* Two of four clients on each of four OSTs: half of the pairs. */
static void test_not_all(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    for (int c = 1; c <= 4; c++)
        for (int ost = 0; ost < 4; ost++)
            if (c % 2 == ost % 2)
                played_io(w, READ, c, ost, 0, MIB);
    f = findings_of(w);
    assert_null(found(&f, "all_read_all"));
}

/* Small pieces beside the data of one client do not make users. */
static void test_small_beside_large(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    for (int ost = 0; ost < 4; ost++) {
        played_io(w, READ, 1 + ost, ost, 0, 64 * MIB);
        for (int c = 1; c <= 4; c++)
            if (c != 1 + ost)
                played_io(w, READ, c, ost, 0, 64 * KIB);
    }
    f = findings_of(w);
    assert_null(found(&f, "all_read_all"));
}

/* n callbacks between clients 1 and 2, beside `writes` writes. */
static void fight(struct played *w, int n, int writes)
{
    played_enqueue(w, 1);
    played_enqueue(w, 2);
    for (int i = 0; i < n; i++) {
        int asker = 1 + i % 2;

        played_enqueue(w, asker);
        played_callback(w, asker, 3 - asker, "filter", "lustre-OST0000");
    }
    for (int i = 0; i < writes; i++)
        played_io(w, WRITE, 1, 0, (int64_t)i * MIB, MIB);
}

static void test_contention(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    fight(w, 16, 32);
    f = findings_of(w);
    one = found(&f, "contention");
    assert_non_null(one);
    assert_string_equal(one->text,
                        "16 blocking lock callbacks, 100 % between two clients "
                        "(10.0.0.1@tcp and 10.0.0.2@tcp on object "
                        "0x1:0x7:0x0).");
}

static void test_contention_few(void **state)
{
    struct lp_findings f;

    fight(*state, 15, 32);
    f = findings_of(*state);
    assert_null(found(&f, "contention"));
}

/* A callback for more than 20 writes is no fight. */
static void test_contention_rare(void **state)
{
    struct lp_findings f;

    fight(*state, 16, 321);
    f = findings_of(*state);
    assert_null(found(&f, "contention"));
}

/* As a real server says it: the metadata server's callbacks are no contention
 * of data, however many they are. */
static void test_contention_of_metadata(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    played_enqueue(w, 1);
    played_enqueue(w, 2);
    for (int i = 0; i < 40; i++)
        played_callback(w, 1, 2, "mdt", "lustre-MDT0000");
    for (int i = 0; i < 5; i++)
        played_callback(w, 1, 2, "filter", "lustre-OST0001");
    f = findings_of(w);
    assert_null(found(&f, "contention"));
    assert_int_equal(w->study->traffic->all.counts.op[LP_BLOCKING], 5);
    assert_int_equal(w->study->traffic->all.counts.op[LP_META_BLOCKING], 40);
}

/* Many pairs of clients: no pair has half of them. */
static void test_contention_of_many(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    for (int c = 1; c <= 5; c++)
        played_enqueue(w, c);
    for (int i = 0; i < 20; i++) {
        int asker = 1 + i % 5;

        played_enqueue(w, asker);
        played_callback(w, asker, 1 + asker % 5, "filter", "lustre-OST0000");
    }
    f = findings_of(w);
    one = found(&f, "contention");
    assert_non_null(one);
    assert_string_equal(one->text,
                        "20 blocking lock callbacks for 0 reads and writes: "
                        "clients take extents away from each other.");
}

static void test_small(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    for (int i = 0; i < 16; i++)
        played_io(w, WRITE, 1, 0, (int64_t)i * 4096, 4096);
    for (int i = 0; i < 16; i++)
        played_io(w, WRITE, 1, 1, (int64_t)i * MIB, MIB);
    f = findings_of(w);
    one = found(&f, "small_writes");
    assert_non_null(one);
    assert_string_equal(
        one->text, "50 % of the writes move less than 64 KiB (16 requests).");
    assert_null(found(&f, "small_reads"));
    assert_null(found(&f, "shared_small_reads"));
}

/* 64 KiB is not small; 15 small ones are few. */
static void test_not_small(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    for (int i = 0; i < 40; i++)
        played_io(w, WRITE, 1, 0, (int64_t)i * 65536, 65536);
    for (int i = 0; i < 15; i++)
        played_io(w, READ, 1, 0, (int64_t)i * 4096, 4096);
    f = findings_of(w);
    assert_null(found(&f, "small_writes"));
    assert_null(found(&f, "small_reads"));
}

static void test_shared_small(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    for (int c = 1; c <= 3; c++)
        for (int i = 0; i < 6; i++)
            played_io(w, READ, c, 2, (int64_t)i * 2048, 2048);
    for (int i = 0; i < 64; i++)
        played_io(w, READ, 1, 0, (int64_t)i * MIB, MIB);
    f = findings_of(w);
    one = found(&f, "shared_small_reads");
    assert_non_null(one);
    assert_string_equal(one->text,
                        "3 clients send 18 small reads (below 64 KiB) to "
                        "OST0002, as for a file's metadata that each one "
                        "fetches for itself.");
    assert_null(found(&f, "small_reads")); /* less than 30 % */
}

static void test_hot_ost(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    played_io(w, WRITE, 1, 0, 0, 6 * MIB);
    played_io(w, WRITE, 2, 1, 0, 1 * MIB);
    played_io(w, WRITE, 3, 2, 0, 1 * MIB);
    f = findings_of(w);
    one = found(&f, "hot_ost");
    assert_non_null(one);
    assert_string_equal(one->text, "OST0000 got 75 % of the bytes; an even "
                                   "share of 3 OSTs is 33 %.");
    one = found(&f, "hot_client");
    assert_non_null(one);
    assert_string_equal(one->text, "Client 10.0.0.1@tcp moved 75 % of the "
                                   "bytes; there are 3 clients.");
}

static void test_warm_ost(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    played_io(w, WRITE, 1, 0, 0, 14 * MIB); /* 1.4 of an even share */
    played_io(w, WRITE, 2, 1, 0, 8 * MIB);
    played_io(w, WRITE, 3, 2, 0, 8 * MIB);
    f = findings_of(w);
    assert_null(found(&f, "hot_ost"));
    assert_null(found(&f, "hot_client"));
}

/* OSTs that the list of targets names and the log does not. */
static void test_idle(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;
    char name[32];

    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof(name), "lustre-OST%04x", i);
        lp_study_add_target(w->study, name);
    }
    played_io(w, WRITE, 1, 0, 0, MIB);
    played_io(w, WRITE, 1, 1, 0, MIB);
    f = findings_of(w);
    one = found(&f, "idle_ost");
    assert_non_null(one);
    assert_int_equal(one->grave, 0);
    assert_string_equal(
        one->text, "8 of 10 OSTs moved no data: OST0002, OST0003, OST0004, "
                   "OST0005, OST0006, OST0007, ...");
}

/* A metadata server that calls back is no idle OST. */
static void test_mdt_is_not_idle(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    played_enqueue(w, 1);
    played_enqueue(w, 2);
    played_callback(w, 1, 2, "mdt", "lustre-MDT0000");
    played_io(w, WRITE, 1, 0, 0, MIB);
    played_io(w, WRITE, 1, 1, 0, MIB);
    f = findings_of(w);
    assert_null(found(&f, "idle_ost"));
    assert_int_equal(w->view->osts, 2);
    assert_int_equal(w->view->mdts, 1);
}

static void test_seeks(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    for (int i = 0; i < 32; i++) /* each jumps back */
        played_io(w, READ, 1, 0, (int64_t)(100 - i) * 2 * MIB, MIB);
    f = findings_of(w);
    one = found(&f, "seeks");
    assert_non_null(one);
    assert_string_equal(one->text, "100 % of the requests (32) do not begin "
                                   "where the OST's last one ended.");
}

static void test_no_seeks(void **state)
{
    struct played *w = *state;
    struct lp_findings f;

    for (int i = 0; i < 64; i++)
        played_io(w, READ, 1, 0, (int64_t)i * MIB, MIB);
    f = findings_of(w);
    assert_null(found(&f, "seeks"));
    assert_int_equal(w->study->traffic->all.counts.seeks, 1);
}

/* A second of data in two minutes; 64 bins. */
static void bursts(struct played *w, int seconds, int each)
{
    for (int i = 0; i < seconds; i++) {
        w->us = (int64_t)i * 1000000;
        if (i % each == 0)
            played_io(w, WRITE, 1, 0, (int64_t)i * MIB, MIB);
        else
            played_cancel(w, 1);
    }
}

static void test_bursts(void **state)
{
    struct lp_findings f;

    bursts(*state, 120, 20);
    f = findings_of(*state);
    assert_non_null(found(&f, "bursts"));
}

static void test_steady(void **state)
{
    struct lp_findings f;

    bursts(*state, 120, 2);
    f = findings_of(*state);
    assert_null(found(&f, "bursts"));
}

/* In short logs no bursts are reported. */
static void test_short(void **state)
{
    struct lp_findings f;

    bursts(*state, 50, 20);
    f = findings_of(*state);
    assert_null(found(&f, "bursts"));
}

static void test_dropped(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    w->study->dropped = 3;
    played_io(w, READ, 1, 0, 0, MIB);
    f = findings_of(w);
    assert_int_equal(f.count, 1);
    one = found(&f, "dropped");
    assert_non_null(one);
    assert_string_equal(one->text, "The servers dropped log lines (3 times): "
                                   "all counts here are too low.");
}

static void test_unsized(void **state)
{
    struct played *w = *state;
    const struct lp_finding *one;
    struct lp_findings f;

    played_io(w, READ, 1, 0, 0, MIB);
    for (int i = 0; i < 3; i++)
        played_handling(w, 9, "ll_ost_io00_000", 1, 50 + i, READ);
    f = findings_of(w);
    one = found(&f, "unsized");
    assert_non_null(one);
    assert_string_equal(one->text,
                        "The logs have the size of 1 of 4 reads and writes; "
                        "requests are counted instead of bytes.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYED_TEST(test_empty),
        PLAYED_TEST(test_good),
        PLAYED_TEST(test_all_read_all),
        PLAYED_TEST(test_nearly_all_write_all),
        PLAYED_TEST(test_not_all),
        PLAYED_TEST(test_small_beside_large),
        PLAYED_TEST(test_contention),
        PLAYED_TEST(test_contention_few),
        PLAYED_TEST(test_contention_rare),
        PLAYED_TEST(test_contention_of_metadata),
        PLAYED_TEST(test_contention_of_many),
        PLAYED_TEST(test_small),
        PLAYED_TEST(test_not_small),
        PLAYED_TEST(test_shared_small),
        PLAYED_TEST(test_hot_ost),
        PLAYED_TEST(test_warm_ost),
        PLAYED_TEST(test_idle),
        PLAYED_TEST(test_mdt_is_not_idle),
        PLAYED_TEST(test_seeks),
        PLAYED_TEST(test_no_seeks),
        PLAYED_TEST(test_bursts),
        PLAYED_TEST(test_steady),
        PLAYED_TEST(test_short),
        PLAYED_TEST(test_dropped),
        PLAYED_TEST(test_unsized),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
