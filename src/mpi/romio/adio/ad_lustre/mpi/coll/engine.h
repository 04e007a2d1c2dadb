/* engine.h - what collective calls of one file keep between calls
 *
 * Made at the first collective call or at set_view: the window schedule, the
 * node's shared segment with the pool for messages, and on aggregators the io
 * thread. When the file is closed it stays with the file's team, for the next
 * file that needs the same.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ENGINE_H
#define ADL_ENGINE_H

#include <stdint.h>

#include "adio.h"

#include "../../core/coll/plan.h"
#include "../../core/coll/window.h"
#include "../../sys/iothread.h"
#include "../file/file.h"
#include "../../node/pool.h"
#include "../transport/forward.h"
#include "../transport/receive.h"
#include "../transport/send.h"
#include "../../node/prefetch.h"
#include "agree.h"
#include "frontier.h"
#include "sharing.h"

struct adl_engine {
    struct adl_file *file;
    MPI_Comm comm; /* of the file that uses the engine */
    int rank, size;
    int64_t buffer; /* of an aggregator */
    int naggs;
    int *agg_rank; /* [naggs] */
    struct adl_agree *agree;
    struct adl_window *window; /* of the file that uses the engine */
    int64_t window_size;       /* kept while no file uses the engine */
    struct adl_segment *seg;
    MPI_Win win;                   /* the segment's window or MPI_WIN_NULL */
    struct adl_iothread *io;       /* aggregators only, else NULL */
    struct adl_prefetch *prefetch; /* aggregators only, else NULL */
    int64_t issued, finished;      /* calls that were made, and that are done */
    int64_t calls;                 /* number of exchanges so far */
    struct adl_plan plan;          /* of the last call, write or read */
    /* [naggs] For an aggregator on this node: the number of its sink. For one
     * elsewhere: -1 minus the rank of this node that sends to it. */
    int *sink_of;
    struct adl_sink *mine; /* aggregators: its own sink, else NULL */
    /* ---- several nodes only, else NULL ---- */
    struct adl_pool *pool;
    int64_t pool_size, pool_room; /* bytes of the pool, of a block */
    struct adl_wire wire;
    struct adl_send *send;
    int forwards;                /* this rank sends its node's blocks */
    struct adl_forward *forward; /* only if `forwards` */
    struct adl_receive *receive; /* aggregators only */
    struct adl_reduce *leaders;  /* leaders only: for agreements */
    struct adl_frontier frontier;
};

/* Collective over fd->comm. Return the file's engine; the first call makes it.
 * If memory is short, its buffers are smaller than the hints ask for. 0 or
 * -errno, the same on all ranks. */
int adl_engine_get(ADIO_File fd, struct adl_engine **out);

/* For an open. adl_engine_offer: local. Prepare the engine that the team has
 * kept for this file. 0, or -errno: it cannot be used. adl_engine_settle:
 * local, on all ranks, with the worst of all ranks' results. The file's first
 * collective call then takes the kept engine without any message, or makes one.
 */
int adl_engine_offer(struct adl_file *f);
void adl_engine_settle(struct adl_file *f, int rc);

/* Collective, while no call of the file is under way. Reduce up to
 * ADL_LEAST_WORDS words to the smallest ones of all ranks: by the file's engine
 * or the one that the team has kept, else by MPI. */
void adl_engine_least(struct adl_file *f, int64_t *word, int n);

#endif
