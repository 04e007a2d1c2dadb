/* reduce.h - a small reduction among the nodes' leaders, step by step
 *
 * It does the same as MPI_Iallreduce, for words that must be merged in the
 * order of the nodes. It uses messages on the file's communicator
 * (core/coll/butterfly.h), so it needs no communicator of the leaders, and MPI
 * need not make a schedule for every call. A leader sends to O(log n) others.
 * Only one reduction is under way at a time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REDUCE_H
#define ADL_REDUCE_H

#include <stdint.h>

#include "adio.h"

#include "../../core/coll/butterfly.h"
#include "../../core/nodes/nodemap.h"
#include "../../core/text/strbuf.h"

/* Merge `a`, of lower nodes, into `b`. */
typedef void adl_reduce_merge(const void *a, void *b);

#define ADL_REDUCE_BYTES 256 /* most bytes of words */

struct adl_reduce {
    const MPI_Comm *comm;
    int tag;
    int nsteps;
    struct adl_butterfly_step step[ADL_BUTTERFLY_STEPS]; /* with which ranks */
    /* ---- under way ---- */
    adl_reduce_merge *merge;
    char *words;
    int bytes;
    int at; /* step */
    int begun;
    MPI_Request request[2 * ADL_BUTTERFLY_OTHERS]; /* receives, then sends */
    int64_t theirs[ADL_BUTTERFLY_OTHERS][ADL_REDUCE_BYTES / 8];
    int64_t ours[ADL_REDUCE_BYTES / 8]; /* being sent */
};

/* Local. For the leader of node `index` of the map. `tag`: of its messages;
 * each kind of reduction has a tag of its own. *comm may be another one in the
 * next reduction. */
void adl_reduce_init(struct adl_reduce *r, const MPI_Comm *comm, int tag,
                     const struct adl_nodemap *map, int index);

/* Local. Begin to merge `words`, which is the caller's memory, with the words
 * of all leaders. */
void adl_reduce_begin(struct adl_reduce *r, void *words, int bytes,
                      adl_reduce_merge *merge);
/* Local. 1: `words` is the result. */
int adl_reduce_test(struct adl_reduce *r);
/* Local. Append the leaders that a reduction under way waits for. */
void adl_reduce_describe(const struct adl_reduce *r, struct adl_strbuf *sb);

#endif
