/* trace.h - RPCs as Lustre server log lines
 *
 * Lines of one call are collected and appended with one write to the file of
 * the OSS (here: one OST an OSS, DIR/ossN.log). A line is
 *
 *   00000100:00100000:CPU.0:SECONDS.MICROS:0:PID:0:(service.c:2071:
 *   ptlrpc_server_handle_request()) Handling RPC
 *   pname:cluuid+ref:pid:xid:nid:opc VALUES
 *
 * (in one piece), as LIOProf reads them. Callbacks carry LOV_OSC_UUID as a
 * client's log has it, and, unlike there, the nid of the client called.
 */
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

/* The uuid and the network id by which client is known in traces. */
void lsim_client_uuid(uint32_t client, char out[LSIM_UUID_LEN]);
void lsim_client_nid(uint32_t client, char *out, size_t len);

struct lsim_trace {
    const char *dir; /* NULL or empty: nothing is traced */
    unsigned ost;
    uint32_t pid;
    size_t used;
    char buf[4096];
};

void lsim_trace_begin(struct lsim_trace *t, const char *dir, unsigned ost,
                      uint32_t pid);
void lsim_trace_rpc(struct lsim_trace *t, enum lsim_opc opc, uint32_t client,
                    uint64_t xid);
void lsim_trace_end(struct lsim_trace *t);

#endif
