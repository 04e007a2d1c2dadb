/* hints.h - random hints of a case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_HINTS_H
#define ORACLE_HINTS_H

#include "scene.h"

/* What the rest of the scene must know of the hints. */
struct limits {
    int64_t bytes; /* of all ranks in a call: tiny buffers are slow */
    int64_t pool;  /* the node buffer; 0: not asked for */
    int collective_only;
    int group_lock;
    int no_exchange; /* calls may go without collective buffering */
    int sieving;     /* writes of other ranks are read and written back */
};

/* Fills in sc->hints; its ranks and extras are known. */
void hints_make(struct rng *rng, const struct studio *studio, struct scene *sc,
                struct limits *limits);
/* Those that may change on an open file. With a small pool calls are large:
 * there buffers for sieving are not tiny, which would cost a system call for
 * every few bytes. */
void hints_change(struct rng *rng, const struct limits *limits,
                  struct hints *out);
int hints_disable(const struct hints *h, const char *key);

#endif
