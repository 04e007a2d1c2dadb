/* play.h - do what a scene says, and compare */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_PLAY_H
#define ORACLE_PLAY_H

#include <mpi.h>

#include "scene.h"

struct player {
    MPI_Comm comm; /* of the case */
    int rank;
    const char *name;               /* for MPI_File_open */
    const char *path;               /* for open(2) */
    void (*at)(int file, int step); /* called with the current file and step */
    int (*replay)(char *text, size_t room); /* how to repeat the case */
};

/* A case: `n` scenes, each on a file of its own, their steps in turn. Files
 * after the first have a number at the end of name and path. Collective over
 * player->comm. 0: as it must be; else it was said on stderr. An error of MPI's
 * ends the job. */
int play_scenes(const struct player *player, const struct scene *sc, int n);

#endif
