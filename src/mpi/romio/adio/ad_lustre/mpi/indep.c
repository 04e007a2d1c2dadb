/* indep.c - I/O of one rank on its own */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "indep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/layout/layout.h"
#include "../sys/lock.h"
#include "../sys/rw.h"
#include "failure.h"
#include "locks/lockmode.h"
#include "file.h"
#include "fatal.h"
#include "descriptor.h"
#include "../node/prefetch.h"

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
        rc = adl_rw_read(fd->fd_sys, buf, len, offset, &n);
        adl_prof_own(f->prof, ADL_READS, offset, n, t);
        adl_failure_note(f, "read", offset + n, rc);
        adl_fatal(f, "read", rc);
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
        adl_lockmode_alone(fd, 1, off, len);
        t = adl_prof_now(f->prof);
        rc = adl_rw_write(fd->fd_sys, buf, len, off, &n);
        adl_prof_own(f->prof, ADL_WRITES, off, n, t);
        adl_failure_note(f, "write", off + n, rc);
        adl_fatal(f, "write", rc);
    }
    /* MPI_File_sync asks this; a failed write may have left bytes too. */
    fd->dirty_write = 1;
    *done = n;
    return rc;
}

/* Where others may sieve, bytes must not come between their read and their
 * write. On a file system without locks nobody sieves. */
static int lock_for_sieves(ADIO_File fd, int64_t off, int64_t len)
{
    const struct adl_hints *h = &adl_file_of(fd)->hints;

    if (h->ds_write != ADL_ENABLE && h->ds_in_coll != ADL_ENABLE)
        return 0;
    return len > 0 && adl_descriptor_ready(fd, 0) == 0 &&
           adl_lock_write(fd->fd_sys, off, len) == 0;
}

int adl_indep_write(ADIO_File fd, const void *buf, MPI_Count len,
                    ADIO_Offset offset, MPI_Count *done)
{
    int locked = lock_for_sieves(fd, offset, len);
    int rc = write_bytes(fd, buf, len, offset, done);

    if (locked)
        adl_lock_drop(fd->fd_sys, offset, len);
    return rc;
}

/* Gathers pieces that follow each other in the file into one write. */
struct stage {
    ADIO_File fd;
    const struct adl_layout *layout;
    struct adl_place place; /* stripe of the next byte */
    char *buf;
    int64_t size;  /* of buf */
    int64_t off;   /* file offset of buf[0] */
    int64_t len;   /* bytes in buf */
    int64_t limit; /* end of the stripe that buf belongs to */
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
        s->rc = put_stage(s, s->buf, s->off, s->len);
    s->len = 0;
}

/* Where the stripe of `off` ends. */
static int64_t stripe_end(struct stage *s, int64_t off)
{
    if (off >= s->place.off && off < s->place.end)
        return s->place.end;
    if (off == s->place.end && s->place.end > 0)
        adl_layout_next_stripe(s->layout, &s->place);
    else
        adl_layout_locate(s->layout, off, &s->place);
    return s->place.end;
}

/* Large pieces are written from where they are. */
static void stage_add(struct stage *s, const char *from, int64_t off,
                      int64_t len)
{
    if (s->len > 0 &&
        (off != s->off + s->len || s->len + len > s->size || off >= s->limit))
        stage_flush(s);
    if (s->len == 0 && len >= s->size) {
        if (s->rc == 0)
            s->rc = put_stage(s, from, off, len);
        return;
    }
    if (s->len == 0) {
        s->off = off;
        s->limit = s->place.end;
    }
    memcpy(s->buf + s->len, from, len);
    s->len += len;
}

static void stage_piece(struct stage *s, const char *from, int64_t off,
                        int64_t len)
{
    while (len > 0 && s->rc == 0) {
        int64_t end = stripe_end(s, off);
        int64_t n = len < end - off ? len : end - off;

        stage_add(s, from, off, n);
        from += n;
        off += n;
        len -= n;
    }
}

/* Read-modify-write of [off, off + size) with the pieces that lie in it. */
static int sieve_block(struct stage *s, struct adl_access *acc,
                       struct adl_extents *ext, int64_t end)
{
    int64_t off = adl_extents_at(ext), last = off;
    struct adl_piece piece;
    size_t got;
    int rc = adl_lock_write(s->fd->fd_sys, off, end - off);

