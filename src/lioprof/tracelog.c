/* tracelog.c - one server's log, line by line, into the traffic */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "tracelog.h"

#include <stdlib.h>
#include <string.h>

#include "rpcline.h"

#define SECOND INT64_C(1000000)
/* A clock this far from the log's first line is broken, not a long log: its
 * requests count, but have no place in time. */
#define ABSURD (400 * 86400 * SECOND)

#define THREADS 4096 /* slots of requests in work, by thread */
#define EXTENTS 8192 /* slots of extents, by transaction */

/* A request in work. */
struct work {
    uint32_t thread;
    int busy;
    uint64_t xid;
    unsigned contested; /* object of the callback that is about to be sent */
    unsigned sender;    /* and the target that sends it; 0: not said */
    struct lp_request request;
};

struct extent {
    uint64_t xid; /* 0: empty */
    unsigned target, object;
    uint64_t start, end;
};

struct lp_tracelog {
    struct lp_traffic *traffic;
    struct lp_tracelog_options opt;
    struct lp_tracelog_stats stats;
    unsigned own;    /* the target of requests without one */
    unsigned target; /* the one the log named; 0: none yet */
    int several;     /* it named more than one */
    struct work work[THREADS];
    struct extent extent[EXTENTS];
};

struct lp_tracelog *lp_tracelog_begin(struct lp_traffic *traffic,
                                      const char *target,
                                      const struct lp_tracelog_options *opt)
{
    struct lp_tracelog *log = calloc(1, sizeof(*log));

    if (!log)
        return NULL;
    log->traffic = traffic;
    log->opt = *opt;
    log->own = lp_traffic_target(traffic, target, strlen(target));
    return log;
}

static struct work *work_of(struct lp_tracelog *log, uint32_t thread)
{
    return &log->work[(thread * 2654435761u) >> 20 & (THREADS - 1)];
}

static void finish_work(struct lp_tracelog *log, struct work *w)
{
    if (w->busy)
        lp_traffic_count(log->traffic, &w->request);
    w->busy = 0;
}

/* ---- which kind of request ---- */

static int starts_with(const struct lp_text *t, const char *front)
{
    size_t len = strlen(front);

    return t->len >= len && memcmp(t->at, front, len) == 0;
}

static int is_name(const struct lp_text *t, const char *wanted)
{
    return t->len == strlen(wanted) && starts_with(t, wanted);
}

static int names_mdt(const struct lp_text *t)
{
    return memmem(t->at, t->len, "-MDT", 4) != NULL;
}

static enum lp_op op_by_code(const struct lp_rpcline *l)
{
    switch (l->opc) {
    case 3:
        return LP_READ;
    case 4:
        return LP_WRITE;
    case 10:
        return LP_PUNCH;
    case 16:
        return LP_SYNC;
    case 101:
        return LP_ENQUEUE;
    case 103:
        return LP_CANCEL;
    case 104:
        return LP_BLOCKING;
    case 105:
        return LP_COMPLETION;
    case 106:
        return LP_GLIMPSE;
    default:
        return l->opc >= 33 && l->opc < 100 ? LP_META : LP_OTHER;
    }
}

static int is_callback(enum lp_op op)
{
    return op == LP_BLOCKING || op == LP_COMPLETION || op == LP_GLIMPSE ||
           op == LP_META_BLOCKING;
}

/* A callback of a metadata server: the others of its kind are of no interest
 * here. */
static enum lp_op op_of_metadata(enum lp_op op)
{
    if (op == LP_BLOCKING)
        return LP_META_BLOCKING;
    return is_callback(op) ? LP_OTHER : op;
}

/* A request that is handled. A client that is called back knows every OST as
 * LOV_OSC_UUID, and the metadata server by its own identifier. */
static enum lp_op op_of(const struct lp_rpcline *l)
{
    if (starts_with(&l->service, "mdt"))
        return LP_META;
    if (l->client.len == 0 || is_name(&l->client, "LOV_OSC_UUID") ||
        memmem(l->client.at, l->client.len, "-OST", 4))
        return op_by_code(l);
    return op_of_metadata(op_by_code(l));
}

/* A callback that is sent: by the target whose name stands where a client's
 * would. */
static enum lp_op op_of_sent(const struct lp_rpcline *l)
{
    return names_mdt(&l->client) ? op_of_metadata(op_by_code(l))
                                 : op_by_code(l);
}

