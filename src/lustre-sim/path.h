/* path.h - which files are below the root
 *
 * The kernel resolves every name (links, "..", mounts). The simulator then asks
 * the kernel for the path of the descriptor. Programs do not see the tree
 * ROOT/.lustre-sim.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_PATH_H
#define LUSTRE_SIM_PATH_H

#include <limits.h>
#include "conf.h"

/* Is a canonical path the root, or below it and not in ROOT/.lustre-sim? */
int sim_path_inside(const struct sim_conf *c, const char *path);

/* The part after ROOT/ of a path inside ("" for the root). */
const char *sim_path_below(const struct sim_conf *c, const char *path);

/* Where the descriptor is. -ENOENT: outside, or no file at all. A deleted
 * file has its last path. */
int sim_path_of_fd(const struct sim_conf *c, int fd, char path[PATH_MAX]);

/* Open a name for reference only (O_PATH): a descriptor if it is inside, and
 * its path; else -errno. `nofollow` leaves a link itself. */
int sim_path_open(const struct sim_conf *c, int dirfd, const char *name,
                  int nofollow, char path[PATH_MAX]);

/* The path of a file that does not exist yet. -ENOENT: not inside. */
int sim_path_future(const struct sim_conf *c, int dirfd, const char *name,
                    char path[PATH_MAX]);

#endif
