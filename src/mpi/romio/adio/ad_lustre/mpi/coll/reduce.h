/* reduce.h - a small reduction among the nodes' leaders, step by step
 *
 * As MPI_Iallreduce, for words that must be merged in order of nodes, by
 * recursive doubling on the file's communicator: no communicator of the
 * leaders, no schedule to be made and freed a call. Of n leaders the first
 * 2 (n - p) fold in pairs, where p is the largest power of 2 up to n, so that p
 * are left; the folded ones get the result at the end.
 *
 *     n = 6, p = 4:   0 1   2 3   4   5
 *       fold           \\|    \\|   |   |
 *       xor 1            1-----3   4---5
 *       xor 2            1---------4 ...
 *
 * A rank knows log n others, and one reduction at a time is under way.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REDUCE_H
#define ADL_REDUCE_H

#include <mpi.h>

#include "../../core/nodemap.h"

/* `b` = `a` followed by `b`. */
typedef void adl_reduce_merge(const void *a, void *b);

#define ADL_REDUCE_BYTES 256 /* of words, at the most */
#define ADL_REDUCE_STEPS 34  /* fold, 31 doublings, result, all done */

struct adl_reduce {
    const MPI_Comm *comm;
    int tag;
    int nsteps;
    struct adl_reduce_step {
        int rank; /* of the other one */
        int sends, takes;
        int after; /* ours is behind the other's in order */
    } step[ADL_REDUCE_STEPS];
    /* ---- under way ---- */
    adl_reduce_merge *merge;
    char *words;
    int bytes;
    int at; /* step */
    int begun;
    MPI_Request request[2];
    char theirs[ADL_REDUCE_BYTES], ours[ADL_REDUCE_BYTES];
};

/* Local. For node `index` of the map; `tag`: of its messages, one kind of
 * reduction each; *comm may be another one in the next reduction. */
void adl_reduce_init(struct adl_reduce *r, const MPI_Comm *comm, int tag,
                     const struct adl_nodemap *map, int index);

/* Local. Begin to make `words`, which stays the caller's, everybody's. */
void adl_reduce_begin(struct adl_reduce *r, void *words, int bytes,
                      adl_reduce_merge *merge);
/* Local. 1: they are. */
int adl_reduce_test(struct adl_reduce *r);

#endif
