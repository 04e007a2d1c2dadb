/* scene.h - one random case: a file, its hints, and what is done with it
 *
 * A case with several files has a scene for each; their steps are played in
 * turn. A scene is a function of seed and number alone, so that every rank
 * makes the same one, with the parts of all ranks, and the model can be played
 * by one of them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_SCENE_H
#define ORACLE_SCENE_H

#include "access.h"
#include "extras.h"

#define SCENE_STEPS 64
#define SCENE_FILES 3
#define SCENE_HINTS 24

enum what { WHAT_WRITE, WHAT_READ, WHAT_NONBLOCK, WHAT_ALL };

/* How a request is made. */
enum call {
    CALL_ALL,      /* MPI_File_write_all, _read_all */
    CALL_AT_ALL,   /* ..._at_all */
    CALL_SPLIT,    /* ..._all_begin, _end */
    CALL_AT_SPLIT, /* ..._at_all_begin, _end */
    CALL_ORDERED,  /* ..._ordered */
    CALL_ORDERED_SPLIT,
    CALL_IALL,    /* MPI_File_iwrite_all, _iread_all */
    CALL_IAT_ALL, /* MPI_File_iwrite_at_all, ... */
    CALL_ALONE,   /* MPI_File_write, _read, by some ranks */
    CALL_ALONE_AT,
    CALL_ALONE_IAT, /* MPI_File_iwrite_at */
};

enum act {
    ACT_VIEW,
    ACT_WRITE,
    ACT_READ,
    ACT_WAIT, /* for the nonblocking calls so far */
    ACT_SYNC, /* sync, barrier, sync; the file is compared */
    ACT_SEEK, /* individual pointers, to request.pos */
    ACT_RESIZE,
    ACT_ATOMIC, /* switch it on or off */
    ACT_INFO,   /* set_info with other hints */
};

struct hint {
    const char *key;
    char value[96];
};
struct hints {
    struct hint of[SCENE_HINTS];
    int n;
};

struct step {
    enum act act;
    enum call call;
    int number; /* of a write, for the image */
    int on;     /* ATOMIC; WRITE: in atomic mode; SYNC: compare */
    int keep;   /* nonblocking: keep the datatypes until the end */
    int64_t size;
    struct views *views;
    struct hints *hints;
    struct request of[MAX_RANKS];
    int64_t after[MAX_RANKS]; /* pointers after the call, in etypes */
    int64_t shared_after;
};

struct scene {
    uint64_t seed;
    int64_t number;
    uint64_t key;
    int extras; /* enum extra: what this case has of them */
    int files;  /* of the case */
    int file;   /* which of them this is: 0 is the first */
    int n;      /* ranks */
    int spread; /* over the world, not its first ranks */
    int read_only, write_only;
    int two_steps;    /* made and filled first, then opened by all */
    int self_differs; /* other ranks give other hints */
    int64_t base, prefill;
    int compare_open; /* another descriptor may read while the file is open */
    int no_order;     /* calls may be without exchange, and then do not wait */
    struct hints hints;
    struct step step[SCENE_STEPS];
    int steps;
    struct arena arena;
};

/* What scenes are made for. */
struct studio {
    uint64_t seed;
    enum what what;
    int world;    /* ranks */
    int lustre;   /* layouts can be asked for */
    int no_locks; /* no atomic mode, no shared file pointers */
    int extras;   /* enum extra: what cases may have */
    int scarce;   /* there may be no memory for collective buffering */
};

/* The first file of a case. */
void scene_make(struct scene *sc, const struct studio *studio, int64_t number);
/* File `file` of the case, for the same ranks; first->files is their number. */
void scene_make_beside(struct scene *sc, const struct studio *studio,
                       const struct scene *first, int file);
void scene_free(struct scene *sc);
void scene_print(const struct scene *sc, FILE *to);
const char *act_name(const struct step *step);

#endif
