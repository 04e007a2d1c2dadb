/* reduce.h - a small reduction among the nodes' leaders, step by step
 *
 * As MPI_Iallreduce, for words that must be merged in order of nodes, by
 * messages on the file's communicator (core/coll/butterfly.h): no communicator
 * of the leaders, no schedule that MPI makes and frees at every call. A leader
 * knows O(log n) others, and one reduction at a time is under way.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REDUCE_H
#define ADL_REDUCE_H

#include <stdint.h>

#include "adio.h"

#include "../../core/coll/butterfly.h"
#include "../../core/nodes/nodemap.h"
#include "../../core/text/strbuf.h"

/* `b` = `a` followed by `b`. */
typedef void adl_reduce_merge(const void *a, void *b);

#define ADL_REDUCE_BYTES 256 /* of words, at the most */

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

/* Local. For node `index` of the map; `tag`: of its messages, one kind of
 * reduction each; *comm may be another one in the next reduction. */
void adl_reduce_init(struct adl_reduce *r, const MPI_Comm *comm, int tag,
                     const struct adl_nodemap *map, int index);

/* Local. Begin to merge `words`, memory of the caller, with those of all
 * ranks. */
void adl_reduce_begin(struct adl_reduce *r, void *words, int bytes,
                      adl_reduce_merge *merge);
/* Local. 1: `words` is the result. */
int adl_reduce_test(struct adl_reduce *r);
/* Local. Which leaders one under way waits for. */
void adl_reduce_describe(const struct adl_reduce *r, struct adl_strbuf *sb);

#endif
