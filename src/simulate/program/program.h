/* program.h - the MPI programs that the simulated ranks run
 *
 * The programs are part of the ranks' library, because they run as ranks: they
 * call MPI and open files. The harness calls them through simulate_program.
 *
 *   scenes   the cases of the oracle (src/mpi/romio/test/oracle): random hints,
 *            views, datatypes and calls; one after the other or two at a time
 *            on parts of the world; up to 16 ranks, a model of every byte
 *   pattern  one access pattern on any number of ranks: a byte's value is a
 *            function of its offset; a fault of the file system may be an
 *            error, of one class on all ranks, and never a hang
 *   progress the legal programs of t4001 (src/mpi/romio/test/progress.c), one a
 *            case, on any even number of ranks
 *   shared   reads and writes by the shared file pointer, alone and all ranks
 *            together: every record is there once, and whole
 *
 * A program can be made smaller by items, words such as "step:0.3" or
 * "hint:cb_nodes", each of which takes something away; program_items lists
 * those that apply.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_PROGRAM_H
#define SIMULATE_PROGRAM_H

#include <stdint.h>
#include <stdio.h>

#define JOB_HINTS 24
#define JOB_ITEMS 256

struct job_hint {
    char key[48], value[96];
};

enum pattern_kind {
    PATTERN_BLOCK,   /* rank after rank */
    PATTERN_STRIDE,  /* records in turn */
    PATTERN_ODD,     /* records in turn, in another order each time */
    PATTERN_HOLES,   /* half of the file, records of changing length */
    PATTERN_RANDOM,  /* stretches of any length, some of no rank */
    PATTERN_LATTICE, /* a cubic array, a box each, ghost cells in memory */
    PATTERN_KINDS,   /* those that numbers draw */
    /* `simulate scale` only. Four-dimensional, a record a site: */
    PATTERN_LATTICE4 = PATTERN_KINDS,
    PATTERN_FIELDS /* a call is a variable: levels of a plane, cut in tiles */
};

/* PATTERN_*: what is written and read. */
struct pattern {
    enum pattern_kind kind;
    int64_t bytes;  /* of a rank in a call, about */
    int64_t record; /* bytes of a piece */
    int calls;      /* writes, then as many reads */
    int files;      /* open at the same time, called in turn */
    int rounds;     /* the whole program is repeated so often */
    int nonblocking;
    int gaps;    /* bytes of each block and gap in memory; 0: contiguous */
    int overlap; /* reads reach into what the next rank reads */
    int again;   /* calls in the same place, as if in time steps */
    int write_only;
    int independent; /* every n-th call is independent; 0: none */
    int sync;        /* MPI_File_sync after the writes */
    int by_hand;     /* messages and pwrite (byhand.h) in place of MPI-IO */
    int next; /* where the next call's bytes are: 0 behind a gap, 1 behind this
               * call's, 2 of blocks: behind the rank's own */
    int cold; /* reads follow a close, with empty caches, and another open */
};

enum program_kind {
    PROGRAM_PATTERN,
    PROGRAM_SCENES,
    PROGRAM_PROGRESS,
    PROGRAM_SHARED
};

struct job {
    enum program_kind kind;
    uint64_t number;
    int ranks, nodes, lustre;
    int generic;   /* ROMIO's generic driver, on Lustre too */
    char dir[256]; /* for the files */
    struct job_hint hint[JOB_HINTS];
    int hints;
    struct pattern pattern;
    int errors;   /* lustre-sim injects faults: calls may fail */
    int lossy;    /* ... a client may lose what it has not written back */
    int multiple; /* MPI_THREAD_MULTIPLE */
    int scarce;   /* memory or threads may be refused */
    int again;    /* an earlier job was killed while it did the same */
    int counted;  /* what the servers have counted is part of the figures */
    const char *item[JOB_ITEMS]; /* that are taken away */
    int items;
};

struct program;
struct program_ops {
    struct program *(*make)(const struct job *job);
    int (*ranks)(const struct program *p);
    void (*print)(const struct program *p, FILE *to);
    void (*items)(const struct program *p,
                  void (*fn)(const char *item, void *arg), void *arg);
    void (*run)(struct program *p); /* a rank's part */
    /* The job was killed; from now on it is run once more. */
    void (*next_job)(struct program *p);
    int64_t (*wrong)(const struct program *p);
};
extern const struct program_ops simulate_program;

/* What the programs share. */
int job_has_item(const struct job *job, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void job_print_hints(const struct job *job, FILE *to);

struct scenes;
struct scenes *scenes_make(const struct job *job);
int scenes_ranks(const struct scenes *s);
void scenes_print(const struct scenes *s, FILE *to);
void scenes_items(const struct scenes *s,
                  void (*fn)(const char *item, void *arg), void *arg);
/* Prints each wrong result to stderr. Returns their number. */
int64_t scenes_run(const struct scenes *s, int rank);

void progress_print(const struct job *job, FILE *to);
int64_t progress_run(const struct job *job, int rank);

void shared_print(const struct job *job, FILE *to);
int64_t shared_run(const struct job *job, int rank);

int64_t pattern_run(const struct job *job, int rank);
void pattern_print(const struct job *job, FILE *to);

#endif
