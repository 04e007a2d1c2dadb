/* trace.h - RPCs as Lustre server log lines
 *
 * Lines of one call are collected and appended with one write to the file of
 * the OSS (here: one OST an OSS, DIR/ossN.log). A line is
 *
 *   00000100:00100000:CPU.0:SECONDS.MICROS:0:PID:0:(service.c:2543:
 *   ptlrpc_server_handle_request()) Handling RPC
 *   pname:cluuid+ref:pid:xid:nid:opc:job VALUES
 *
 * (in one piece), as lioprof reads them. Callbacks of OSTs have LOV_OSC_UUID,
 * as in a client's log, but the nid of the client that is called. The MDT's
 * lines are in DIR/mds0.log; its callbacks have the uuid of the client that is
 * called, as in a real log.
 *
 * As on a server with rpctrace, net and dlmtrace, lines before and after it
 * name the OST, the object and its extent, the bytes moved and, for a blocking
 * callback, the object and the client called. The job is PROGRAM.UID, as with
 * Lustre's jobid_var=procname_uid. With a profile a read or write is logged for
 * the time when the OST's queue comes to it, so that lines are not in order. An
 * object's FID is [0x100000000 + OST:FILE KEY:OBJECT INDEX].
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_TRACE_H
#define LSIM_TRACE_H

#include <stddef.h>
#include <stdint.h>

enum lsim_opc {
    LSIM_OST_READ = 3,
    LSIM_OST_WRITE = 4,
    LSIM_OST_PUNCH = 10,
    LSIM_OST_SYNC = 16,
    LSIM_LDLM_ENQUEUE = 101,
    LSIM_LDLM_CANCEL = 103,
    LSIM_LDLM_BL_CALLBACK = 104,
    LSIM_LDLM_CP_CALLBACK = 105,
    LSIM_LDLM_GL_CALLBACK = 106
};

#define LSIM_UUID_LEN 37

/* The uuid and the network id of a client in traces. */
void lsim_client_uuid(uint32_t client, char out[LSIM_UUID_LEN]);
void lsim_client_nid(uint32_t client, char *out, size_t len);

/* A part of an object. */
struct lsim_extent {
    uint64_t file;
    uint32_t index;
    uint64_t start, end; /* [start, end) */
    uint64_t bytes;      /* in it; less where there are gaps */
    uint64_t delay;      /* ns from now until the OST works on it */
};

/* Whose call it is, and of which target. */
struct lsim_trace_who {
    unsigned ost;
    int mdt; /* that is the MDT */
    uint32_t pid;
    uint32_t client;
};

struct lsim_trace {
    const char *dir; /* NULL or empty: nothing is traced */
    struct lsim_trace_who who;
    uint64_t delay;        /* added to the time of lines, ns */
    struct lsim_extent on; /* the object the call is about */
    size_t used;
    char buf[4096];
};

void lsim_trace_begin(struct lsim_trace *t, const char *dir,
                      const struct lsim_trace_who *who);
void lsim_trace_rpc(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                    uint64_t xid);
/* The same for a read or write RPC; ext is what it moves. */
void lsim_trace_io(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                   uint64_t xid, const struct lsim_extent *ext);
void lsim_trace_end(struct lsim_trace *t);

#endif
