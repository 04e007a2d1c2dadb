/* inode.h - what a descriptor is, its size only if somebody wants it
 *
 * Lustre keeps the size on the OSTs: fstat asks each of the file's, and they
 * ask the clients that write. statx without STATX_SIZE asks the MDS only.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INODE_H
#define ADL_INODE_H

#include <stdint.h>

struct adl_inode {
    uint64_t number;
    uint64_t dev; /* which file system, as st_dev */
    int is_dir;
    int64_t size; /* 0 unless wanted */
};

/* 0 or -errno. */
int adl_inode_look(int fd, int with_size, struct adl_inode *out);

/* The size as this client has it in mind, no server being asked: of a striped
 * file it may be that of the objects which the client has read. 0: nothing is
 * known. */
int64_t adl_inode_size_seen(int fd);

/* 1: the path leads to something. */
int adl_inode_exists(const char *path);

#endif
