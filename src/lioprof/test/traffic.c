/* traffic.c - test of traffic: callbacks of both ends, merges, limits */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "played.h"

#define MIB 1048576

static const struct lp_counts *target_of(const struct lp_view *v,
                                         const char *name)
{
    for (unsigned i = 0; i < v->targets + v->mdts; i++)
        if (strcmp(lp_view_target(v, i), name) == 0)
            return &lp_view_counts(v, i)->counts;
    fail_msg("no target %s", name);
    return NULL;
}

/* OST 1 sends n callbacks, and n are received: the log of a machine that is
 * server and client, as the one of the second real Lustre was. */
static void both_ends(struct played *w, int sent, int received)
{
    played_enqueue(w, 1);
    played_enqueue(w, 2);
    for (int i = 0; i < sent; i++)
        played_callback(w, 1, 2, "filter",
                        i % 2 ? "lustre-OST0001" : "lustre-OST0000");
    for (int i = 0; i < received; i++)
        played_received(w, 7, "LOV_OSC_UUID", 2, 104);
}

/* As many sent as received: the senders have them, the host none. */
static void test_both_ends(void **state)
{
    const struct lp_view *v;

    both_ends(*state, 28, 28);
    v = played_end(*state);
    assert_int_equal(v->study->traffic->all.counts.op[LP_BLOCKING], 28);
    assert_int_equal(target_of(v, "OST0000")->op[LP_BLOCKING], 14);
    assert_int_equal(target_of(v, "OST0001")->op[LP_BLOCKING], 14);
    assert_int_equal(target_of(v, "oss (OST not named)")->op[LP_BLOCKING], 0);
}

/* The clients' logs are missing. */
static void test_sent_only(void **state)
{
    const struct lp_view *v;

    both_ends(*state, 6, 0);
    v = played_end(*state);
    assert_int_equal(v->study->traffic->all.counts.op[LP_BLOCKING], 6);
    assert_int_equal(target_of(v, "OST0001")->op[LP_BLOCKING], 3);
    assert_int_equal(v->study->traffic->clients.list[v->client[1].number]
                         .counts.op[LP_BLOCKING],
                     6);
}

/* A server's log is missing: what is not known to be sent by an OST stays with
 * the host, and nothing is counted twice. */
static void test_some_sent(void **state)
{
    const struct lp_view *v;

    both_ends(*state, 6, 10);
    v = played_end(*state);
    assert_int_equal(v->study->traffic->all.counts.op[LP_BLOCKING], 10);
    assert_int_equal(target_of(v, "OST0000")->op[LP_BLOCKING], 3);
    assert_int_equal(target_of(v, "OST0001")->op[LP_BLOCKING], 3);
    assert_int_equal(target_of(v, "oss (OST not named)")->op[LP_BLOCKING], 4);
}

static void test_received_only(void **state)
{
    const struct lp_view *v;

    both_ends(*state, 0, 5);
    v = played_end(*state);
    assert_int_equal(v->study->traffic->all.counts.op[LP_BLOCKING], 5);
    assert_int_equal(target_of(v, "oss")->op[LP_BLOCKING], 5);
}

/* The same of the metadata server, told by the client's own uuid. */
static void test_metadata(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    both_ends(w, 2, 2);
    for (int i = 0; i < 5; i++) {
        played_callback(w, 1, 2, "mdt", "lustre-MDT0000");
        played_received(w, 8, "client2", 2, 104);
    }
    v = played_end(w);
    assert_int_equal(v->study->traffic->all.counts.op[LP_BLOCKING], 2);
    assert_int_equal(v->study->traffic->all.counts.op[LP_META_BLOCKING], 5);
    assert_int_equal(v->mdts, 1);
    assert_int_equal(target_of(v, "MDT0000")->op[LP_META_BLOCKING], 5);
    assert_int_equal(v->osts, 2);
}

/* Received only: which metadata server it was is not known. */
static void test_metadata_received(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    played_enqueue(w, 2);
    for (int i = 0; i < 4; i++)
        played_received(w, 8, "client2", 2, 104);
    v = played_end(w);
    assert_int_equal(v->mdts, 1);
    assert_int_equal(target_of(v, "MDT")->op[LP_META_BLOCKING], 4);
    assert_int_equal(v->osts, 1); /* the host */
}

