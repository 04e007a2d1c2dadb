/* terms.h - what all ranks know of a collective call after its start */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TERMS_H
#define ADL_TERMS_H

#include <stdint.h>

#include "claim.h"

struct adl_terms {
    int64_t call;       /* number of the call on this file */
    int64_t start, end; /* span of what all ranks access */
    int64_t bytes;      /* bytes of all ranks together */
    int shift;          /* unit of the coverage: 2^shift bytes */
    int write;
    int whole; /* reading: windows are read whole, ranks send no requests */
    int exact; /* the pieces cover every byte of the span exactly once */
    int apart; /* no byte of the span comes twice, see plan.h */
    /* writing: many pieces with gaps; the gaps have at most as many bytes as
     * the pieces */
    int ragged;
    /* Writing: no rank has written a byte at or after this offset, and there is
     * no other writer. An aggregator may fill gaps there with zeros. INT64_MAX:
     * there is no such offset. */
    int64_t fresh;
};

/* The terms that follow from the claim of all ranks. `exact`: see plan.h;
 * `grain`: what window borders are multiples of (window.h); `sieve`: bytes that
 * no rank asked for may be read. */
void adl_terms_set(struct adl_terms *t, const struct adl_claim *all, int exact,
                   int64_t grain, int sieve);

/* The part of [start, end) that lies in the span. Returns its length, 0 if
 * there is none. */
int64_t adl_terms_part(const struct adl_terms *t, int64_t start, int64_t end,
                       int64_t *off);

#endif
