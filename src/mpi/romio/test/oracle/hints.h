/* hints.h - random hints of a case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_HINTS_H
#define ORACLE_HINTS_H

#include "scene.h"

/* What the rest of the scene must know of the hints. */
struct limits {
    int64_t bytes; /* of all ranks in a call: tiny buffers are slow */
    int collective_only;
    int group_lock;
    int no_exchange; /* neither reads nor writes use collective buffering */
    int sieving;     /* writes of other ranks are read and written back */
};

void hints_make(struct rng *rng, const struct studio *studio, int n,
                struct hints *out, struct limits *limits);
/* Those that may change on an open file. */
void hints_change(struct rng *rng, struct hints *out);

#endif
