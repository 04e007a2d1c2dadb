/* world.h - run one case in this process, once */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_WORLD_H
#define SIMULATE_WORLD_H

#include "case.h"

enum verdict {
    RIGHT = 0,
    WRONG = 1,
    USAGE = 2,
    HANG = 3,
    FAILED = 4,
    CRASH = 5
};
const char *verdict_name(enum verdict v);

struct world_options {
    const char *dir;      /* for the case's files; the caller removes it */
    const char *rank_lib; /* with the driver; NULL: beside the program */
    int verbose;          /* print the case first, and figures at the end */
    int scale;            /* ... and the line of `simulate scale` */
};

/* Run the ranks as fibers, answer their MPI and system calls, and compare every
 * byte of the files with the model. May be called once in a process, because
 * its state is not cleared afterwards. */
enum verdict world_run(const struct sim_case *c,
                       const struct world_options *options);

/* The directory of the program, where its libraries are. */
const char *world_home(void);

#endif
