/* indep.c - I/O of one rank on its own */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "indep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/messages/usercopy.h"
#include "../../core/text/minmax.h"
#include "../../sys/lock.h"
#include "../../sys/mem.h"
#include "../../sys/rw.h"
#include "../../sys/userrw.h"
#include "../file/failure.h"
#include "../locks/lockmode.h"
#include "../file/file.h"
#include "../file/descriptor.h"
#include "../../node/prefetch.h"

/* A gap shorter than this costs less than a second read. */
#define READ_THROUGH 65536

int adl_indep_read(ADIO_File fd, void *buf, MPI_Count len, ADIO_Offset offset,
                   MPI_Count *done)
{
    struct adl_file *f = adl_file_of(fd);
    size_t n = 0;
    int64_t t;
    int rc = adl_descriptor_ready(fd, 1);

    if (!rc) {
        adl_lockmode_alone(fd, 0, offset, len);
        t = adl_prof_now(f->prof);
        rc = adl_userrw_read(fd->fd_sys, buf, len, offset, &n);
        adl_prof_io(f->prof, 0, ADL_READS, offset, n, t);
        adl_failure_rw(f, "read", offset + n, rc);
    }
    *done = n;
    return rc;
}

static int write_bytes(ADIO_File fd, const void *buf, int64_t len, int64_t off,
                       MPI_Count *done)
{
    struct adl_file *f = adl_file_of(fd);
    size_t n = 0;
    int64_t t;
    int rc = adl_descriptor_ready(fd, 0);

    adl_prefetch_forget(f->prefetch);
    if (!rc) {
        f->apart = adl_max(f->apart, off + len);
        adl_lockmode_alone(fd, 1, off, len);
        t = adl_prof_now(f->prof);
        rc = adl_userrw_write(fd->fd_sys, buf, len, off, &n);
        adl_prof_io(f->prof, 0, ADL_WRITES, off, n, t);
        adl_failure_rw(f, "write", off + n, rc);
    }
    /* MPI_File_sync asks this; a failed write may have left bytes too. */
    fd->dirty_write = 1;
    *done = n;
    return rc;
}

/* Where other processes may sieve, bytes must not come between their read and
 * their write; nor where this process's io thread fills gaps. On a file system
 * without locks no process sieves. */
static void guard_write(ADIO_File fd, int64_t off, int64_t len, int romio_locks,
                        struct adl_lock *lock)
{
    const struct adl_file *f = adl_file_of(fd);

    if (len > 0 && f->sieves && !romio_locks &&
        adl_lock_write(fd->fd_sys, off, len, lock) == 0)
        return;
    if (len > 0 && f->fill_gid)
        adl_lock_here(fd->fd_sys, off, len, lock);
}

/* In atomic mode ROMIO has locked the bytes of a contiguous write. */
int adl_indep_write(ADIO_File fd, const void *buf, MPI_Count len,
                    ADIO_Offset offset, MPI_Count *done)
{
    struct adl_lock lock = {0};
    int rc = adl_descriptor_ready(fd, 0);

    *done = 0;
    if (rc < 0)
        return rc;
    guard_write(fd, offset, len, fd->atomicity, &lock);
    rc = write_bytes(fd, buf, len, offset, done);
    adl_lock_drop(&lock);
    return rc;
}

/* Gathers pieces that follow each other in the file into one write. */
struct stage {
    ADIO_File fd;
    const struct adl_mem_hold *hold; /* device memory that is gathered */
    char *buf;
    int64_t size; /* of buf */
    int64_t off;  /* file offset of buf[0] */
    int64_t len;  /* bytes in buf */
    int sieve;
    int rc;
};

static int put_stage(struct stage *s, const char *buf, int64_t off, int64_t len)
{
    MPI_Count done;

    return write_bytes(s->fd, buf, len, off, &done);
}

static void stage_flush(struct stage *s)
{
    if (s->len > 0 && s->rc == 0)
        s->rc = adl_mem_finish(s->hold);
    if (s->len > 0 && s->rc == 0)
        s->rc = put_stage(s, s->buf, s->off, s->len);
    s->len = 0;
}

/* Large pieces are written from where they are. No write is cut at stripes: the
 * client does that itself. */
