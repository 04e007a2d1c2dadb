/* special.h - the files by which a Lustre client shows itself: the mount
 * table and the folders below /sys and /proc
 *
 * They are made in ROOT/.lustre-sim/client, as ordinary files, when a root is
 * first used, and shown under their real names: /sys/fs/lustre,
 * /sys/kernel/debug/lustre and /proc/fs/lustre are all that one folder. The
 * mount table is the machine's with one line more.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_SPECIAL_H
#define LUSTRE_SIM_SPECIAL_H

#include <limits.h>
#include "conf.h"

#define SIM_FSNAME "lsim"
#define SIM_SPECIAL_VERSION "2.17.57"

/* Write the files, unless they are there. 0 or -errno. */
int sim_special_make(const struct sim_conf *c);

/* The real path of a name below one of the folders. 0: the name is elsewhere.
 */
int sim_special_path(const struct sim_conf *c, const char *name,
                     char path[PATH_MAX]);

/* The name under which a real path is shown. 0: the path is elsewhere. */
int sim_special_name(const struct sim_conf *c, const char *path,
                     char name[PATH_MAX]);

/* For files whose contents the simulator makes (hybrid_io of this process, the
 * mount table): a descriptor on the contents. -1: any other file. */
int sim_special_open(const struct sim_conf *c, const char *name);

#endif