    if (rc < 0)
        return rc;
    rc = adl_rw_read(s->fd->fd_sys, s->buf, end - off, off, &got);
    adl_failure_note(adl_file_of(s->fd), "read", off + got, rc);
    if (rc == 0) {
        memset(s->buf + got, 0, (end - off) - got);
        while (adl_extents_next(ext, end, &piece)) {
            memcpy(s->buf + (piece.off - off), acc->buf + piece.mem, piece.len);
            last = piece.off + piece.len;
        }
        adl_prof_rmw(adl_file_of(s->fd)->prof, 0, last - off);
        rc = put_stage(s, s->buf, off, last - off);
    }
    adl_lock_drop(s->fd->fd_sys, off, end - off);
    return rc;
}

static void sieve_pieces(struct stage *s, struct adl_access *acc,
                         struct adl_extents *ext)
{
    int64_t off, end;

    while (s->rc == 0 && (off = adl_extents_at(ext)) != INT64_MAX) {
        end = stripe_end(s, off);
        if (end - off > s->size)
            end = off + s->size;
        s->rc = sieve_block(s, acc, ext, end);
    }
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
    struct adl_extents ext = acc->ext;
    int64_t start = adl_extents_at(&ext), len = adl_extents_end(&ext) - start;
    int atomic = s->fd->atomicity && len > 0;
    int locked;

    if (atomic)
        s->rc = adl_lock_write(s->fd->fd_sys, start, len);
    if (s->rc < 0)
        return s->rc;
    if (s->sieve && !acc->file_contig && !atomic) {
        sieve_pieces(s, acc, &ext);
        return s->rc;
    }
    locked = atomic || lock_for_sieves(s->fd, start, len);
    write_staged(s, acc, &ext);
    if (locked)
        adl_lock_drop(s->fd->fd_sys, start, len);
    return s->rc;
}

int adl_indep_write_access(ADIO_File fd, struct adl_access *acc)
{
    struct adl_file *f = adl_file_of(fd);
    struct stage s = {.fd = fd, .layout = f->layout};
    int rc;

    if (acc->bytes == 0)
        return acc->error;
    rc = adl_descriptor_ready(fd, f->hints.ds_write == ADL_ENABLE);
    if (rc < 0)
        return rc;
    s.size = f->hints.ind_wr_buffer_size > 0 ? f->hints.ind_wr_buffer_size : 1;
    s.sieve = f->hints.ds_write == ADL_ENABLE;
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
 * reads ahead what nobody wants (doc/MEASURED.md). */
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
    while (adl_extents_next(&look, off + s->size, &piece) &&
           piece.off - end < s->gap) {
        end = piece.off + piece.len;
        (*pieces)++;
    }
    return end;
}

static int read_stretch(struct sieve *s, int64_t off, int64_t end)
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
    while (adl_extents_next(&s->ext, end, &piece)) {
        have = off + got - piece.off;
        if (have > piece.len)
            have = piece.len;
        if (have <= 0)
            continue;
        memcpy(s->acc->buf + piece.mem, s->buf + (piece.off - off), have);
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
        rc = pieces == 1 ? read_piece(s) : read_stretch(s, off, end);
    }
    return rc;
}

static int read_locked(struct sieve *s)
{
    int64_t start = adl_extents_at(&s->ext);
    int64_t len = adl_extents_end(&s->ext) - start;
    int rc = 0;

    if (s->fd->atomicity)
        rc = adl_lock_read(s->fd->fd_sys, start, len);
    if (rc < 0)
        return rc;
    rc = read_sieved(s);
    if (s->fd->atomicity)
        adl_lock_drop(s->fd->fd_sys, start, len);
    return rc;
}

int adl_indep_read_access(ADIO_File fd, struct adl_access *acc, int64_t *bytes)
{
    struct adl_file *f = adl_file_of(fd);
    struct sieve s = {.fd = fd, .acc = acc, .ext = acc->ext};
    int rc;

    *bytes = 0;
    if (acc->bytes == 0)
        return acc->error;
    rc = adl_descriptor_ready(fd, 1);
    if (rc < 0)
        return rc;
    s.size = f->hints.ind_rd_buffer_size > 0 ? f->hints.ind_rd_buffer_size : 1;
    s.gap = f->hints.ds_read == ADL_DISABLE ? 1 : READ_THROUGH;
    rc = read_locked(&s);
    *bytes = s.bytes;
    free(s.buf);
    return rc;
}