/* Completions and glimpses: those of OSTs count. */
static void test_other_callbacks(void **state)
{
    struct played *w = *state;
    const struct lp_counts *all = &w->study->traffic->all.counts;

    played_enqueue(w, 1);
    played_received(w, 7, "LOV_OSC_UUID", 1, 105);
    played_received(w, 7, "LOV_OSC_UUID", 1, 106);
    played_received(w, 7, "client1", 1, 105);
    played_end(w);
    assert_int_equal(all->op[LP_COMPLETION], 1);
    assert_int_equal(all->op[LP_GLIMPSE], 1);
    assert_int_equal(all->op[LP_OTHER], 1);
    assert_int_equal(all->op[LP_META_BLOCKING], 0);
}

/* The sender's line may not name the target; then the line before does. */
static void test_named_before(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    played_enqueue(w, 1);
    played_enqueue(w, 2);
    played_io(w, WRITE, 1, 0, 0, MIB);
    played_io(w, WRITE, 1, 1, 0, MIB);
    played_enqueue(w, 1);
    played_line(w, 201,
                "(ldlm_lockd.c:793:ldlm_server_blocking_ast()) ### server "
                "preparing blocking AST ns: filter-lustre-OST0001_UUID res: "
                "[0x1:0x8:0x0].0x0 type: EXT nid: 10.0.0.2@tcp remote: 0x1");
    played_line(w, 201,
                "(client.c:1913:ptlrpc_send_new_req()) Sending RPC req@0 "
                "pname:cluuid:pid:xid:nid:opc:job ll_ost00_000:ost_uuid:1:99:"
                "10.0.0.2@tcp:104:");
    v = played_end(w);
    assert_int_equal(target_of(v, "OST0001")->op[LP_BLOCKING], 1);
}

/* One OST in a log: what names no OST is that one's, in the tables too. */
static void test_merged(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    played_enqueue(w, 1);
    played_io(w, WRITE, 1, 5, 0, MIB);
    played_io(w, READ, 2, 5, 0, 4096);
    played_cancel(w, 2);
    v = played_end(w);
    assert_int_equal(v->targets, 1);
    assert_string_equal(lp_view_target(v, 0), "OST0005");
    assert_int_equal(lp_view_counts(v, 0)->counts.op[LP_ENQUEUE], 1);
    assert_int_equal(lp_view_counts(v, 0)->counts.op[LP_CANCEL], 1);
    assert_int_equal(lp_view_counts(v, 0)->counts.bytes[1], MIB);
    assert_int_equal(lp_view_counts(v, 0)->sizes.class[1][8], 1);
    assert_int_equal(lp_view_pair(v, 0, 0)->counts.op[LP_ENQUEUE], 1);
    assert_int_equal(lp_view_pair(v, 1, 0)->counts.op[LP_CANCEL], 1);
}

