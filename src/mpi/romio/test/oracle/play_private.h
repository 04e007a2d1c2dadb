/* play_private.h - what the parts of the player share */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_PLAY_PRIVATE_H
#define ORACLE_PLAY_PRIVATE_H

#include "image.h"
#include "play.h"

#define PLAY_PENDING 16

/* A request under way or just done. */
struct transfer {
    const struct step *step;
    const struct request *q;
    struct runs runs;
    unsigned char *memory; /* what was allocated */
    int64_t size;          /* of it */
    unsigned char *origin; /* the buffer, at datatype offset 0 */
    unsigned char *device; /* its memory on a device, or NULL */
    unsigned char *given;  /* the buffer as MPI gets it */
    MPI_Datatype type;     /* NULL: freed already */
    MPI_Request request;
};

struct play {
    const struct player *player;
    const struct scene *sc;
    char name[4096], path[4096];
    int step;
    int failed;
    MPI_File fh;
    int fd;           /* a plain descriptor to compare by, -1: none */
    struct image img; /* rank 0 */
    struct transfer pending[PLAY_PENDING];
    int npending;
};

/* Say what is wrong, and how to repeat it. */
__attribute__((format(printf, 2, 3))) void play_wrong(struct play *p,
                                                      const char *fmt, ...);
/* An MPI call that must succeed: ends the job if it did not. */
void play_must(struct play *p, const char *what, int rc);

/* Do a write or read step; nonblocking ones are left in p->pending. */
void transfer_do(struct play *p, const struct step *step);
/* Complete those. */
void transfer_wait(struct play *p);

#endif