static void stage_piece(struct stage *s, const char *from, int64_t off,
                        int64_t len)
{
    if (s->len > 0 && (off != s->off + s->len || s->len + len > s->size))
        stage_flush(s);
    if (s->rc < 0)
        return;
    if (len >= s->size) {
        s->rc = put_stage(s, from, off, len);
        return;
    }
    if (s->len == 0)
        s->off = off;
    adl_usercopy_in(s->buf + s->len, from, len);
    s->len += len;
}

/* Read-modify-write of [off, off + size) with the pieces that lie in it. */
static int sieve_block(struct stage *s, struct adl_access *acc,
                       struct adl_extents *ext, int64_t end)
{
    int64_t off = adl_extents_at(ext), last = off;
    struct adl_piece piece;
    struct adl_lock lock;
    size_t got;
    int rc = adl_lock_write(s->fd->fd_sys, off, end - off, &lock);

    if (rc < 0)
        return rc;
    rc = adl_rw_read(s->fd->fd_sys, s->buf, end - off, off, &got);
    adl_failure_note(adl_file_of(s->fd), "read", off + got, rc);
    if (rc == 0) {
        memset(s->buf + got, 0, (end - off) - got);
        while (adl_extents_next(ext, end, &piece)) {
            adl_usercopy_in(s->buf + (piece.off - off), acc->buf + piece.mem,
                            piece.len);
            last = piece.off + piece.len;
        }
        adl_prof_rmw(adl_file_of(s->fd)->prof, 0, last - off);
        rc = adl_mem_finish(s->hold);
        rc = rc ? rc : put_stage(s, s->buf, off, last - off);
    }
    adl_lock_drop(&lock);
    return rc;
}

static void sieve_pieces(struct stage *s, struct adl_access *acc,
                         struct adl_extents *ext)
{
    int64_t off, last = adl_extents_end(ext);

    while (s->rc == 0 && (off = adl_extents_at(ext)) != INT64_MAX)
        s->rc = sieve_block(s, acc, ext,
                            last - off > s->size ? off + s->size : last);
}

/* A file system without locks: the pieces are written by themselves. */
static void sieve_instead(struct stage *s)
{
    struct adl_file *f = adl_file_of(s->fd);

    if (!f->unsieved && f->rank == 0)
        fprintf(stderr,
                "romio-lustre: %s: no file locks here (a mount with noflock): "
                "romio_ds_write=enable has no effect, pieces are written one "
                "by one\n",
                f->name);
    f->unsieved = 1;
    s->rc = 0;
}

static void write_staged(struct stage *s, struct adl_access *acc,
                         struct adl_extents *ext)
{
    struct adl_piece piece;

    while (s->rc == 0 && adl_extents_next(ext, INT64_MAX, &piece))
        stage_piece(s, acc->buf + piece.mem, piece.off, piece.len);
    stage_flush(s);
}

/* In atomic mode the whole span is locked, so that the pieces of two ranks
 * do not mix. */
static int write_locked(struct stage *s, struct adl_access *acc)
{
    struct adl_extents ext = acc->sel.ext;
    int64_t start = adl_extents_low(&ext), len = adl_extents_end(&ext) - start;
    int atomic = acc->set.atomic && len > 0;
    struct adl_lock lock = {0};

    if (atomic)
        s->rc = adl_lock_write(s->fd->fd_sys, start, len, &lock);
    if (s->rc < 0)
        return s->rc;
    if (s->sieve && !acc->sel.file_contig && !atomic) {
        sieve_pieces(s, acc, &ext);
        if (!adl_lock_is_missing(s->rc))
            return s->rc;
        sieve_instead(s);
    }
    if (!atomic)
        guard_write(s->fd, start, len, 0, &lock);
    write_staged(s, acc, &ext);
    adl_lock_drop(&lock);
    return s->rc;
}

int adl_indep_write_access(ADIO_File fd, struct adl_access *acc)
{
    struct stage s = {.fd = fd, .hold = acc->hold};
    int rc;

    if (acc->sel.bytes == 0)
        return acc->sel.error;
    rc = adl_descriptor_ready(fd, acc->set.ds_write == ADL_ENABLE);
    if (rc < 0)
        return rc;
    /* What is one piece is written from where it is, whatever its size. */
    s.size = acc->sel.file_contig && acc->sel.mem_contig
                 ? 1
                 : acc->set.ind_wr_buffer_size;
    s.sieve =
        acc->set.ds_write == ADL_ENABLE && adl_extents_ascend(&acc->sel.ext);
    s.buf = malloc(s.size);
    if (!s.buf)
        return -ENOMEM;
    rc = write_locked(&s, acc);
    free(s.buf);
    return rc;
}

