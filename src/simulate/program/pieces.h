/* pieces.h - the bytes of the file that a rank accesses in a call of a pattern
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_PIECES_H
#define SIMULATE_PIECES_H

#include "program.h"

struct piece {
    int64_t off, len;
};
struct pieces {
    struct piece *of;
    int64_t n, room, bytes;
};

/* The pieces ascend and do not overlap. Those of different ranks do not overlap
 * either, except in reads of a pattern with `overlap`. The result depends on
 * the arguments only. */
void pieces_make(const struct job *job, int rank, int call, int reading,
                 struct pieces *out);
void pieces_free(struct pieces *p);

/* An array of three or four dimensions, the last one the fastest in the file,
 * cut into a box for each rank. All boxes have `size` elements a side. */
struct grid {
    int dims;
    int64_t size, element; /* element: bytes of one */
    int sides[4];          /* boxes in each dimension */
};

/* The array of a pattern that is a lattice, and a rank's box in it. */
void pieces_grid(const struct job *job, struct grid *out);
void pieces_box(const struct grid *g, int rank, int at[4]);

#endif
