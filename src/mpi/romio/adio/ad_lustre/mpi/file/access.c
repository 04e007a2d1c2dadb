/* access.c - what one rank asks for in one call, free of ROMIO's types */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../sys/mem.h"

_Static_assert(sizeof(ADIO_Offset) == sizeof(int64_t),
               "flattened types hold 64-bit offsets");

static void tile_from_type(MPI_Datatype type, struct adl_tile *tile)
{
    ADIOI_Flatlist_node *flat = ADIOI_Flatten_and_find(type);
    MPI_Count size, lb, extent;

    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &lb, &extent);
    tile->off = (const int64_t *)flat->indices;
    tile->len = (const int64_t *)flat->blocklens;
    tile->n = flat->count;
    tile->extent = extent;
    tile->size = size;
}

static void set_file_side(struct adl_access *acc, ADIO_File fd)
{
    ADIOI_Datatype_iscontig(fd->filetype, &acc->file_contig);
    acc->view = adl_file_of(fd)->views;
    acc->disp = fd->disp;
    if (!acc->file_contig)
        tile_from_type(fd->filetype, &acc->file);
}

static void set_memory_side(struct adl_access *acc, const void *buf,
                            adl_count_t count, MPI_Datatype type)
{
    MPI_Count size, lb, extent;

    PMPI_Type_size_x(type, &size);
    acc->bytes = size * (MPI_Count)count;
    acc->buf = (char *)buf;
    ADIOI_Datatype_iscontig(type, &acc->mem_contig);
    if (acc->mem_contig) {
        PMPI_Type_get_true_extent_x(type, &lb, &extent);
        acc->buf += lb;
    } else {
        tile_from_type(type, &acc->mem);
    }
}

/* Offset of the tile's first byte. */
static int64_t first_byte(const struct adl_tile *t)
{
    int64_t i = 0;

    while (i < t->n - 1 && t->len[i] == 0)
        i++;
    return t->n > 0 ? t->off[i] : 0;
}

/* An access that cannot be done becomes an empty one with an error: this rank
 * must still take part, because the other ranks of a collective call wait for
 * it. */
static void set_error(struct adl_access *acc, int error)
{
    acc->error = error;
    acc->bytes = acc->skip = 0;
}

/* Is the buffer a device's? The origin need not lie in it, its first byte does.
 * A type from MPI_BOTTOM has addresses, of several buffers perhaps. */
static void look_at_memory(struct adl_access *acc, ADIO_File fd)
{
    const struct adl_tile *t = &acc->mem;
    int rc = 0;

    if (acc->bytes == 0 || adl_file_of(fd)->host_memory)
        return;
    if (acc->mem_contig) {
        rc = adl_mem_hold(&acc->hold, acc->buf);
    } else if (acc->buf) {
        rc = adl_mem_hold(&acc->hold, acc->buf + first_byte(t));
    } else {
        for (int64_t i = 0; rc == 0 && i < t->n; i++)
            if (t->len[i] > 0)
                rc = adl_mem_hold(&acc->hold, (char *)t->off[i]);
    }
    acc->device = acc->hold != NULL;
    if (rc < 0)
        set_error(acc, rc);
}

/* Data bytes of the view that lie before absolute file offset `pos`. A tile may
 * begin at or after its extent (a lower bound above 0), so that repetitions are
 * counted from its first byte. */
static int64_t bytes_before(const struct adl_access *acc, int64_t pos)
{
    const struct adl_tile *t = &acc->file;
    int64_t rel = pos - acc->disp, first, sum, rest;

    if (acc->file_contig || t->extent <= 0)
        return rel;
    first = first_byte(t);
    if (rel <= first)
        return 0;
    sum = (rel - first) / t->extent * t->size;
    rest = (rel - first) % t->extent + first;
    if (rest == first) /* the usual case, whatever the number of entries */
        return sum;
    for (int64_t i = 0; i < t->n; i++) {
        if (rest >= t->off[i] + t->len[i])
            sum += t->len[i];
        else if (rest > t->off[i])
            sum += rest - t->off[i];
    }
    return sum;
}

static const struct adl_tile *tile_or_null(const struct adl_tile *tile,
                                           int contig)
{
    return contig ? NULL : tile;
}

static void begin_extents(const struct adl_access *acc, int64_t skip,
                          int64_t bytes, struct adl_extents *ext)
{
    adl_extents_begin(ext, tile_or_null(&acc->file, acc->file_contig),
                      acc->disp, skip, tile_or_null(&acc->mem, acc->mem_contig),
                      bytes);
}

/* Whether [skip, skip + bytes) of the view ends below the largest offset. */
static int fits_offsets(const struct adl_access *acc)
{
    const struct adl_tile *t = &acc->file;
    int64_t end, tiles;

    if (__builtin_add_overflow(acc->skip, acc->bytes, &end))
        return 0;
    if (acc->file_contig || t->size == 0)
        return !__builtin_add_overflow(end, acc->disp, &end);
    tiles = end / t->size + 2; /* its first byte may lie behind its extent */
    return !__builtin_mul_overflow(tiles, t->extent, &end) &&
           !__builtin_add_overflow(end, first_byte(t), &end) &&
           !__builtin_add_overflow(end, acc->disp, &end);
}

