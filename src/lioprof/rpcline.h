/* rpcline.h - one line of a Lustre debug log, taken apart
 *
 *   00000100:00100000:27.0:1458939850.660586:0:16998:0:(service.c:2071:
 *   ptlrpc_server_handle_request()) Handling RPC
 *   pname:cluuid+ref:pid:xid:nid:opc ll_ost_io05_000:UUID+7:8424:x15:NID:3
 *
 * (in one piece): two masks, CPU, time, 0, thread, 0, place in the source, then
 * the message. Newer servers add the job id behind the opcode and say "Handled
 * RPC" with the time it took. Nothing is copied: texts point into the line.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_RPCLINE_H
#define LP_RPCLINE_H

#include <stddef.h>
#include <stdint.h>

struct lp_text {
    const char *at;
    size_t len;
};

enum lp_line_kind {
    LP_LINE_FOREIGN,  /* no line of a debug log */
    LP_LINE_OTHER,    /* a line of a debug log that is not about an RPC */
    LP_LINE_BROKEN,   /* begins like one of the following, then ends early */
    LP_LINE_HANDLING, /* a server begins to work on a request */
    LP_LINE_HANDLED,  /* a server is done with a request */
    LP_LINE_SENDING,  /* a node sends a request; servers send callbacks */
    LP_LINE_EXTENT,   /* OST, object and extent of a read or write */
    LP_LINE_BULK,     /* bytes a request moves */
    LP_LINE_BLOCKING, /* object and owner of a lock that is called back */
};

struct lp_rpcline {
    enum lp_line_kind kind;
    uint32_t subsystem, mask;
    unsigned cpu;
    int64_t us;      /* since the epoch */
    uint32_t thread; /* that wrote the line */
    struct lp_text file, function;
    unsigned line;
    /* Handling, Handled, Sending */
    struct lp_text service, client, nid, job;
    unsigned ref, pid;
    uint64_t xid; /* also Extent */
    int opc;
    /* Handled: -1 where it is not said */
    int64_t service_us, total_us;
    /* Extent, Blocking; the latter has `nid` too */
    struct lp_text target, object;
    uint64_t start, end; /* [start, end) */
    /* Bulk */
    uint64_t bytes;
};

/* Take a line apart, without its newline. Members that the line does not have
 * are 0 and empty. */
void lp_rpcline_parse(const char *text, size_t len, struct lp_rpcline *out);

#endif
