/* play.h - the calls of one case, and what each rank saw
 *
 * A case opens a file of ROUNDS * ranks blocks, truncates or preallocates it if
 * that is what fails, moves ROUNDS blocks a rank, syncs, does the same again
 * with the fault over (the handle must be usable) and closes.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef FAULTS_PLAY_H
#define FAULTS_PLAY_H

#include "cases.h"

#include <mpi.h>

enum { BLOCK = 32768, PIECE = 4096, ROUNDS = 3 };

/* What the text of an error has to name. */
enum {
    TEXT_FILE = 1,
    TEXT_ERRNO = 2,
    TEXT_RANK = 4,
    TEXT_OFFSET = 8,
};

/* Everything int: it is gathered as an array. */
struct seen {
    int open;       /* error classes */
    int size;       /* set_size, preallocate */
    int io[ROUNDS]; /* the calls with the fault */
    int sync;
    int again; /* the worst of the calls after it */
    int close;
    int count_wrong; /* rounds whose status has another count than was moved */
    int data_wrong;  /* bytes read that are not the file's */
    int text;        /* what the texts of all errors so far name */
    int errors;      /* how many there were */
    int fds;         /* descriptors more than before */
    int calls;       /* of the kind that may fail */
    int fired;       /* whether this rank's fault was reached */
};
enum { SEEN_INTS = sizeof(struct seen) / sizeof(int) };

struct play {
    MPI_Comm comm;
    int rank, size;
    char path[512];    /* with "lustre:" */
    const char *plain; /* without */
    const char *name;  /* its last part */
    MPI_Offset bytes;  /* of the file */
    unsigned char *buf;
};

/* Collective. */
void play_init(struct play *p, const char *path);
void play_fini(struct play *p);

/* Collective. Play the case; `n` is the call that fails on this rank, 0: none
 * does. Rank 0 has verified the file's bytes: *file_wrong of them are neither
 * old nor new, or old after success. */
void play_case(struct play *p, const struct fault_case *c, long n,
               struct seen *seen, long *file_wrong);

/* Collective. An aggregator other than rank 0, if there is one. */
int play_aggregator(struct play *p);

#endif
