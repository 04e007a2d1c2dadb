/* pieces.h - which bytes of the file are a rank's in a call of a pattern */
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

/* Ascending, without overlap; of different ranks too, but for reads of a
 * pattern with overlap. A function of its arguments alone. */
void pieces_make(const struct job *job, int rank, int call, int reading,
                 struct pieces *out);
void pieces_free(struct pieces *p);

/* The box of a rank in a cubic array of `ranks` boxes: its place and the
 * number of boxes a side. */
void pieces_box(int ranks, int rank, int at[3], int sides[3]);

#endif
