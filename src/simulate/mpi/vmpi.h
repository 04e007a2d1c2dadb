/* vmpi.h - the MPI of the simulated machine: declarations for its files
 *
 * When the ranks' library calls MPI_X or PMPI_X and there is a vmpi_X, vmpi_X
 * is called instead. Functions that concern one rank only (datatypes, infos,
 * statuses, reductions in memory) are those of the real MPICH; its handles and
 * constants are used here too.
 *
 * Progress is weak, as in MPICH: a packet that has arrived at a rank waits
 * until the rank makes an MPI call. With config.strong it does not wait. Small
 * messages are sent at once and kept by the receiver (eager); larger ones, and
 * synchronous ones, wait for the receive:
 *
 *   EAGER -->                       RTS -->  <-- CTS  DATA -->
 *   EAGER --> <-- ACK (synchronous)
 *
 * A handle is a number of the kind of MPICH's that MPICH itself never gives
 * out; a handle that is no longer valid ends the case.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_VMPI_H
#define SIMULATE_VMPI_H

#include <mpi.h>
#include <stdint.h>

#include "../config.h"
#include "../memory.h"
#include "../sched.h"
#include "../trace.h"

/* ---- communicators ---- */

struct attribute;
struct split;
struct comm {
    int index, size, refs;
    int *world; /* rank here -> rank of the world */
    int *local; /* ... and back, -1: no member; NULL: not needed so far */
    int *tag;   /* of a rank's next collective call */
    struct attribute **attributes; /* of each rank */
    struct split *splits;          /* going on */
    int errhandler;
};
struct comm *comm_get(MPI_Comm handle);
int comm_rank(struct comm *c, int world);
/* A communicator of these ranks of the world; its handle. */
MPI_Comm comm_new(int size, const int *world);
void comm_start(void); /* also: for the ranks of the next job */
void comm_report(void);

/* Call delete functions, most recent first. */
void attributes_delete(struct attribute **list, MPI_Comm handle);
void attributes_copy(struct attribute **to, struct attribute *from,
                     MPI_Comm handle, MPI_Comm new_handle);

/* ---- requests and messages ---- */

enum request_kind { REQ_SEND, REQ_RECV, REQ_COLL, REQ_GENERAL };
struct message;
struct coll;
struct request {
    enum request_kind kind;
    int done, rank, error;
    int64_t visible; /* done once the rank's clock shows this */
    MPI_Status status;
    const void *from; /* SEND */
    void *to;         /* RECV */
    MPI_Count n;
    MPI_Datatype type; /* ours if it is derived: free with the request */
    struct comm *c;
    const char *internal; /* of this collective call; NULL: of none */
    int peer, tag;        /* rank of the world */
    struct request *next; /* posted */
    struct coll *coll;
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free_state;
    MPI_Grequest_cancel_function *cancel;
    int (*poll)(void *, MPI_Status *);
    void *state;
    int index; /* of the handle, -1: none */
};

/* A request of the running rank; with a handle if `out` is not NULL. */
struct request *request_new(enum request_kind kind, MPI_Request *out);
struct request *request_get(MPI_Request handle);
void request_free(struct request *r);
int request_is_done(const struct request *r);
/* Done at a time, which may lie ahead; the rank is woken. */
void request_complete(struct request *r, int64_t when);

/* Start a send or receive described by r (buffer, n, type, c, peer, tag). */
void p2p_send(struct request *r, int synchronous);
void p2p_receive(struct request *r);
void p2p_start(void);
void p2p_report(int most);

/* Take the packets that have arrived, and advance collective calls. */
void progress(void);
/* Sleep until something arrives; not longer than `limit` ns (< 0: no limit).
 * 0: not at all, something is there. */
int progress_sleep(int64_t limit);
uint64_t progress_key(int rank);

void coll_start(void);
void coll_progress(int rank);
void coll_report(int most);
/* For the harness, which needs a barrier of its own. */
int vmpi_Ibarrier(MPI_Comm comm, MPI_Request *out);
int vmpi_Wait(MPI_Request *handle, MPI_Status *status);

/* ---- datatypes, by the real MPICH ---- */

int type_is_named(MPI_Datatype type);
MPI_Count type_bytes(MPI_Count n, MPI_Datatype type);
/* A duplicate of the type, which stays valid when the program frees the type.
 */
MPI_Datatype type_hold(MPI_Datatype type);
void type_release(MPI_Datatype type);
void type_pack(const void *from, MPI_Count n, MPI_Datatype type, void *to);
/* At most `bytes` of them. */
void type_unpack(const void *from, MPI_Count bytes, void *to, MPI_Count n,
                 MPI_Datatype type);
void status_set_bytes(MPI_Status *status, MPI_Count bytes);

struct vmpi_counts {
    uint64_t messages, bytes, far_messages, far_bytes;
    uint64_t eager, rendezvous, collectives, coll_messages;
    uint64_t unexpected, unexpected_peak; /* bytes kept for receivers */
};
extern struct vmpi_counts vmpi_counts;

/* End the case with a text. */
void vmpi_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)))
__attribute__((noreturn));

#endif
