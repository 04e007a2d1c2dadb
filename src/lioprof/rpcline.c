/* rpcline.c - one line of a Lustre debug log, taken apart
 *
 * Most of the time of an analysis is spent here. A cursor walks the line once;
 * every step looks at `end` before it looks at a byte.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "rpcline.h"

#include <string.h>

struct cursor {
    const char *at, *end;
};

static int is_at_end(const struct cursor *c)
{
    return c->at >= c->end;
}

static int skip_char(struct cursor *c, char wanted)
{
    if (is_at_end(c) || *c->at != wanted)
        return 0;
    c->at++;
    return 1;
}

static int skip_text(struct cursor *c, const char *wanted)
{
    size_t len = strlen(wanted);

    if ((size_t)(c->end - c->at) < len || memcmp(c->at, wanted, len) != 0)
        return 0;
    c->at += len;
    return 1;
}

/* Move behind the next `wanted`. */
static int skip_past(struct cursor *c, const char *wanted)
{
    const char *hit =
        memmem(c->at, (size_t)(c->end - c->at), wanted, strlen(wanted));

    if (!hit)
        return 0;
    c->at = hit + strlen(wanted);
    return 1;
}

/* A decimal number of at most 18 digits, which fit; at least one. */
static int take_number(struct cursor *c, uint64_t *out)
{
    uint64_t n = 0;
    int digits = 0;

    while (!is_at_end(c) && *c->at >= '0' && *c->at <= '9' && digits < 19) {
        n = n * 10 + (uint64_t)(*c->at++ - '0');
        digits++;
    }
    if (digits == 0 || digits == 19)
        return 0;
    *out = n;
    return 1;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

static int take_mask(struct cursor *c, uint32_t *out)
{
    uint32_t n = 0;

    if (c->end - c->at < 9)
        return 0;
    for (int i = 0; i < 8; i++) {
        int digit = hex_digit(*c->at++);

        if (digit < 0)
            return 0;
        n = n << 4 | (uint32_t)digit;
    }
    *out = n;
    return skip_char(c, ':');
}

/* Up to the next `stop`, which is skipped. */
static int take_until(struct cursor *c, char stop, struct lp_text *out)
{
    const char *hit = memchr(c->at, stop, (size_t)(c->end - c->at));

    if (!hit)
        return 0;
    *out = (struct lp_text){c->at, (size_t)(hit - c->at)};
    c->at = hit + 1;
    return 1;
}

/* SECONDS.MICROSECONDS: exactly six digits behind the point. */
static int take_time(struct cursor *c, int64_t *us)
{
    uint64_t seconds, micros;
    const char *point;

    if (!take_number(c, &seconds) || seconds > INT32_MAX * UINT64_C(64) ||
        !skip_char(c, '.'))
        return 0;
    point = c->at;
    if (!take_number(c, &micros) || c->at - point != 6)
        return 0;
    *us = (int64_t)(seconds * 1000000 + micros);
    return skip_char(c, ':');
}

/* What all lines have; the cursor ends at the message. */
static int take_head(struct cursor *c, struct lp_rpcline *out)
{
    struct lp_text ignored, line;
    uint64_t n;

    if (!take_mask(c, &out->subsystem) || !take_mask(c, &out->mask) ||
        !take_number(c, &n))
        return 0;
    out->cpu = (unsigned)n;
    if (!take_until(c, ':', &ignored) || !take_time(c, &out->us) ||
        !take_until(c, ':', &ignored) || !take_number(c, &n) ||
        !skip_char(c, ':') || !take_until(c, ':', &ignored) ||
        !skip_char(c, '('))
        return 0;
    out->thread = (uint32_t)n;
    if (!take_until(c, ':', &out->file) || !take_until(c, ':', &line) ||
        !take_until(c, '(', &out->function) || !skip_text(c, ")) "))
        return 0;
    for (size_t i = 0; i < line.len && i < 9; i++)
        out->line = out->line * 10 + (unsigned)(line.at[i] - '0') % 10;
    return 1;
}

/* cluuid+ref: a reference count follows on servers. */
static int take_client(struct cursor *c, struct lp_rpcline *out)
{
    struct lp_text whole;
    const char *plus;

    if (!take_until(c, ':', &whole))
        return 0;
    plus = memrchr(whole.at, '+', whole.len);
    out->client = whole;
    if (plus) {
        struct cursor ref = {plus + 1, whole.at + whole.len};
        uint64_t n = 0;

        take_number(&ref, &n);
        out->ref = (unsigned)n;
        out->client.len = (size_t)(plus - whole.at);
    }
    return 1;
}

/* A nid holds no ':' behind its '@'; before it may (IPv6). The number of the
 * process at the other end stands in front: 12345-NID. */
static int take_nid(struct cursor *c, struct lp_rpcline *out)
{
    const char *start = c->at, *dash;
    struct lp_text ignored;

    if (!take_until(c, '@', &ignored) || !take_until(c, ':', &ignored))
        return 0;
    out->nid = (struct lp_text){start, (size_t)(c->at - 1 - start)};
    dash = memchr(start, '-', out->nid.len);
    if (dash && dash - start <= 10)
        out->nid = (struct lp_text){dash + 1,
                                    out->nid.len - (size_t)(dash + 1 - start)};
    return 1;
}

/* Behind the opcode: nothing, or ":job". */
static void take_job(struct cursor *c, struct lp_rpcline *out)
{
    const char *start;

    if (!skip_char(c, ':'))
        return;
    start = c->at;
    while (!is_at_end(c) && *c->at != ' ')
        c->at++;
    out->job = (struct lp_text){start, (size_t)(c->at - start)};
}

/* pname:cluuid+ref:pid:xid:nid:opc[:job] VALUES, perhaps behind req@POINTER */
static int take_rpc(struct cursor *c, struct lp_rpcline *out)
{
    uint64_t pid, opc;

    if (!skip_past(c, "pname:cluuid") || !skip_past(c, " "))
        return 0;
    if (!take_until(c, ':', &out->service) || !take_client(c, out) ||
        !take_number(c, &pid) || !skip_char(c, ':'))
        return 0;
    skip_char(c, 'x');
    if (!take_number(c, &out->xid) || !skip_char(c, ':') || !take_nid(c, out) ||
        !take_number(c, &opc) || opc > INT32_MAX)
        return 0;
    out->pid = (unsigned)pid;
    out->opc = (int)opc;
    take_job(c, out);
    return 1;
}

/* "Request processed in 268us (760us total)" */
static void take_times(struct cursor *c, struct lp_rpcline *out)
{
    uint64_t n;

    if (skip_past(c, "processed in ") && take_number(c, &n))
        out->service_us = (int64_t)n;
    if (skip_past(c, "(") && take_number(c, &n))
        out->total_us = (int64_t)n;
}

/* "@@@ lustre-OST0001 THREAD: refresh rw locks for [FID] (0->4095)  req@...
 * x15/t0(0) o4->..." */
static int take_extent(struct cursor *c, struct lp_rpcline *out)
{
    uint64_t last;

    if (!skip_text(c, "@@@ ") || !take_until(c, ' ', &out->target) ||
        !skip_past(c, "locks for [") || !take_until(c, ']', &out->object) ||
        !skip_text(c, " (") || !take_number(c, &out->start) ||
        !skip_text(c, "->"))
        return 0;
    /* the end of file is 2^64-1: more digits than a length has */
    if (!take_number(c, &last) || last < out->start)
        return 0;
    out->end = last + 1;
    return skip_past(c, " x") && take_number(c, &out->xid);
}

static int take_bulk(struct cursor *c, struct lp_rpcline *out)
{
    uint64_t pages;

    return skip_text(c, "Transferring ") && take_number(c, &pages) &&
           skip_text(c, " pages ") && take_number(c, &out->bytes) &&
           skip_text(c, " bytes");
}

/* "### server preparing blocking AST ns: filter-lustre-OST0001_UUID ... res:
 * [FID].0x0 ... nid: NID ..." */
static int take_blocking(struct cursor *c, struct lp_rpcline *out)
{
    const char *start;

    if (!skip_past(c, "ns: ") || !take_until(c, ' ', &out->target) ||
        !skip_past(c, "res: [") || !take_until(c, ']', &out->object) ||
        !skip_past(c, "nid: "))
        return 0;
    start = c->at;
    while (!is_at_end(c) && *c->at != ' ')
        c->at++;
    out->nid = (struct lp_text){start, (size_t)(c->at - start)};
    return out->nid.len > 0;
}

static void trim_front(struct lp_text *t, const char *front)
{
    size_t len = strlen(front);

    if (t->len > len && memcmp(t->at, front, len) == 0) {
        t->at += len;
        t->len -= len;
    }
}

/* "filter-lustre-OST0001_UUID" is lustre-OST0001, "mdt-lustre-MDT0000_UUID" is
 * lustre-MDT0000. */
static void trim_target(struct lp_text *target)
{
    static const char back[] = "_UUID";
    size_t nb = sizeof(back) - 1;

    trim_front(target, "filter-");
    trim_front(target, "mdt-");
    if (target->len > nb &&
        memcmp(target->at + target->len - nb, back, nb) == 0)
        target->len -= nb;
}

static int is_text(const struct lp_text *t, const char *wanted)
{
    return t->len == strlen(wanted) && memcmp(t->at, wanted, t->len) == 0;
}

/* The message's kind: by its first words, or by the function that wrote it. */
static enum lp_line_kind kind_of(struct cursor *c, const struct lp_rpcline *l)
{
    if (is_at_end(c))
        return LP_LINE_OTHER;
    switch (*c->at) {
    case 'H':
        if (skip_text(c, "Handling RPC"))
            return LP_LINE_HANDLING;
        return skip_text(c, "Handled RPC") ? LP_LINE_HANDLED : LP_LINE_OTHER;
    case 'S':
        return skip_text(c, "Sending RPC") ? LP_LINE_SENDING : LP_LINE_OTHER;
    case 'T':
        return is_text(&l->function, "ptlrpc_start_bulk_transfer")
                   ? LP_LINE_BULK
                   : LP_LINE_OTHER;
    case '@':
        return is_text(&l->function, "ofd_rw_hpreq_check") ? LP_LINE_EXTENT
                                                           : LP_LINE_OTHER;
    case '#':
        return is_text(&l->function, "ldlm_server_blocking_ast") &&
                       skip_text(c, "### server preparing blocking AST ")
                   ? LP_LINE_BLOCKING
                   : LP_LINE_OTHER;
    default:
        return LP_LINE_OTHER;
    }
}

static int take_message(struct cursor *c, struct lp_rpcline *out)
{
    switch (out->kind) {
    case LP_LINE_HANDLING:
    case LP_LINE_SENDING:
        return take_rpc(c, out);
    case LP_LINE_HANDLED:
        if (!take_rpc(c, out))
            return 0;
        take_times(c, out);
        return 1;
    case LP_LINE_EXTENT:
        return take_extent(c, out);
    case LP_LINE_BULK:
        return take_bulk(c, out);
    case LP_LINE_BLOCKING:
        return take_blocking(c, out);
    default:
        return 1;
    }
}

void lp_rpcline_parse(const char *text, size_t len, struct lp_rpcline *out)
{
    struct cursor c = {text, text + len};

    memset(out, 0, sizeof(*out));
    out->service_us = out->total_us = -1;
    if (!take_head(&c, out)) {
        out->kind = LP_LINE_FOREIGN;
        return;
    }
    out->kind = kind_of(&c, out);
    if (!take_message(&c, out))
        out->kind = LP_LINE_BROKEN;
    trim_target(&out->target);
}
