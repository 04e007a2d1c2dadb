/* played.h - a server's log, written line by line by a test
 *
 * Every line is a millisecond after the last one, from second 1000 on, unless
 * the test moves the clock. Clients are client1, client2, ... at 10.0.0.N@tcp;
 * client N runs job.(N % 2). OST N has the object [0x1:0x(7+N):0x0].
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_TEST_PLAYED_H
#define LP_TEST_PLAYED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../finding.h"
#include "../tables.h"

struct played {
    struct lp_study *study;
    struct lp_tracelog *log;
    struct lp_tracelog_stats stats;
    struct lp_view *view;
    int64_t us; /* since second 1000 */
    int xid;
};

static inline int played_setup(void **state)
{
    struct played *w = calloc(1, sizeof(*w));
    struct lp_study_options opt = {.bins = 64, .pair_series = 8, .quiet = 1};

    w->study = lp_study_create(&opt);
    w->log = lp_tracelog_begin(w->study->traffic, "oss", &opt.log);
    *state = w;
    return w->study && w->log ? 0 : -1;
}

static inline int played_teardown(void **state)
{
    struct played *w = *state;

    lp_view_destroy(w->view);
    if (w->log)
        lp_tracelog_end(w->log, &w->stats);
    lp_study_destroy(w->study);
    free(w);
    return 0;
}

#define PLAYED_TEST(f) \
    cmocka_unit_test_setup_teardown(f, played_setup, played_teardown)

/* A line of a thread. */
__attribute__((format(printf, 3, 4))) static inline void
played_line(struct played *w, int thread, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    int n;

    w->us += 1000;
    n = snprintf(text, sizeof(text), "00000100:00100000:0.0:%d.%06d:0:%d:0:",
                 (int)(1000 + w->us / 1000000), (int)(w->us % 1000000), thread);
    va_start(args, fmt);
    vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, args);
    va_end(args);
    lp_tracelog_line(w->log, text, strlen(text), 0);
}

static inline void played_handling(struct played *w, int thread,
                                   const char *service, int client, int xid,
                                   int opc)
{
    played_line(w, thread,
                "(service.c:1:ptlrpc_server_handle_request()) Handling RPC "
                "req@0 pname:cluuid+ref:pid:xid:nid:opc:job %s:client%d+5:1:"
                "x%d:12345-10.0.0.%d@tcp:%d:job.%d",
                service, client, 16 * xid, client, opc, client % 2);
}

static inline void played_handled(struct played *w, int thread, int client,
                                  int xid, int us)
{
    played_line(w, thread,
                "(service.c:1:ptlrpc_server_handle_request()) Handled RPC "
                "req@0 pname:cluuid+ref:pid:xid:nid:opc:job ll:client%d+5:1:"
                "x%d:12345-10.0.0.%d@tcp:4:job.%d Request processed in %dus "
                "(%dus total)",
                client, 16 * xid, client, client % 2, us, 2 * us);
}

/* client: as the line names its sender, LOV_OSC_UUID for an OST. */
static inline void played_received(struct played *w, int thread,
                                   const char *sender, int to, int opc)
{
    played_line(w, thread,
                "(service.c:1:ptlrpc_server_handle_request()) Handling RPC "
                "req@0 pname:cluuid+ref:pid:xid:nid:opc:job ldlm_cb00_000:"
                "%s+5:1:x%d:12345-10.0.0.%d@tcp:%d:",
                sender, 16 * ++w->xid, to, opc);
}

static inline void played_extent(struct played *w, int thread, int ost, int xid,
                                 int64_t start, int64_t end)
{
    played_line(w, thread,
                "(ofd_dev.c:1:ofd_rw_hpreq_check()) @@@ lustre-OST%04x ll: "
                "refresh rw locks for [0x1:0x%x:0x0] (%lld->%lld)  req@0 "
                "x%d/t0(0) o4->c@n",
                ost, 7 + ost, (long long)start, (long long)end - 1, 16 * xid);
}

static inline void played_bulk(struct played *w, int thread, int bytes)
{
    played_line(w, thread,
                "(niobuf.c:1:ptlrpc_start_bulk_transfer()) Transferring 1 "
                "pages %d bytes via portal 8 id x mbits 0-0",
                bytes);
}

enum { READ = 3, WRITE = 4 };

/* A read or write of an OST, two lines. */
static inline void played_io(struct played *w, int opc, int client, int ost,
                             int64_t start, int64_t bytes)
{
    w->xid++;
    played_extent(w, 100 + client, ost, w->xid, start, start + bytes);
    played_handling(w, 100 + client, "ll_ost_io00_000", client, w->xid, opc);
}

/* A lock request; what follows of its thread are its callbacks. */
static inline void played_enqueue(struct played *w, int client)
{
    w->xid++;
    played_handling(w, 200 + client, "ll_ost00_000", client, w->xid, 101);
}

static inline void played_cancel(struct played *w, int client)
{
    w->xid++;
    played_handling(w, 300 + client, "ldlm_cn00_000", client, w->xid, 103);
}

/* The server says what the callback is about, then sends it. ns: "filter" or
 * "mdt"; target: lustre-OST0000 or the like. */
static inline void played_callback(struct played *w, int asker, int holder,
                                   const char *ns, const char *target)
{
    played_line(w, 200 + asker,
                "(ldlm_lockd.c:793:ldlm_server_blocking_ast()) ### server "
                "preparing blocking AST ns: %s-%s_UUID lock: "
                "0000000011111111/0x2 lrc: 3/0,0 mode: PW/PW res: "
                "[0x1:0x7:0x0].0x0 rrc: 4 type: EXT [0->18446744073709551615] "
                "flags: 0x60000000020020 nid: 10.0.0.%d@tcp remote: 0x1",
                ns, target, holder);
    played_line(w, 200 + asker,
                "(client.c:1913:ptlrpc_send_new_req()) Sending RPC req@0 "
                "pname:cluuid:pid:xid:nid:opc:job ll_ost00_000:%s_UUID:1:99:"
                "10.0.0.%d@tcp:104:",
                target, holder);
}

/* The log ends: everything is settled, and there is a view. */
static inline struct lp_view *played_end(struct played *w)
{
    lp_tracelog_end(w->log, &w->stats);
    w->log = NULL;
    lp_traffic_finish(w->study->traffic);
    w->view = lp_view_create(w->study);
    assert_non_null(w->view);
    return w->view;
}

/* A table of the view as CSV, in a static buffer. */
static inline const char *played_table(const struct lp_table_kind *kinds,
                                       const struct lp_view *v,
                                       const char *name)
{
    static char text[16384];
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    text[0] = '\0';
    for (const struct lp_table_kind *k = kinds; k->name; k++) {
        struct lp_table *t;

        if (strcmp(k->name, name) != 0)
            continue;
        t = lp_table_create(k->name, k->title);
        assert_non_null(t);
        k->make(v, t);
        lp_table_write(t, LP_AS_CSV, &sb);
        assert_in_range(sb.len, 1, sizeof(text) - 1);
        strcpy(text, adl_strbuf_text(&sb));
        adl_strbuf_release(&sb);
        lp_table_destroy(t);
    }
    return text;
}

/* How often a text holds another one. */
static inline unsigned played_count(const char *text, const char *part)
{
    unsigned n = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL;
         at += strlen(part))
        n++;
    return n;
}

#endif