static void copy_settings(struct adl_settings *set, ADIO_File fd)
{
    const struct adl_hints *h = &adl_file_of(fd)->hints;

    *set = (struct adl_settings){
        .atomic = fd->atomicity,
        .cb_read = h->cb_read,
        .cb_write = h->cb_write,
        .ds_read = h->ds_read,
        .ds_write = h->ds_write,
        .ds_in_coll = h->ds_in_coll,
        .ind_rd_buffer_size = h->ind_rd_buffer_size,
        .ind_wr_buffer_size = h->ind_wr_buffer_size,
        .coll_threshold = h->coll_threshold,
        .same_io_size = h->same_io_size,
        .contiguous_data = h->contiguous_data,
    };
}

void adl_access_init(struct adl_access *acc, ADIO_File fd, const void *buf,
                     adl_count_t count, MPI_Datatype datatype,
                     int file_ptr_type, ADIO_Offset offset)
{
    int overflow = 0;

    memset(acc, 0, sizeof(*acc));
    acc->stay = fd->fp_ind;
    copy_settings(&acc->set, fd);
    adl_prof_mark(adl_file_of(fd)->prof, &acc->time, ADL_BEGAN);
    set_file_side(acc, fd);
    set_memory_side(acc, buf, count, datatype);
    look_at_memory(acc, fd);
    if (file_ptr_type == ADIO_INDIVIDUAL)
        acc->skip = bytes_before(acc, fd->fp_ind);
    else
        overflow =
            __builtin_mul_overflow(offset, (int64_t)fd->etype_size, &acc->skip);
    if (overflow || (acc->bytes > 0 && !fits_offsets(acc)))
        set_error(acc, -EFBIG);
    begin_extents(acc, acc->skip, acc->bytes, &acc->ext);
}

static void copy_tile(struct adl_tile *tile, int64_t **next)
{
    size_t bytes = tile->n * sizeof(int64_t);
    int64_t *to = *next;

    if (tile->n == 0) /* contiguous: there are no lists */
        return;
    memcpy(to, tile->off, bytes);
    memcpy(to + tile->n, tile->len, bytes);
    tile->off = to;
    tile->len = to + tile->n;
    *next = to + 2 * tile->n;
}

void adl_access_own(struct adl_access *acc)
{
    int64_t n = 2 * (acc->file.n + acc->mem.n);
    int64_t *next = malloc((n + 1) * sizeof(*next));

    if (next) {
        acc->owned = next;
        copy_tile(&acc->file, &next);
        copy_tile(&acc->mem, &next);
    } else {
        set_error(acc, -ENOMEM);
        acc->file_contig = acc->mem_contig = 1; /* nothing to point to */
    }
    begin_extents(acc, acc->skip, acc->bytes, &acc->ext);
}

void adl_access_rebase(struct adl_access *acc)
{
    begin_extents(acc, acc->skip, acc->bytes, &acc->ext);
}

void adl_access_fini(struct adl_access *acc)
{
    adl_mem_release(acc->hold);
    acc->hold = NULL;
    free(acc->owned);
    acc->owned = NULL;
}

/* The position of the next data byte, as a seek there would give it. */
int64_t adl_access_after(const struct adl_access *acc)
{
    struct adl_extents next;

    if (acc->error)
        return acc->stay;
    if (acc->file_contig || acc->file.size == 0)
        return acc->disp + acc->skip + acc->bytes;
    begin_extents(acc, acc->skip + acc->bytes, 1, &next);
    return adl_extents_at(&next);
}

/* What follows from the shape, by a look through the view. */
static void look_through(const struct adl_access *acc, struct adl_shape *now)
{
    int64_t low = adl_extents_low(&acc->ext);

    now->below = now->start - low;
    now->span = adl_extents_end(&acc->ext) - low;
    now->tangled = !adl_extents_ascend(&acc->ext);
    now->pieces = adl_extents_count(&acc->ext);
    now->bits = acc->file_contig ? 0 : adl_tile_bits(&acc->file);
}

/* A large shape that the plan knows is not gone through again. */
static void count_edges(const struct adl_access *acc,
                        const struct adl_shape *now, struct adl_claim *claim)
{
    if ((claim->flags & ADL_CLAIM_NEW) || now->pieces <= ADL_PLAN_PIECES)
        claim->edges = adl_extents_edges(&acc->ext);
    else
        claim->flags |= ADL_CLAIM_UNCOUNTED;
}

static struct adl_shape shape_of(const struct adl_access *acc,
                                 const struct adl_plan *plan)
{
    struct adl_shape now = {.view = acc->view, .bytes = acc->bytes};

    if (acc->bytes == 0)
        return now;
    now.start = adl_extents_at(&acc->ext);
    if (!acc->file_contig && acc->file.size > 0)
        now.phase = acc->skip % acc->file.size;
    if (!adl_plan_recall(plan, &now))
        look_through(acc, &now);
    return now;
}

void adl_access_claim(const struct adl_access *acc, struct adl_plan *plan,
                      struct adl_claim *claim)
{
    struct adl_shape now = shape_of(acc, plan);

    memset(claim, 0, sizeof(*claim));
    claim->error = acc->error;
    claim->bytes = claim->most = claim->least = acc->bytes;
    claim->start = INT64_MAX;
    adl_plan_propose(plan, &now, claim);
    if (acc->bytes == 0)
        return;
    count_edges(acc, &now, claim);
    claim->start = now.start - now.below;
    claim->end = claim->edge = claim->start + now.span;
    claim->pieces = now.pieces;
    claim->bits = now.bits | claim->start | claim->end | acc->disp |
                  acc->bytes | acc->skip;
    if (!acc->mem_contig)
        claim->bits |= adl_tile_bits(&acc->mem);
    if (claim->pieces > 1)
        claim->flags |= ADL_CLAIM_NONCONTIG;
    if (now.tangled)
        claim->flags |= ADL_CLAIM_TANGLED;
}
