/* io_posix.c - files by pwrite and pread: one for all ranks, or one each
 *
 * What a program does without MPI-IO. In a common file every rank writes its
 * pieces where they belong, one system call a piece. In a file of its own it
 * writes the bytes of each call one after the other; such a file can only be
 * read in the order in which it was written.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "io.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct io_file {
    int fd, write, apart;
    char *path;
    const struct shape *last;
    int64_t at, end; /* apart: the place of the last call's bytes */
};

int posix_move(int fd, int write, void *buf, int64_t len, int64_t off)
{
    for (int64_t done = 0; done < len;) {
        char *at = (char *)buf + done;
        ssize_t n = write ? pwrite(fd, at, len - done, off + done)
                          : pread(fd, at, len - done, off + done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENODATA;
        done += n;
    }
    return 0;
}

struct moving {
    int fd, write;
    char *buf; /* moves on */
    const char *path;
    struct verdict *v;
};

static void move_piece(void *arg, int64_t off, int64_t len)
{
    struct moving *m = arg;
    int rc = posix_move(m->fd, m->write, m->buf, len, off);

    if (rc < 0)
        verdict_set(m->v, APP_FAILED, "%s: %s at %lld: %s", m->path,
                    m->write ? "write" : "read", (long long)off, strerror(-rc));
    m->buf += len;
}

void posix_pieces(int fd, int write, const struct shape *s, void *buf,
                  const char *path, struct verdict *v)
{
    struct moving m = {fd, write, buf, path, v};

    shape_each(s, move_piece, &m);
}

int posix_open(const char *path, int write, MPI_Comm comm, struct verdict *v)
{
    int fd = open(path, write ? O_RDWR | O_CREAT : O_RDONLY, 0666), ok;

    if (fd < 0)
        verdict_set(v, APP_FAILED, "%s: open: %s", path, strerror(errno));
    ok = fd >= 0;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_LAND, comm);
    if (ok)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

void posix_remove(const char *path, MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        unlink(path);
    MPI_Barrier(comm);
}

int64_t posix_size(int fd, const char *path, struct verdict *v)
{
    off_t size = lseek(fd, 0, SEEK_END);

    if (size < 0)
        verdict_set(v, APP_FAILED, "%s: size: %s", path, strerror(errno));
    return size;
}

void posix_close(int fd, int sync, const char *path, struct verdict *v)
{
    if (sync && fsync(fd) < 0)
        verdict_set(v, APP_FAILED, "%s: fsync: %s", path, strerror(errno));
    if (close(fd) < 0)
        verdict_set(v, APP_FAILED, "%s: close: %s", path, strerror(errno));
}

/* The name of a rank's own file, which the caller frees. */
static char *own_name(const char *path, MPI_Comm comm)
{
    size_t size = strlen(path) + 16;
    char *name = malloc(size);
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (name)
        snprintf(name, size, "%s.%d", path, rank);
    return name;
}

/* `path` is ours from now on. */
static struct io_file *open_path(char *path, const struct io_mode *mode,
                                 MPI_Comm comm, struct verdict *v)
{
    struct io_file *f = calloc(1, sizeof(*f));

    if (!path || !f)
        verdict_set(v, APP_FAILED, "out of memory");
    if (!f ||
        (f->fd = posix_open(path ? path : "", mode->write, comm, v)) < 0) {
        free(path);
        free(f);
        return NULL;
    }
    f->path = path;
    f->write = mode->write;
    return f;
}

static struct io_file *shared_open(const char *path, const struct io_mode *mode,
                                   MPI_Comm comm, struct verdict *v)
{
    return open_path(strdup(path), mode, comm, v);
}

static struct io_file *own_open(const char *path, const struct io_mode *mode,
                                MPI_Comm comm, struct verdict *v)
{
    struct io_file *f = open_path(own_name(path, comm), mode, comm, v);

    if (f)
        f->apart = 1;
    return f;
}

static void posix_call(struct io_file *f, const struct shape *s, int alone,
                       void *buf, struct verdict *v)
{
    struct shape own;

    (void)alone;
    if (!f->apart) {
        posix_pieces(f->fd, f->write, s, buf, f->path, v);
        return;
    }
    if (s != f->last)
        f->at = f->end;
    f->last = s;
    f->end = f->at + shape_bytes(s);
    own = shape_span(f->at, f->end - f->at);
    posix_pieces(f->fd, f->write, &own, buf, f->path, v);
}

static int64_t shared_size(struct io_file *f, struct verdict *v)
{
    return posix_size(f->fd, f->path, v);
}

static void posix_close_file(struct io_file *f, int sync, struct verdict *v)
{
    posix_close(f->fd, sync && f->write, f->path, v);
    free(f->path);
    free(f);
}

static void own_remove(const char *path, MPI_Comm comm)
{
    char *name = own_name(path, comm);

    if (name)
        unlink(name);
    free(name);
    MPI_Barrier(comm);
}

const struct io_api io_posix = {
    .name = "POSIX, shared file",
    .open = shared_open,
    .call = posix_call,
    .size = shared_size,
    .close = posix_close_file,
    .remove = posix_remove,
};

const struct io_api io_fpp = {
    .name = "POSIX, file per process",
    .apart = 1,
    .open = own_open,
    .call = posix_call,
    .size = shared_size,
    .close = posix_close_file,
    .remove = own_remove,
};
