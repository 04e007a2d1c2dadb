/* exchange_read.h - the collective engine, reading
 *
 * The same owners and windows as for writing. Every rank walks its pieces
 * twice: a first cursor marks them as wishes in the owners' windows, as far as
 * the windows are free; the owners read what is wished for, ahead; a second
 * cursor copies the pieces out of windows that are ready. Bytes that several
 * ranks of a node want are read once and, from another node, travel once.
 */
#ifndef ADL_EXCHANGE_READ_H
#define ADL_EXCHANGE_READ_H

#include "mover.h"

/* One pass over the pieces: the next piece, and the cell it lies in. */
struct adl_cursor {
    struct adl_extents ext;
    struct adl_cell cell; /* end 0: none yet */
    struct adl_sink *blocked;
    int done;
};

struct adl_fetching {
    struct adl_mover m;
    struct adl_cursor wish, copy;
    int64_t bytes; /* that came into the user's buffer */
};

/* As adl_exchange_*. */
void adl_fetching_prepare(struct adl_engine *eng, const struct adl_access *acc);
void adl_fetching_start(struct adl_fetching *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_claim *all,
                        ADIO_File fd);
int adl_fetching_step(struct adl_fetching *x);
void adl_fetching_finish(struct adl_fetching *x);
int adl_fetching_end(struct adl_fetching *x);

#endif