/* ---- lines ---- */

static unsigned metadata_target(struct lp_tracelog *log, const char *name,
                                size_t len)
{
    unsigned target = lp_traffic_target(log->traffic, name, len);

    log->traffic->target[target].mdt = target != 0;
    return target;
}

/* A target the log names: an OST's name holds "-OST", an MDT's "-MDT". */
static unsigned named_target(struct lp_tracelog *log, const struct lp_text *t)
{
    unsigned target;

    if (names_mdt(t)) {
        target = metadata_target(log, t->at, t->len);
        log->traffic->target[target].named = 1;
        return target;
    }
    if (!memmem(t->at, t->len, "-OST", 4))
        return 0;
    target = lp_traffic_target(log->traffic, t->at, t->len);
    log->traffic->target[target].named = 1;
    if (log->target && log->target != target)
        log->several = 1;
    log->target = target;
    return target;
}

static int in_period(struct lp_tracelog *log, int64_t us)
{
    if ((!log->opt.from || us >= log->opt.from) &&
        (!log->opt.to || us < log->opt.to))
        return 1;
    log->stats.outside++;
    return 0;
}

static int is_dated(const struct lp_tracelog *log, int64_t us)
{
    int64_t away = us - log->stats.first;

    return us > 0 && away < ABSURD && away > -ABSURD;
}

/* What is known of a read's or write's place. */
static void place_request(struct lp_tracelog *log, uint64_t xid,
                          struct lp_request *q)
{
    const struct extent *e = &log->extent[xid >> 4 & (EXTENTS - 1)];

    if (q->op != LP_READ && q->op != LP_WRITE)
        return;
    if (log->opt.rpc_size) {
        q->sized = 1;
        q->bytes = log->opt.rpc_size;
    }
    if (e->xid != xid || !xid)
        return;
    q->target = e->target;
    q->object = e->object;
    q->start = e->start;
    q->end = e->end;
    q->placed = q->sized = 1;
    q->bytes = e->end - e->start;
}

/* The line of a callback names its sender or no node. The client that is called
 * back is the other end, where the line names it. */
static unsigned client_of(struct lp_tracelog *log, const struct lp_rpcline *l,
                          enum lp_op op)
{
    if (is_callback(op))
        return lp_traffic_client_at(log->traffic, l->nid.at, l->nid.len);
    return lp_traffic_client(log->traffic, l->client.at, l->client.len,
                             l->nid.at, l->nid.len);
}

static void begin_request(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    struct work *w = work_of(log, l->thread);
    enum lp_op op = op_of(l);

    finish_work(log, w);
    log->stats.handling++;
    if (!in_period(log, l->us))
        return;
    w->thread = l->thread;
    w->busy = 1;
    w->xid = l->xid;
    w->contested = w->sender = 0;
    w->request = (struct lp_request){
        .client = client_of(log, l, op),
        .target =
            op == LP_META_BLOCKING ? metadata_target(log, "MDT", 3) : log->own,
        .job = l->job.len ? lp_traffic_job(log->traffic, l->job.at, l->job.len)
                          : 0,
        .op = op,
        .us = l->us,
        .dated = is_dated(log, l->us),
        .service_us = -1,
    };
    place_request(log, l->xid, &w->request);
}

static void end_request(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    struct work *w = work_of(log, l->thread);

    if (!w->busy || w->thread != l->thread || w->xid != l->xid)
        return;
    w->request.service_us = l->service_us;
    finish_work(log, w);
}

static void note_extent(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    struct extent *e = &log->extent[l->xid >> 4 & (EXTENTS - 1)];
    unsigned target = named_target(log, &l->target);

    e->xid = l->xid;
    e->target = target ? target : log->own;
    e->object = lp_traffic_object(log->traffic, l->object.at, l->object.len);
    e->start = l->start;
    e->end = l->end;
}

static void note_bulk(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    struct work *w = work_of(log, l->thread);

    if (!w->busy || w->thread != l->thread)
        return;
    w->request.sized = 1;
    w->request.bytes = l->bytes;
}

static void note_blocking(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    struct work *w = work_of(log, l->thread);
    unsigned target = named_target(log, &l->target);

    if (!w->busy || w->thread != l->thread)
        return;
    w->sender = target;
    w->contested = lp_traffic_object(log->traffic, l->object.at, l->object.len);
}

