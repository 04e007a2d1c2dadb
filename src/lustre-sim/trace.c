/* trace.c - RPCs as Lustre server log lines */
#include "trace.h"

#include <stdio.h>
#include <time.h>

#include "raw.h"

#define LINE_MAX_LEN 320
#define XID_BASE 1529178798258480ULL

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

void lsim_client_uuid(uint32_t client, char out[LSIM_UUID_LEN])
{
    uint64_t a = mix(client), b = mix(a);

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
static const char *service(enum lsim_opc opc)
{
    switch (opc) {
    case LSIM_LDLM_ENQUEUE:
        return "ll_ost00";
    case LSIM_LDLM_CANCEL:
        return "ldlm_cn00";
    case LSIM_LDLM_BL_CALLBACK:
    case LSIM_LDLM_CP_CALLBACK:
    case LSIM_LDLM_GL_CALLBACK:
        return "ldlm_cb00";
    default:
        return "ll_ost_io00";
    }
}

static int is_callback(enum lsim_opc opc)
{
    return opc >= LSIM_LDLM_BL_CALLBACK && opc <= LSIM_LDLM_GL_CALLBACK;
}

void lsim_trace_begin(struct lsim_trace *t, const char *dir, unsigned ost,
                      uint32_t pid)
{
    t->dir = dir && dir[0] ? dir : NULL;
    t->ost = ost;
    t->pid = pid;
    t->used = 0;
}

void lsim_trace_rpc(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                    uint64_t xid)
{
    char uuid[LSIM_UUID_LEN], nid[40];
    struct timespec now;
    int n;

    if (!t->dir)
        return;
    if (t->used + LINE_MAX_LEN > sizeof t->buf)
        lsim_trace_end(t);
    clock_gettime(CLOCK_REALTIME, &now);
    lsim_client_uuid(client, uuid);
    lsim_client_nid(client, nid, sizeof nid);
    n = snprintf(
        t->buf + t->used, sizeof t->buf - t->used,
        "00000100:00100000:%u.0:%lld.%06ld:0:%u:0:(service.c:2071:"
        "ptlrpc_server_handle_request()) Handling RPC "
        "pname:cluuid+ref:pid:xid:nid:opc %s_%03u:%s+7:%u:x%llu:%s:%d\n",
        client % 64, (long long)now.tv_sec, now.tv_nsec / 1000,
        16000 + t->ost * 16 + client % 16, service(opc), client % 16,
        is_callback(opc) ? "LOV_OSC_UUID" : uuid, t->pid,
        (unsigned long long)(XID_BASE + xid * 16), nid, (int)opc);
    if (n > 0 && (size_t)n < sizeof t->buf - t->used)
        t->used += (size_t)n;
}

/* The file is opened for each batch: a descriptor kept open could be closed
 * by the program we live in and its number given to one of its files. */
void lsim_trace_end(struct lsim_trace *t)
{
    char path[4200];
    int fd;

    if (!t->dir || !t->used)
        return;
    snprintf(path, sizeof path, "%s/oss%u.log", t->dir, t->ost);
    fd = raw_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
    if (fd >= 0) {
        (void)raw_write(fd, t->buf, t->used);
        raw_close(fd);
    }
    t->used = 0;
}
