/* child.h - run a case in a process of its own
 *
 * A case may crash or never end, and a process can run only one (world.h). The
 * child gets a directory in memory (/dev/shm), which is removed afterwards.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_CHILD_H
#define SIMULATE_CHILD_H

#include "world.h"

struct child_result {
    enum verdict verdict;
    char *output; /* what it printed, out and err; the caller frees it */
    double cpu;   /* seconds */
};

/* `cpu` seconds of processor time at most (0: no limit). quiet: output is kept
 * and not shown. */
void child_run(const struct sim_case *c, const struct world_options *options,
               int quiet, int cpu, struct child_result *out);

/* All items that make the case smaller: an array of *n texts, freed whole with
 * each text by the caller. */
char **child_items(const struct sim_case *c,
                   const struct world_options *options, int *n);

#endif
