/* inode.h - what kind of file a descriptor is; its size only on request
 *
 * Lustre keeps the size on the OSTs: fstat asks all OSTs of the file, and these
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
    int64_t size; /* 0 unless asked for */
};

/* 0 or -errno. */
int adl_inode_look(int fd, int with_size, struct adl_inode *out);

/* The size that this client has cached, without asking a server. For a striped
 * file it may cover only the objects that the client has read. 0: unknown. */
int64_t adl_inode_size_seen(int fd);

/* 1: the path exists. */
int adl_inode_exists(const char *path);
/* The same, but also 1 for a link that leads to no file. */
int adl_inode_is_named(const char *path);

#endif
