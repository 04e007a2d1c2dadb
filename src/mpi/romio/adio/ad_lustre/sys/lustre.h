/* lustre.h - calls of the Lustre client: layouts, OSTs, locks of a file
 *
 * Nothing here needs liblustreapi. All functions return 0 (or what they say)
 * or -errno. On a file that is not on Lustre they give -EOPNOTSUPP (xattr) or
 * -ENOTTY (ioctl) and change nothing.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LUSTRE_H
#define ADL_LUSTRE_H

#include "../core/layout/layout.h"

#include <sys/types.h>

/* 1: on Lustre, 0: elsewhere. */
int adl_lustre_is_fd(int fd);
int adl_lustre_is_path(const char *path);
/* The same for a path. If the file does not exist, the answer is that of its
 * directory. A link that leads to no file gives -ENOENT. */
int adl_lustre_holds(const char *path);

/* ---- layout ---- */

/* The layout of an open file, or a directory's default for new files.
 * -ENODATA: it has none of its own. -EINVAL with a text: not understood. */
int adl_lustre_get_layout(int fd, const struct adl_layout_defaults *def,
                          struct adl_layout **out, struct adl_err *err);

/* The same by path, without opening the file. */
int adl_lustre_path_layout(const char *path,
                           const struct adl_layout_defaults *def,
                           struct adl_layout **out, struct adl_err *err);

/* The layout that a new file `path` would get: the default of its directory,
 * else of the nearest ancestor that has one, up to the root of the file system.
 * -ENODATA: none anywhere. */
int adl_lustre_default_layout(const char *path,
                              const struct adl_layout_defaults *def,
                              struct adl_layout **out, struct adl_err *err);

/* Open `path` with `flags` (O_CREAT is added; O_EXCL is honoured) and give it
 * the layout `blob` (from adl_layout_spec_encode), if it has no objects yet.
 * Returns the descriptor. A refused layout is no failure: the file is created
 * with the default layout, and *refused is the -errno, else 0. -EEXIST in
 * *refused: the file existed already and keeps its layout. */
int adl_lustre_create(const char *path, int flags, mode_t mode,
                      const void *blob, size_t len, int *refused);

/* An ioctl that the client answers on directories only. */
int adl_lustre_ask(const char *dir, unsigned long request, void *arg);

/* The number of OSTs of the file system of directory `dir`. -ENODATA: unknown.
 */
int adl_lustre_ost_count(const char *dir);

/* Has OST number `ost` of the file system of directory `dir` rotating disks? 1:
 * yes, 0: no, -errno: unknown. */
int adl_lustre_seeks(const char *dir, int ost);

/* ---- locks ---- */

/* Take the group lock `gid` != 0. Waits until no other group and no ordinary
 * I/O holds a lock on the file; with O_NONBLOCK returns -EAGAIN instead.
 * -EINVAL: this descriptor holds a group lock already. */
int adl_lustre_group_lock(int fd, int gid);
int adl_lustre_group_unlock(int fd, int gid);

/* An extent [start, end) to lock ahead, and the result: one of ADL_LOCKAHEAD_*
 * or -errno. */
struct adl_lock_ahead {
    int64_t start;
    int64_t end;
    int result;
};

/* Ask for `n` locks without waiting for them, in as few system calls as
 * possible. After an error no further call is made; extents that were not asked
 * for have the result -ECANCELED. -ENOTTY, -EOPNOTSUPP, -EINVAL: this Lustre
 * has no lockahead. */
int adl_lustre_lock_ahead(int fd, int write, struct adl_lock_ahead *locks,
                          int n);
/* The same, and wait until the locks are granted: clients with conflicting
 * locks give them back first. */
int adl_lustre_lock_now(int fd, int write, struct adl_lock_ahead *locks, int n);

/* From now on (until on = 0) locks for I/O on this descriptor stay as small
 * as the I/O. */
int adl_lustre_lock_noexpand(int fd, int on);

#endif
