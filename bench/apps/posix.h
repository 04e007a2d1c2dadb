/* posix.h - plain system calls on a common file, with a verdict */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_POSIX_H
#define APPS_POSIX_H

#include "shape.h"
#include "verdict.h"
#include <stdint.h>

/* Collective. Returns a descriptor on all ranks, or -1 on all ranks and a
 * verdict. */
int posix_open(const char *path, int write, MPI_Comm comm, struct verdict *v);

/* Move all of `len` bytes. 0 or -errno; ENODATA: the file ends earlier. */
int posix_move(int fd, int write, void *buf, int64_t len, int64_t off);

/* Move every piece of a shape; in memory the pieces follow each other without
 * gaps. */
void posix_pieces(int fd, int write, const struct shape *s, void *buf,
                  const char *path, struct verdict *v);

int64_t posix_size(int fd, const char *path, struct verdict *v);
void posix_close(int fd, int sync, const char *path, struct verdict *v);

/* Collective; the file need not exist. */
void posix_remove(const char *path, MPI_Comm comm);

#endif
