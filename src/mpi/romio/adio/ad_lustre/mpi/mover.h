/* mover.h - what a collective write and a collective read have in common
 *
 * One rank's part of one call: who it is, what it moves, and on an aggregator
 * the task of its io thread. Embedded first in adl_exchange (writing) and
 * adl_fetching (reading), which know the way of the data.
 */
#ifndef ADL_MOVER_H
#define ADL_MOVER_H

#include "access.h"
#include "engine.h"
#include "progress.h"
#include "serve.h"

struct adl_mover {
    struct adl_engine *eng;
    ADIO_File fd;
    struct adl_access *acc;
    struct adl_seat *seat;
    int shift; /* unit of the coverage */
    int64_t call;
    int64_t start; /* lowest offset of all ranks */
    int rc;        /* of what this rank moved itself */
    int serving;   /* on aggregators: `serve` is under way or done */
    struct adl_serve serve;
    struct adl_pause pause;
};

/* Local, after the start agreement. The caller has zeroed what is around. */
void adl_mover_begin(struct adl_mover *m, struct adl_engine *eng,
                     struct adl_access *acc, const struct adl_claim *all,
                     ADIO_File fd);

/* Local, on aggregators: fill in what `serve` needs for either direction; then
 * the caller adds its own and submits. */
void adl_mover_serve(struct adl_mover *m, void (*run)(struct adl_iotask *));
void adl_mover_submit(struct adl_mover *m);
/* Local. 1: nothing is left of the io thread's part. */
int adl_mover_served(struct adl_mover *m);

/* Local. May a piece that is alone in its cell go between the user's memory and
 * the file directly? Away from Lustre no lock ties an object to its owner, and
 * copying pays for small pieces only. Not in a dense call: there the owner
 * moves every cell. */
int adl_mover_alone(const struct adl_mover *m, const struct adl_extents *ext,
                    const struct adl_cell *cell);

/* Local. Wait a bit: for messages between two looks at them (`done`: our own
 * data are gone, so that it is others we wait for), for the io thread. */
void adl_mover_await_messages(struct adl_mover *m, int done);
void adl_mover_await_io(struct adl_mover *m);

/* Local, when done. Leave in the access what the end agreement and the report
 * want to know. The error of this rank's part, 0 or -errno. */
int adl_mover_end(struct adl_mover *m, const char *what);

#endif
