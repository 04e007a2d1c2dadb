/* call.h - one collective read or write: start, step, wait
 *
 *   WAITING -> START -> MOVE -> END -> DONE
 *
 * The calls of a file are done one after the other, in the order in which they
 * were made. A blocking call is start and wait; a nonblocking one is stepped
 * from wherever the process waits (request.h). START and END are the two
 * agreements, MOVE is the exchange, or this rank's own transfer where the call
 * does not go through the aggregators.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CALL_H
#define ADL_CALL_H

#include "../../core/coll/terms.h"
#include "exchange.h"
#include "stall.h"

enum adl_phase {
    ADL_WAITING, /* an earlier call is not done */
    ADL_START,
    ADL_MOVE,
    ADL_END,
    ADL_DONE,
};

struct adl_call {
    struct adl_access acc; /* what this rank asks for */
    ADIO_File fd;
    struct adl_engine *eng;
    int64_t number; /* among the engine's calls */
    int write;
    enum adl_phase phase;
    int alone;              /* known before the start: not aggregated */
    int aggregated;         /* it goes through the aggregators */
    int all_move;           /* every rank has bytes of it */
    union adl_words words;  /* this rank's, then those of all, merged */
    struct adl_terms terms; /* what was agreed at the start */
    struct adl_exchange x;
    int64_t stepping; /* ns spent in steps of the exchange */
    int64_t bytes;    /* that this rank moved: the status's count */
    int rc;           /* 0 or -errno, the same on all ranks when done */
    struct adl_outcome outcome;
    /* Without an engine: {-errno, rank} of this rank and the worst of all. */
    int mine[2], worst[2];
    MPI_Request agreement;
    struct adl_stall stall;
};

/* Local, but in the same order on all ranks. The caller has zeroed the call and
 * filled in `acc`. */
void adl_call_start(struct adl_call *call, ADIO_File fd, struct adl_engine *eng,
                    int write);
/* Local. Advance the call as far as possible without waiting. 1: it is done.
 */
int adl_call_step(struct adl_call *call);
/* Local. Wait until the call is done. Meanwhile MPI and all outstanding calls
 * of this process make progress. */
void adl_call_wait(struct adl_call *call);

/* Local, but in the same order on all ranks. For files without an engine: does
 * this rank's own transfer. The caller then steps the call until all ranks have
 * agreed on the outcome. */
void adl_call_at_once(struct adl_call *call, ADIO_File fd, int write);

#endif
