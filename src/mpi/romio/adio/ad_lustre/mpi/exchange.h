/* exchange.h - the collective engine: start, step, done
 *
 * One exchange moves the pieces of one collective write from the ranks' memory
 * into the file. Every rank walks its pieces in file order and copies each
 * into the sink of the piece's owner, marking what it covers; it publishes its
 * position at every cell border. Who serves a sink writes (or relays) a window
 * as soon as all positions are past it. A rank may run ahead of the slowest
 * one by `depth` windows of an owner, then it waits.
 *
 * Why nobody waits for ever: the rank with the lowest position never waits.
 * All windows below it are complete, so its own next window is the lowest one
 * that its owner still holds.
 */
#ifndef ADL_EXCHANGE_H
#define ADL_EXCHANGE_H

#include "mover.h"

struct adl_exchange {
    struct adl_mover m;
    struct adl_extents ext;   /* where the copying is */
    struct adl_cell cell;     /* cell of the next piece; end 0: none yet */
    struct adl_sink *blocked; /* whose window is not free, NULL: none */
    int copied;               /* all pieces are in the sinks */
};

/* Local, before the start agreement: publish where this rank begins. */
void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc);

/* Local, after the start agreement. The descriptors of `fd` are used on
 * aggregators only. */
void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_claim *all,
                        ADIO_File fd);
/* Local. Do what can be done without waiting. 1: done, 0: not yet. */
int adl_exchange_step(struct adl_exchange *x);
/* Local. Step until done, asleep while there is nothing to do. */
void adl_exchange_finish(struct adl_exchange *x);
/* Local, when done. The error of this rank, 0 or -errno. */
int adl_exchange_end(struct adl_exchange *x);

#endif
