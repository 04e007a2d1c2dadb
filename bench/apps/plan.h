/* plan.h - what a proxy does: files, and the calls on them in order
 *
 * A file is opened before its first call and closed after its last one, so
 * that files are open at the same time when their calls alternate. All ranks
 * add the same files and the same calls, each with its own shape; kinds of
 * shapes are the same on all ranks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_PLAN_H
#define APPS_PLAN_H

#include "shape.h"

struct plan_call {
    int file;
    int alone; /* by rank 0 only, independent; a span */
    struct shape shape;
};

struct plan_file {
    char *name;
    int64_t size;    /* known after plan_finish */
    int first, last; /* calls */
};

struct plan {
    int rank, ranks;
    int nfiles, ncalls;
    struct plan_file *files;
    struct plan_call *calls;
    int holes;              /* not every byte of a file is some rank's */
    struct shape_list list; /* for shapes that need one; freed with the plan */
    int64_t bytes;          /* of all ranks and calls, after plan_finish */
    int64_t largest;        /* bytes of this rank's largest call, likewise */
    int failed; /* the errno of a failed addition, reported by plan_finish */
};

/* The name is formatted as by printf. Returns the file's number. */
int plan_file(struct plan *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void plan_call(struct plan *p, int file, struct shape shape);

/* Rank 0 writes a span on its own, as libraries do with headers. */
void plan_header(struct plan *p, int file, int64_t at, int64_t len);

/* Room for `count` pieces in p->list, none of them filled in: 0 or -errno. */
int plan_list(struct plan *p, int count);

/* Collective: file sizes and sums. 0, or the same -errno on all ranks: ENOMEM,
 * E2BIG (a rank's call would exceed 2 GiB), ENODATA (nothing to do). */
int plan_finish(struct plan *p, MPI_Comm comm);
void plan_destroy(struct plan *p);

#endif
