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

/* The box of a rank in a cubic array of `ranks` boxes: its place and the
 * number of boxes a side. */
void pieces_box(int ranks, int rank, int at[3], int sides[3]);

#endif
