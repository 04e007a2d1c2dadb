/* xattr.h - Lustre's extended attributes on simulated files and directories
 *
 * "lustre.lov" (get, set, list; removed from directories only), "trusted.lov"
 * (get, set), "lustre.lov.add" and ".del" (set: components), "lustre.pin"
 * (get, set, remove: kept, and of no effect) and, our own, "lustre.sim.osts":
 * the number of OSTs in decimal (get).
 * Where the file is named by a descriptor, any kind will do.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_XATTR_H
#define LUSTRE_SIM_XATTR_H

#include <sys/types.h>
#include "proc.h"

/* Is the name one of ours? */
int sim_xattr_ours(const char *name);

/* As getxattr(2), with -errno. */
ssize_t sim_xattr_get(struct sim_proc *p, int fd, const char *name, void *buf,
                      size_t size);

int sim_xattr_set(struct sim_proc *p, int fd, const char *name,
                  const void *value, size_t size, int flags);

int sim_xattr_remove(struct sim_proc *p, int fd, const char *name);

/* The list of names for the program, made from the kernel's whole list of len
 * bytes: the simulator's names are added, the store's are removed. As
 * listxattr(2), with -errno. */
ssize_t sim_xattr_list(struct sim_proc *p, int fd, const char *list, size_t len,
                       char *buf, size_t size);

#endif
