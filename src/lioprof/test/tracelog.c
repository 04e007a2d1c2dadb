/* tracelog.c - test of tracelog, traffic and view: lines to totals
 *
 * A small log whose every number is known: two clients, two OSTs, with what a
 * server says around requests, in the order in which threads interleave.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../finding.h"
#include "../tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct world {
    struct lp_study *study;
    struct lp_tracelog *log;
    struct lp_tracelog_stats stats;
    int us;
};

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct lp_study_options opt = {.bins = 64, .pair_series = 8, .quiet = 1};

    w->study = lp_study_create(&opt);
    w->log = lp_tracelog_begin(w->study->traffic, "oss", &opt.log);
    *state = w;
    return w->study && w->log ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *w = *state;

    if (w->log)
        lp_tracelog_end(w->log, &w->stats);
    lp_study_destroy(w->study);
    free(w);
    return 0;
}

/* A line of a thread, a millisecond after the last one. */
__attribute__((format(printf, 3, 4))) static void
line(struct world *w, int thread, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    int n = snprintf(text, sizeof(text),
                     "00000100:00100000:0.0:1000.%06d:0:%d:0:", w->us += 1000,
                     thread);

    va_start(args, fmt);
    vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, args);
    va_end(args);
    lp_tracelog_line(w->log, text, strlen(text), 0);
}

static void handling(struct world *w, int thread, const char *service,
                     int client, int xid, int opc)
{
    line(w, thread,
         "(service.c:1:ptlrpc_server_handle_request()) Handling RPC req@0 "
         "pname:cluuid+ref:pid:xid:nid:opc:job %s:client%d+5:1:x%d:12345-"
         "10.0.0.%d@tcp:%d:job.%d",
         service, client, 16 * xid, client, opc, client % 2);
}

static void extent(struct world *w, int thread, int ost, int xid, int start,
                   int end)
{
    line(w, thread,
         "(ofd_dev.c:1:ofd_rw_hpreq_check()) @@@ lustre-OST%04x ll: refresh rw "
         "locks for [0x1:0x%x:0x0] (%d->%d)  req@0 x%d/t0(0) o4->c@n",
         ost, 7 + ost, start, end - 1, 16 * xid);
}

static void bulk(struct world *w, int thread, int bytes)
{
    line(w, thread,
         "(niobuf.c:1:ptlrpc_start_bulk_transfer()) Transferring 1 pages %d "
         "bytes via portal 8 id x mbits 0-0",
         bytes);
}

static void finish(struct world *w)
{
    lp_tracelog_end(w->log, &w->stats);
    w->log = NULL;
    lp_traffic_finish(w->study->traffic);
}

static void test_totals(void **state)
{
    struct world *w = *state;
    struct lp_traffic *t = w->study->traffic;
    const struct lp_counts *all = &t->all.counts;
    struct lp_view *v;

    handling(w, 1, "ll_ost00_000", 1, 1, 101);
    extent(w, 2, 0, 2, 0, 65536);
    handling(w, 2, "ll_ost_io00_000", 1, 2, 4);
    extent(w, 3, 1, 3, 4096, 8192);
    handling(w, 3, "ll_ost_io00_001", 2, 3, 3);
    bulk(w, 2, 60000); /* less than the extent: it has a hole */
    line(w, 2,
         "(service.c:1:ptlrpc_server_handle_request()) Handled RPC req@0 "
         "pname:cluuid+ref:pid:xid:nid:opc:job ll:client1+5:1:x32:12345-"
         "10.0.0.1@tcp:4:job.1 Request processed in 500us (900us total)");
    extent(w, 2, 0, 4, 65536, 131072);
    handling(w, 2, "ll_ost_io00_000", 1, 4, 4); /* goes on: no seek */
    handling(w, 4, "mdt00_000", 2, 5, 101);
    finish(w);
    assert_int_equal(w->stats.lines, 10);
    assert_int_equal(w->stats.handling, 5);
    assert_int_equal(all->op[LP_ENQUEUE], 1);
    assert_int_equal(all->op[LP_META], 1);
    assert_int_equal(all->op[LP_WRITE], 2);
    assert_int_equal(all->op[LP_READ], 1);
    assert_int_equal(all->bytes[1], 60000 + 65536);
    assert_int_equal(all->bytes[0], 4096);
    assert_int_equal(all->small[0], 1);
    assert_int_equal(all->small[1], 1);
    assert_int_equal(all->placed, 3);
    assert_int_equal(all->seeks, 2);
    assert_int_equal(all->served, 1);
    assert_int_equal(all->service_us, 500);
    assert_int_equal(t->all.sizes.class[0][0], 1);
    assert_int_equal(t->all.sizes.class[1][4], 2);
    v = lp_view_create(w->study);
    assert_int_equal(v->osts, 2);
    assert_int_equal(v->targets, 3); /* and the host, for the lock request */
    assert_string_equal(lp_view_target(v, 1), "OST0001");
    assert_string_equal(lp_view_target(v, 2), "oss (OST not named)");
    assert_int_equal(v->clients, 2);
    assert_string_equal(v->client[1].name, "10.0.0.2@tcp");
    assert_int_equal(lp_view_users(v, 0, 1), 1);
    assert_int_equal(lp_view_pair(v, 0, 0)->counts.bytes[1], 125536);
    assert_null(lp_view_pair(v, 1, 0));
    assert_int_equal(
        t->jobs.list[lp_names_find(t->jobs.names, "job.0", 5)].counts.bytes[0],
        4096);
    lp_view_destroy(v);
}

