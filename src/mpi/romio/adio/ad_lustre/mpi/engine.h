/* engine.h - what collective calls of one file keep between calls
 *
 * Made at the first collective call: a communicator of its own, the reduction
 * of the start agreement, the window schedule, the node's shared segment, and
 * on aggregators the io thread.
 */
#ifndef ADL_ENGINE_H
#define ADL_ENGINE_H

#include <stdint.h>

#include <mpi.h>

#include "../core/plan.h"
#include "../core/window.h"
#include "../sys/iothread.h"
#include "agree.h"
#include "file.h"
#include "fetch.h"
#include "intake.h"
#include "relay.h"
#include "segment.h"
#include "supply.h"

/* Whole cells of at least this size need not be copied, see exchange.c. */
#define ADL_ALONE_MIN 65536

struct adl_engine {
    struct adl_file *file;
    MPI_Comm comm; /* a duplicate: nobody else's messages */
    int rank, size;
    struct adl_agree *agree;
    struct adl_window *window;
    struct adl_segment *seg;
    struct adl_iothread *io;  /* aggregators only, else NULL */
    int64_t issued, finished; /* nonblocking calls, in order */
    int64_t calls;            /* number of exchanges so far */
    struct adl_plan plan;     /* of the last call, whoever it was for */
    int relays;               /* sinks of other nodes that this rank serves */
    struct adl_relay *relay;  /* for those; NULL: none */
    struct adl_fetch *fetch;
    struct adl_intake *intake; /* on aggregators with several nodes, or NULL */
    struct adl_supply *supply;
};

/* Collective over fd->comm. The file's engine, made on first use. 0 or
 * -errno, the same on all ranks. */
int adl_engine_get(ADIO_File fd, struct adl_engine **out);

/* Local. The unit of coverage of a call: the largest power of two that divides
 * everything, as a shift. */
int adl_engine_shift(const struct adl_engine *eng, const struct adl_claim *all);

#endif
