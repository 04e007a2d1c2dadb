/* exchange.h - move the pieces of one collective call: start, step, done
 *
 * Every rank walks its pieces in file order, cell by cell (core/coll/window.h).
 * Where the cell's aggregator lives on this node, the pieces are copied between
 * the user's memory and the aggregator's window; where it lives elsewhere they
 * travel in messages. The rank publishes its position at every cell border, and
 * after every part of a cell that it has given to a message.
 *
 *              this node (local.h)         another node (../transport/)
 *   write   copy into the window          send
 *   read    copy from the window          ask for it; it comes by itself
 *
 * A rank may run ahead of the slowest one by `depth` windows of an aggregator,
 * then it waits. No rank waits for ever. The rank with the lowest position of
 * all finds every window below it complete: its next window is the lowest one
 * that its aggregator still holds, and the aggregator lets it in. For the same
 * reason the node's pool keeps a block for it (node/pool.h).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_EXCHANGE_H
#define ADL_EXCHANGE_H

#include "../../core/coll/terms.h"
#include "../file/access.h"
#include "engine.h"
#include "local.h"
#include "../../node/service.h"

/* One pass over the pieces: the next piece, and the cell it lies in. Reading
 * takes two: what is wanted, and what has come. */
struct adl_cursor {
    struct adl_extents ext;
    struct adl_cell cell;  /* end 0: none yet */
    struct adl_mark *mark; /* where it is published */
    int blocked;           /* it waits for `cell` */
    int done;
};

struct adl_exchange {
    struct adl_engine *eng;
    ADIO_File fd;
    struct adl_access *acc;
    const struct adl_terms *terms;
    struct adl_seat *seat;
    struct adl_cursor ask; /* reading */
    struct adl_cursor move;
    struct adl_local local;
    int64_t bytes;  /* reading: bytes that are in the user's buffer */
    int rounds;     /* the nodes exchange their positions, see frontier.h */
    uint64_t moved; /* changes whenever something has moved */
    int rc;         /* of what this rank moved itself */
    int64_t rc_offset;
    int serving; /* on aggregators: `service` is under way or done */
    struct adl_service service;
};

/* Local, before the start agreement: publish where this rank begins. */
void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc);

/* Local, after the start agreement. `terms` must outlive the exchange. */
void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_terms *terms,
                        ADIO_File fd);
/* Local. Advance the exchange as far as possible without waiting. 1: it is
 * done. */
int adl_exchange_step(struct adl_exchange *x);
/* Local. Is this rank's part as an aggregator done, if it has one? */
int adl_exchange_served(const struct adl_exchange *x);
/* Local. Does this rank have messages under way? If so, it must not sleep long.
 */
int adl_exchange_has_messages(const struct adl_exchange *x);
/* Local. The bell that announces what this rank waits for, as it was before the
 * last look; NULL: do not sleep. */
struct adl_bell *adl_exchange_bell(struct adl_exchange *x, uint32_t *seen);
/* Local, after the exchange. Put its counts and times into the access, for the
 * end agreement and the report. Returns the error of this rank's part, 0 or
 * -errno. */
int adl_exchange_end(struct adl_exchange *x);

#endif