/* Sizes at the borders of their classes. */
static void test_size_classes(void **state)
{
    static const struct {
        int bytes;
        unsigned class;
        int tiny, half, mib;
    } cases[] = {{1, 0, 0, 0, 0},        {4095, 0, 0, 0, 0},
                 {4096, 0, 1, 0, 0},     {4097, 1, 1, 0, 0},
                 {16384, 2, 1, 0, 0},    {16385, 3, 0, 0, 0},
                 {507904, 7, 0, 0, 0},   {507905, 7, 0, 1, 0},
                 {524288, 7, 0, 1, 0},   {524289, 8, 0, 0, 0},
                 {1048576, 8, 0, 0, 1},  {1048577, 9, 0, 0, 0},
                 {1 << 26, 14, 0, 0, 0}, {(1 << 26) + 1, 15, 0, 0, 0},
                 {1 << 30, 15, 0, 0, 0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct played *w;
        const struct lp_sizes *s;

        if (i) {
            played_teardown(state);
            played_setup(state);
        }
        w = *state;
        played_io(w, WRITE, 1, 0, 0, cases[i].bytes);
        played_end(w);
        s = &w->study->traffic->all.sizes;
        assert_int_equal(s->class[1][cases[i].class], 1);
        assert_int_equal(s->tiny[1], cases[i].tiny);
        assert_int_equal(s->half_mib[1], cases[i].half);
        assert_int_equal(s->mib[1], cases[i].mib);
        assert_int_equal(s->class[0][cases[i].class], 0);
    }
}

/* A node that mounts twice has one nid and two clients. */
static void test_two_clients_of_a_nid(void **state)
{
    struct lp_traffic *t = ((struct played *)*state)->study->traffic;
    unsigned a = lp_traffic_client(t, "uuid-a", 6, "10.0.0.9@tcp", 12);
    unsigned b, c;

    assert_int_equal(lp_traffic_client_at(t, "10.0.0.9@tcp", 12), a);
    b = lp_traffic_client(t, "uuid-b", 6, "10.0.0.9@tcp", 12);
    assert_int_not_equal(a, b);
    assert_int_equal(lp_traffic_client_at(t, "10.0.0.9@tcp", 12), 0);
    c = lp_traffic_client(t, "uuid-c", 6, "10.0.0.8@tcp", 12);
    assert_int_equal(lp_traffic_client_at(t, "10.0.0.8@tcp", 12), c);
    assert_int_equal(lp_traffic_client_at(t, "10.0.0.7@tcp", 12), 0);
}

/* Contests: by pair, in either direction, and by object. */
static void test_contests(void **state)
{
    struct lp_traffic *t = ((struct played *)*state)->study->traffic;

    lp_traffic_contest(t, 1, 2, 5);
    lp_traffic_contest(t, 2, 1, 5);
    lp_traffic_contest(t, 1, 2, 6);
    lp_traffic_contest(t, 3, 3, 5);
    assert_int_equal(t->contests, 3);
    assert_int_equal(t->contest[0].count, 2);
    assert_int_equal(t->contest[0].one, 1);
    assert_int_equal(t->contest[0].other, 2);
    assert_int_equal(t->contest[1].object, 6);
    assert_int_equal(t->contest[2].count, 1);
}

static void test_counts_add(void **state)
{
    struct lp_counts a = {.bytes = {1, 2}, .slowest_us = 7, .seeks = 3};
    struct lp_counts b = {.bytes = {10, 20}, .slowest_us = 5, .seeks = 4};

    (void)state;
    b.op[LP_READ] = 9;
    lp_counts_add(&a, &b);
    assert_int_equal(a.bytes[0], 11);
    assert_int_equal(a.bytes[1], 22);
    assert_int_equal(a.seeks, 7);
    assert_int_equal(a.op[LP_READ], 9);
    assert_int_equal(a.slowest_us, 7); /* the slowest, not a sum */
}

/* Only the first pairs have a course over time; all are counted. */
static void test_pair_series(void **state)
{
    struct played *w = *state;
    const struct lp_traffic *t = w->study->traffic;

    for (int c = 1; c <= 12; c++)
        played_io(w, WRITE, c, 0, (int64_t)c * MIB, MIB);
    played_end(w);
    /* the host's pairs are merged into the OST's */
    assert_int_equal(t->pairs_with_series, 8);
    assert_int_equal(t->all.counts.op[LP_WRITE], 12);
    assert_int_equal(lp_view_users(w->view, 0, 1), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYED_TEST(test_both_ends),
        PLAYED_TEST(test_sent_only),
        PLAYED_TEST(test_some_sent),
        PLAYED_TEST(test_received_only),
        PLAYED_TEST(test_metadata),
        PLAYED_TEST(test_metadata_received),
        PLAYED_TEST(test_other_callbacks),
        PLAYED_TEST(test_named_before),
        PLAYED_TEST(test_merged),
        PLAYED_TEST(test_size_classes),
        PLAYED_TEST(test_two_clients_of_a_nid),
        PLAYED_TEST(test_contests),
        PLAYED_TEST(test_counts_add),
        PLAYED_TEST(test_pair_series),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
