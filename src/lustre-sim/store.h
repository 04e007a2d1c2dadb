/* store.h - where the layout of a file or directory is kept
 *
 * A record is the binary "lustre.lov" with a small head that names the inode,
 * so that a copied record (cp -a) or a reused inode number is recognised and
 * ignored. It is in the xattr "user.lustre_sim.lov" of the inode itself; where
 * that does not fit or the file system has no user xattrs, in
 * ROOT/.lustre-sim/layout/INODE.
 *
 * Files are named by a descriptor, of any kind (O_PATH too). A change is made
 * under the metadata lock: lock, get, change, put, unlock.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_STORE_H
#define LUSTRE_SIM_STORE_H

#include <stddef.h>
#include <stdint.h>
#include "conf.h"

#define SIM_STORE_XATTR "user.lustre_sim.lov"
#define SIM_LOV_MAX 65536 /* the largest layout, as in Lustre */

/* Wait for the metadata lock: a descriptor for unlock, or -errno. Given back
 * by the kernel if the process dies. */
int sim_store_lock(const struct sim_conf *c);
void sim_store_unlock(int lock);

/* The layout, malloc'ed (never NULL), the caller frees. *len = 0: a file made
 * without objects (O_LOV_DELAY_CREATE). -ENODATA: no record at all. */
int sim_store_get(const struct sim_conf *c, int fd, void **lov, size_t *len);

/* Keep a layout (lov may be NULL if len is 0). */
int sim_store_put(const struct sim_conf *c, int fd, const void *lov,
                  size_t len);

/* A number that identifies the inode as long as it exists, also after its inode
 * number was reused, if the file system below gives a generation or time of
 * creation. -errno. */
int sim_store_identity(int fd, uint64_t *out);

/* Forget the record, if any. */
void sim_store_drop(const struct sim_conf *c, int fd);

#endif