/* One OST named: the host is that OST. */
static void test_merge(void **state)
{
    struct world *w = *state;
    struct lp_view *v;

    for (int i = 0; i < 3; i++)
        handling(w, 1, "ll_ost00_000", 1, 10 + i, 101);
    extent(w, 2, 3, 2, 0, 100);
    handling(w, 2, "ll_ost_io00_000", 1, 2, 3);
    finish(w);
    v = lp_view_create(w->study);
    assert_int_equal(v->targets, 1);
    assert_string_equal(lp_view_target(v, 0), "OST0003");
    assert_int_equal(lp_view_counts(v, 0)->counts.op[LP_ENQUEUE], 3);
    assert_int_equal(lp_view_pair(v, 0, 0)->counts.op[LP_ENQUEUE], 3);
    assert_int_equal(lp_series_at(lp_view_counts(v, 0)->series, 0, LP_ENQUEUE),
                     1);
    lp_view_destroy(v);
}

static void callback(struct world *w, int thread, int holder)
{
    line(w, thread,
         "(ldlm_lockd.c:1:ldlm_server_blocking_ast()) ### server preparing "
         "blocking AST ns: filter-lustre-OST0000_UUID res: [0x1:0x7:0x0].0x0 "
         "type: EXT nid: 10.0.0.%d@tcp remote: 0",
         holder);
    line(w, thread,
         "(client.c:1:ptlrpc_send_new_req()) Sending RPC req@0 "
         "pname:cluuid:pid:xid:nid:opc:job ll_ost00:lustre-OST0000_UUID:1:99:"
         "10.0.0.%d@tcp:104:",
         holder);
}

/* Servers' logs only: callbacks are those sent, and their senders are known. */
static void test_contention(void **state)
{
    struct world *w = *state;
    struct lp_traffic *t = w->study->traffic;
    struct lp_findings f;
    struct lp_view *v;

    handling(w, 1, "ll_ost00_000", 1, 1, 101);
    for (int i = 0; i < 20; i++) {
        int asker = 1 + i % 2;

        handling(w, asker, "ll_ost00_000", asker, 2 + i, 101);
        callback(w, asker, 3 - asker);
    }
    finish(w);
    /* the first is for a client that was not seen yet */
    assert_int_equal(t->all.counts.op[LP_BLOCKING], 20);
    assert_int_equal(t->contests, 2);
    assert_int_equal(t->contest[1].count, 19);
    assert_string_equal(lp_names_text(t->objects.names, t->contest[1].object),
                        "0x1:0x7:0x0");
    v = lp_view_create(w->study);
    lp_findings_make(v, &f);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.list[0].rule, "contention");
    assert_string_equal(
        f.list[0].text,
        "20 blocking lock callbacks, 95 % between two clients (10.0.0.1@tcp "
        "and 10.0.0.2@tcp on object 0x1:0x7:0x0).");
    lp_view_destroy(v);
}

static void raw(struct world *w, const char *text, int cut)
{
    lp_tracelog_line(w->log, text, strlen(text), cut);
}

static void test_bad_lines(void **state)
{
    struct world *w = *state;

    handling(w, 1, "ll_ost_io00_000", 1, 1, 3);
    raw(w, "nonsense", 0);
    line(w, 1, "(a.c:1:f()) Handling RPC");
    line(w, 1, "(service.c:1:x()) Handling RPC pname:cluuid+ref a:b+1:2");
    handling(w, 1, "ll_ost_io00_000", 1, 2, 3);
    raw(w, "00000100:00100000:0.0:0990.000000:0:1:0:(a.c:1:f()) x", 0);
    /* the year 2106: counted, but without a place in time */
    raw(w,
        "00000100:00100000:0.0:4294967295.000000:0:9:0:(s.c:1:"
        "f()) Handling RPC pname:cluuid+ref:pid:xid:nid:opc "
        "ll_ost_io:c+1:1:x1:12345-n@tcp:3",
        1);
    raw(w, "Debug log: 10 lines, 10 kept, 3 dropped, 0 bad.", 0);
    finish(w);
    assert_int_equal(w->stats.foreign, 1);
    assert_int_equal(w->stats.first_foreign, 2);
    assert_int_equal(w->stats.broken, 2);
    assert_int_equal(w->stats.first_broken, 3);
    assert_int_equal(w->stats.back, 1);
    assert_int_equal(w->stats.first_back, 6);
    assert_int_equal(w->stats.cut, 1);
    assert_int_equal(w->stats.dropped, 3);
    assert_int_equal(w->study->traffic->all.counts.op[LP_READ], 3);
    assert_int_equal(w->study->traffic->undated, 1);
    assert_in_range(lp_timeline_width(w->study->traffic->time), 1, 100000);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_totals),
        T(test_merge),
        T(test_contention),
        T(test_bad_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