/* Reads a stretch of the file once and hands out the pieces that lie in it.
 * Stretches are not cut at stripes: a Lustre client splits a read itself, and
 * takes many short ones in a row for a file that is read to its end, so that it
 * reads ahead bytes that no rank wants (doc/MEASURED.md). */
struct sieve {
    ADIO_File fd;
    struct adl_access *acc;
    struct adl_extents ext; /* next piece */
    char *buf;              /* when it is needed first */
    int64_t size;
    int64_t gap; /* gaps shorter than this are read through */
    int64_t bytes;
};

/* Where the stretch that starts with the next piece ends, and how many pieces
 * lie in it. A piece larger than the buffer is one of its own. */
static int64_t stretch_end(const struct sieve *s, int64_t off, int *pieces)
{
    struct adl_extents look = s->ext;
    struct adl_piece piece;
    int64_t end;

    adl_extents_next(&look, INT64_MAX, &piece);
    end = piece.off + piece.len;
    *pieces = 1;
    /* A view may go back: what lies before the end is a stretch of its own. */
    while (adl_extents_at(&look) >= end &&
           adl_extents_next(&look, off + s->size, &piece) &&
           piece.off - end < s->gap) {
        end = piece.off + piece.len;
        (*pieces)++;
    }
    return end;
}

static int read_stretch(struct sieve *s, int64_t off, int64_t end, int pieces)
{
    struct adl_piece piece;
    int64_t have;
    MPI_Count got;
    int rc;

    if (!s->buf)
        s->buf = malloc(s->size);
    if (!s->buf)
        return -ENOMEM;
    rc = adl_indep_read(s->fd, s->buf, end - off, off, &got);
    while (pieces-- > 0 && adl_extents_next(&s->ext, end, &piece)) {
        have = off + got - piece.off;
        if (have > piece.len)
            have = piece.len;
        if (have <= 0)
            continue;
        adl_usercopy_out(s->acc->buf + piece.mem, s->buf + (piece.off - off),
                         have);
        s->bytes += have;
    }
    return rc;
}

/* Straight to where it belongs. */
static int read_piece(struct sieve *s)
{
    struct adl_piece piece;
    MPI_Count got = 0;
    int rc = 0;

    if (adl_extents_next(&s->ext, INT64_MAX, &piece))
        rc = adl_indep_read(s->fd, s->acc->buf + piece.mem, piece.len,
                            piece.off, &got);
    s->bytes += got;
    return rc;
}

static int read_sieved(struct sieve *s)
{
    int64_t off, end;
    int pieces, rc = 0;

    while (rc == 0 && (off = adl_extents_at(&s->ext)) != INT64_MAX) {
        end = stretch_end(s, off, &pieces);
        rc = pieces == 1 ? read_piece(s) : read_stretch(s, off, end, pieces);
    }
    return rc;
}

static int read_locked(struct sieve *s)
{
    int64_t start = adl_extents_low(&s->ext);
    int64_t len = adl_extents_end(&s->ext) - start;
    struct adl_lock lock = {0};
    int rc = 0;

    if (s->acc->set.atomic && len > 0)
        rc = adl_lock_read(s->fd->fd_sys, start, len, &lock);
    if (rc < 0)
        return rc;
    rc = read_sieved(s);
    adl_lock_drop(&lock);
    return rc;
}

int adl_indep_read_access(ADIO_File fd, struct adl_access *acc, int64_t *bytes)
{
    struct sieve s = {.fd = fd, .acc = acc, .ext = acc->sel.ext};
    int rc;

    *bytes = 0;
    if (acc->sel.bytes == 0)
        return acc->sel.error;
    rc = adl_descriptor_ready(fd, 1);
    if (rc < 0)
        return rc;
    s.size = acc->set.ind_rd_buffer_size;
    s.gap = acc->set.ds_read == ADL_DISABLE ? 1 : READ_THROUGH;
    rc = read_locked(&s);
    rc = rc ? rc : adl_mem_finish(acc->hold);
    *bytes = s.bytes;
    free(s.buf);
    return rc;
}
