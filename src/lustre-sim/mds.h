/* mds.h - what the metadata server does with layouts
 *
 * Set, read, inherit, and instantiate: the rules and errors of a real Lustre.
 * Files and directories are named by a descriptor of any kind. All changes
 * are made under the metadata lock, taken inside.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_MDS_H
#define LUSTRE_SIM_MDS_H

#include <stddef.h>
#include "conf.h"
#include "core/layout/layout.h"

/* How a file is opened, as far as layouts care. */
enum {
    SIM_MDS_WRITE = 1, /* for writing: it gets its objects */
    SIM_MDS_DELAY = 2, /* O_LOV_DELAY_CREATE: it gets no objects */
    SIM_MDS_CREATE = 4 /* O_CREAT was given */
};

/* The stored layout, malloc'ed, the caller frees it. -ENODATA: none (yet). */
int sim_mds_get(const struct sim_conf *c, int fd, void **lov, size_t *len);

/* Set a file's layout and make its first objects, or a directory's default.
 * -EEXIST: the file has objects. -EINVAL: as listed for the ioctl. */
int sim_mds_set(const struct sim_conf *c, int fd, const void *lum, size_t len);

/* Add components after the last one, or remove components from the end, by id
 * or flags. -EINVAL: not a composite file, a gap, or no such component. */
int sim_mds_add(const struct sim_conf *c, int fd, const void *lum, size_t len);
int sim_mds_delete(const struct sim_conf *c, int fd, const void *lum,
                   size_t len);

/* A directory's default layout is removed. */
int sim_mds_unset(const struct sim_conf *c, int fd);

/* A regular file was opened: objects by the default layout, if it needs them.
 * `path` (canonical) names the directory that has the default. *had (may be
 * NULL): did the file have a layout before? */
int sim_mds_open(const struct sim_conf *c, int fd, const char *path, int how,
                 int *had);

/* A write up to file offset `end` is coming: all components that begin
 * before it get their objects, and the generation grows once. */
int sim_mds_instantiate(const struct sim_conf *c, int fd, uint64_t end);

/* A directory was made at `path`: it takes over its parent's default. */
int sim_mds_inherit(const struct sim_conf *c, const char *path);

/* Decode with this file system's defaults. */
int sim_mds_decode(const struct sim_conf *c, const void *lov, size_t len,
                   struct adl_layout **out);

/* The FID of an inode: sequence and object; and back. */
void sim_mds_fid(uint64_t inode, uint64_t *seq, uint64_t *oid);
uint64_t sim_mds_inode(uint64_t seq, uint64_t oid);

#endif