static enum lp_op sent_op(enum lp_op op)
{
    return op == LP_BLOCKING        ? LP_SENT_BLOCKING
           : op == LP_META_BLOCKING ? LP_SENT_META_BLOCKING
           : op == LP_COMPLETION    ? LP_SENT_COMPLETION
                                    : LP_SENT_GLIMPSE;
}

/* A server calls a client back. Whose request is the cause is known by the
 * thread. */
static void count_sent(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    struct work *w = work_of(log, l->thread);
    struct lp_text name = l->client;
    struct lp_request q = {.op = op_of_sent(l), .us = l->us, .service_us = -1};
    unsigned target;

    if (!is_callback(q.op) || !in_period(log, l->us))
        return;
    if (name.len > 5 && memcmp(name.at + name.len - 5, "_UUID", 5) == 0)
        name.len -= 5;
    target = named_target(log, &name);
    if (!target && w->busy && w->thread == l->thread)
        target = w->sender;
    q.target = target ? target : log->own;
    q.client = lp_traffic_client_at(log->traffic, l->nid.at, l->nid.len);
    q.dated = is_dated(log, l->us);
    if (q.op == LP_BLOCKING && w->busy && w->thread == l->thread) {
        q.object = w->contested;
        lp_traffic_contest(log->traffic, w->request.client, q.client,
                           w->contested);
    }
    q.op = sent_op(q.op);
    lp_traffic_count(log->traffic, &q);
}

/* ---- the log as a whole ---- */

static void note_time(struct lp_tracelog *log, int64_t us)
{
    struct lp_tracelog_stats *s = &log->stats;

    if (!s->first)
        s->first = s->last = us;
    if (us < s->last - SECOND) {
        s->back++;
        if (!s->first_back)
            s->first_back = s->lines;
        if (s->last - us > s->worst_back)
            s->worst_back = s->last - us;
    }
    if (is_dated(log, us))
        s->last = us;
}

/* lctl ends a converted log with "Debug log: N lines, N kept, N dropped, N
 * bad."; the daemon says "debug daemon buffer overflowed". */
static void note_foreign(struct lp_tracelog *log, const char *text, size_t len)
{
    struct lp_tracelog_stats *s = &log->stats;
    const char *at = memmem(text, len, " kept, ", 7);

    if (len > 10 && memcmp(text, "Debug log:", 10) == 0 && at) {
        for (at += 7; at < text + len && *at >= '0' && *at <= '9' &&
                      s->dropped < UINT32_MAX;
             at++)
            s->dropped = s->dropped * 10 + (uint64_t)(*at - '0');
        return;
    }
    if (memmem(text, len, "debug daemon buffer overflowed", 30)) {
        s->dropped++;
        return;
    }
    if (len == 0)
        return;
    s->foreign++;
    if (!s->first_foreign)
        s->first_foreign = s->lines;
}

static void note_line(struct lp_tracelog *log, const struct lp_rpcline *l)
{
    switch (l->kind) {
    case LP_LINE_HANDLING:
        begin_request(log, l);
        break;
    case LP_LINE_HANDLED:
        end_request(log, l);
        break;
    case LP_LINE_SENDING:
        count_sent(log, l);
        break;
    case LP_LINE_EXTENT:
        note_extent(log, l);
        break;
    case LP_LINE_BULK:
        note_bulk(log, l);
        break;
    case LP_LINE_BLOCKING:
        note_blocking(log, l);
        break;
    case LP_LINE_BROKEN:
        log->stats.broken++;
        if (!log->stats.first_broken)
            log->stats.first_broken = log->stats.lines;
        break;
    default:
        break;
    }
}

void lp_tracelog_line(struct lp_tracelog *log, const char *text, size_t len,
                      int cut)
{
    struct lp_rpcline l;

    log->stats.lines++;
    if (cut && !log->stats.cut++)
        log->stats.first_cut = log->stats.lines;
    lp_rpcline_parse(text, len, &l);
    if (l.kind == LP_LINE_FOREIGN) {
        note_foreign(log, text, len);
        return;
    }
    l.us += log->opt.shift;
    note_time(log, l.us);
    note_line(log, &l);
}

void lp_tracelog_end(struct lp_tracelog *log, struct lp_tracelog_stats *out)
{
    for (int i = 0; i < THREADS; i++)
        finish_work(log, &log->work[i]);
    if (log->target && !log->several)
        lp_traffic_merge(log->traffic, log->own, log->target);
    *out = log->stats;
    free(log);
}
