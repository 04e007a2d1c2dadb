/* trace.c - RPCs as Lustre server log lines */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "raw.h"

#define LINE_MAX_LEN 400
#define THREADS 1024 /* of an OST's services: one a client */
#define BATCH 3      /* lines that tell of one RPC */
#define XID_BASE 1529178798258480ULL

static uint64_t mix_trace(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

void lsim_client_uuid(uint32_t client, char out[LSIM_UUID_LEN])
{
    uint64_t a = mix_trace(client), b = mix_trace(a);

    snprintf(out, LSIM_UUID_LEN, "%08x-%04x-4%03x-%04x-%012llx",
             (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffff,
             (unsigned)a & 0xfff, (unsigned)(b >> 48 & 0x3fff) | 0x8000,
             (unsigned long long)b & 0xffffffffffffULL);
}

void lsim_client_nid(uint32_t client, char *out, size_t len)
{
    snprintf(out, len, "12345-192.168.%u.%u@o2ib", 1 + client / 250,
             1 + client % 250);
}

/* The service thread that would have handled it. */
static const char *service(enum lsim_opc opc, int mdt)
{
    switch (opc) {
    case LSIM_LDLM_ENQUEUE:
        return mdt ? "mdt00" : "ll_ost00";
    case LSIM_LDLM_CANCEL:
        return "ldlm_cn00";
    case LSIM_LDLM_BL_CALLBACK:
    case LSIM_LDLM_CP_CALLBACK:
    case LSIM_LDLM_GL_CALLBACK:
        return "ldlm_cb00";
    default:
        return mdt ? "mdt_io00" : "ll_ost_io00";
    }
}

static int is_callback(enum lsim_opc opc)
{
    return opc >= LSIM_LDLM_BL_CALLBACK && opc <= LSIM_LDLM_GL_CALLBACK;
}

void lsim_trace_begin(struct lsim_trace *t, const char *dir,
                      const struct lsim_trace_who *who)
{
    t->dir = dir && dir[0] ? dir : NULL;
    t->who = *who;
    t->on = (struct lsim_extent){0};
    t->delay = 0;
    t->used = 0;
}

static const char *target_name(const struct lsim_trace *t, char out[24])
{
    if (t->who.mdt)
        snprintf(out, 24, "lustre-MDT0000");
    else
        snprintf(out, 24, "lustre-OST%04x", t->who.ost);
    return out;
}

/* The service thread that works for a client; one RPC after the other. */
static unsigned thread_of(const struct lsim_trace *t, uint32_t client)
{
    return 16000 + t->who.ost * THREADS + client % THREADS;
}

/* One line: masks, time and thread, then the text. */
__attribute__((format(printf, 4, 5))) static void put_line(struct lsim_trace *t,
                                                           const char *masks,
                                                           uint32_t client,
                                                           const char *fmt, ...)
{
    struct timespec now;
    uint64_t ns;
    va_list args;
    size_t room;
    char *at;
    int n, m;

    clock_gettime(CLOCK_REALTIME, &now);
    ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + t->delay;
    at = t->buf + t->used;
    room = sizeof(t->buf) - t->used;
    n = snprintf(at, room, "%s:%u.0:%lld.%06ld:0:%u:0:", masks, client % 64,
                 (long long)(ns / 1000000000), (long)(ns / 1000 % 1000000),
                 thread_of(t, client));
    va_start(args, fmt);
    m = vsnprintf(at + n, room - (size_t)n, fmt, args);
    va_end(args);
    if (m > 0 && (size_t)(n + m) < room)
        t->used += (size_t)(n + m);
}

/* Lines that tell of one RPC are written together: another process of the
 * client uses the same threads. */
static void make_trace_room(struct lsim_trace *t)
{
    if (t->used + BATCH * LINE_MAX_LEN > sizeof(t->buf))
        lsim_trace_end(t);
}

static unsigned long long fid_seq(const struct lsim_trace *t)
{
    return 0x100000000ULL + t->who.ost;
}

/* What a server logs before it calls a client back. The thread tells which
 * client asked, the nid which client is called. */
static void put_callback(struct lsim_trace *t, enum lsim_opc opc,
                         uint32_t client, uint64_t xid)
{
    char nid[40], name[24];
    const char *by = service(LSIM_LDLM_ENQUEUE, t->who.mdt);

    target_name(t, name);
    lsim_client_nid(client, nid, sizeof(nid));
    if (opc == LSIM_LDLM_BL_CALLBACK)
        put_line(t, "00010000:00010000", t->who.client,
                 "(ldlm_lockd.c:793:ldlm_server_blocking_ast()) ### server "
                 "preparing blocking AST ns: %s-%s_UUID res: "
                 "[0x%llx:0x%llx:0x%x].0x0 type: %s nid: %s\n",
                 t->who.mdt ? "mdt" : "filter", name, fid_seq(t),
                 (unsigned long long)t->on.file, t->on.index,
                 t->who.mdt ? "IBT" : "EXT", nid + 6);
    put_line(t, "00000100:00100000", t->who.client,
             "(client.c:1913:ptlrpc_send_new_req()) Sending RPC "
             "pname:cluuid:pid:xid:nid:opc:job %s_%03u:%s_UUID:%u:%llu:%s:"
             "%d:\n",
             by, t->who.client % THREADS, name, thread_of(t, t->who.client),
             (unsigned long long)(XID_BASE + xid * 16), nid + 6, (int)opc);
}

static void put_rpc(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                    uint64_t xid)
{
    char uuid[LSIM_UUID_LEN], nid[40];

    lsim_client_uuid(client, uuid);
    lsim_client_nid(client, nid, sizeof(nid));
    put_line(t, "00000100:00100000", client,
             "(service.c:2543:ptlrpc_server_handle_request()) Handling RPC "
             "pname:cluuid+ref:pid:xid:nid:opc:job %s_%03u:%s+7:%u:x%llu:%s:"
             "%d:%.32s.%u\n",
             service(opc, t->who.mdt), client % THREADS,
             is_callback(opc) && !t->who.mdt ? "LOV_OSC_UUID" : uuid,
             t->who.pid, (unsigned long long)(XID_BASE + xid * 16), nid,
             (int)opc, program_invocation_short_name, (unsigned)getuid());
}

void lsim_trace_rpc(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                    uint64_t xid)
{
    if (!t->dir)
        return;
    make_trace_room(t);
    if (is_callback(opc))
        put_callback(t, opc, client, xid);
    put_rpc(t, opc, client, xid);
}

/* What an OST says before it reads or writes. */
static void put_extent(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                       uint64_t xid, const struct lsim_extent *ext)
{
    char uuid[LSIM_UUID_LEN], nid[40], name[24];

    lsim_client_uuid(client, uuid);
    lsim_client_nid(client, nid, sizeof(nid));
    put_line(t, "00002000:00100000", client,
             "(ofd_dev.c:2708:ofd_rw_hpreq_check()) @@@ %s "
             "ll_ost_io00_%03u: refresh rw locks for [0x%llx:0x%llx:0x%x] "
             "(%llu->%llu) req@0 x%llu/t0(0) o%d->%s@%s\n",
             target_name(t, name), client % THREADS, fid_seq(t),
             (unsigned long long)ext->file, ext->index,
             (unsigned long long)ext->start,
             (unsigned long long)(ext->end ? ext->end - 1 : 0),
             (unsigned long long)(XID_BASE + xid * 16), (int)opc, uuid,
             nid + 6);
}

void lsim_trace_io(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                   uint64_t xid, const struct lsim_extent *ext)
{
    char nid[40];

    if (!t->dir)
        return;
    lsim_client_nid(client, nid, sizeof(nid));
    make_trace_room(t);
    t->delay = ext->delay;
    if (!t->who.mdt)
        put_extent(t, opc, client, xid, ext);
    put_rpc(t, opc, client, xid);
    put_line(t, "00000100:00000200", client,
             "(niobuf.c:333:ptlrpc_start_bulk_transfer()) Transferring %llu "
             "pages %llu bytes via portal 8 id %s mbits %#llx-%#llx\n",
             (unsigned long long)(ext->bytes + 4095) / 4096,
             (unsigned long long)ext->bytes, nid,
             (unsigned long long)(XID_BASE + xid * 16),
             (unsigned long long)(XID_BASE + xid * 16));
    t->delay = 0;
}

/* The file is opened for each batch: a descriptor kept open could be closed
 * by the program we live in and its number given to one of its files. */
void lsim_trace_end(struct lsim_trace *t)
{
    char path[4200];
    int fd;

    if (!t->dir || !t->used)
        return;
    if (t->who.mdt)
        snprintf(path, sizeof(path), "%s/mds0.log", t->dir);
    else
        snprintf(path, sizeof(path), "%s/oss%u.log", t->dir, t->who.ost);
    fd = raw_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
    if (fd >= 0) {
        (void)raw_write(fd, t->buf, t->used);
        raw_close(fd);
    }
    t->used = 0;
}
