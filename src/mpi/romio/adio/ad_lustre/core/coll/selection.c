/* selection.c - the bytes that one rank accesses in one call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A tile may begin at or after its extent (a lower bound above 0), so that
 * repetitions are counted from its first byte. */
int64_t adl_selection_before(const struct adl_selection *sel, int64_t pos)
{
    const struct adl_tile *t = &sel->file;
    int64_t rel = pos - sel->disp, first, sum, rest;

    if (sel->file_contig || t->extent <= 0)
        return rel;
    first = adl_tile_first(t);
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

static void begin_at(const struct adl_selection *sel, int64_t skip,
                     int64_t bytes, struct adl_extents *ext)
{
    adl_extents_begin(ext, tile_or_null(&sel->file, sel->file_contig),
                      sel->disp, skip, tile_or_null(&sel->mem, sel->mem_contig),
                      bytes);
}

/* Whether [skip, skip + bytes) of the view ends below the largest offset. */
static int fits_offsets(const struct adl_selection *sel)
{
    const struct adl_tile *t = &sel->file;
    int64_t end, tiles;

    if (__builtin_add_overflow(sel->skip, sel->bytes, &end))
        return 0;
    if (sel->file_contig || t->size == 0)
        return !__builtin_add_overflow(end, sel->disp, &end);
    tiles = end / t->size + 2; /* its first byte may lie behind its extent */
    return !__builtin_mul_overflow(tiles, t->extent, &end) &&
           !__builtin_add_overflow(end, adl_tile_first(t), &end) &&
           !__builtin_add_overflow(end, sel->disp, &end);
}

void adl_selection_refuse(struct adl_selection *sel, int error)
{
    if (error == 0)
        return;
    sel->error = error;
    sel->bytes = sel->skip = 0;
}

void adl_selection_begin(struct adl_selection *sel)
{
    if (sel->bytes > 0 && !fits_offsets(sel))
        adl_selection_refuse(sel, -EFBIG);
    begin_at(sel, sel->skip, sel->bytes, &sel->ext);
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

void adl_selection_own(struct adl_selection *sel)
{
    int64_t n = 2 * (sel->file.n + sel->mem.n);
    int64_t *next = malloc((n + 1) * sizeof(*next));

    sel->owned = next;
    if (next) {
        copy_tile(&sel->file, &next);
        copy_tile(&sel->mem, &next);
    } else {
        adl_selection_refuse(sel, -ENOMEM);
        sel->file_contig = sel->mem_contig = 1; /* nothing to point to */
    }
    adl_selection_begin(sel);
}

void adl_selection_fini(struct adl_selection *sel)
{
    free(sel->owned);
    sel->owned = NULL;
}

/* The position of the next data byte, as a seek there would give it. */
int64_t adl_selection_after(const struct adl_selection *sel)
{
    struct adl_extents next;

    if (sel->error)
        return sel->stay;
    if (sel->file_contig || sel->file.size == 0)
        return sel->disp + sel->skip + sel->bytes;
    begin_at(sel, sel->skip + sel->bytes, 1, &next);
    return adl_extents_at(&next);
}

/* ---- the start agreement ---- */

/* What follows from the shape, by a look through the view. */
static void look_through(const struct adl_selection *sel, struct adl_shape *now)
{
    int64_t low = adl_extents_low(&sel->ext);

    now->below = now->start - low;
    now->span = adl_extents_end(&sel->ext) - low;
    now->tangled = !adl_extents_ascend(&sel->ext);
    now->pieces = adl_extents_count(&sel->ext);
    now->bits = sel->file_contig ? 0 : adl_tile_bits(&sel->file);
}

/* A large shape that the plan knows is not gone through again. */
static void count_edges(const struct adl_selection *sel,
                        const struct adl_shape *now, struct adl_claim *claim)
{
    if ((claim->flags & ADL_CLAIM_NEW) || now->pieces <= ADL_PLAN_PIECES)
        claim->edges = adl_extents_edges(&sel->ext);
    else
        claim->flags |= ADL_CLAIM_UNCOUNTED;
}

static struct adl_shape shape_of(const struct adl_selection *sel,
                                 const struct adl_plan *plan)
{
    struct adl_shape now = {.view = sel->view, .bytes = sel->bytes};

    if (sel->bytes == 0)
        return now;
    now.start = adl_extents_at(&sel->ext);
    if (!sel->file_contig && sel->file.size > 0)
        now.phase = sel->skip % sel->file.size;
    if (!adl_plan_recall(plan, &now))
        look_through(sel, &now);
    return now;
}

void adl_selection_claim(const struct adl_selection *sel, struct adl_plan *plan,
                         struct adl_claim *claim)
{
    struct adl_shape now = shape_of(sel, plan);

    memset(claim, 0, sizeof(*claim));
    claim->error = sel->error;
    claim->bytes = claim->most = claim->least = sel->bytes;
    claim->start = INT64_MAX;
    adl_plan_propose(plan, &now, claim);
    if (sel->bytes == 0)
        return;
    count_edges(sel, &now, claim);
    claim->start = now.start - now.below;
    claim->end = claim->edge = claim->start + now.span;
    claim->pieces = now.pieces;
    claim->bits = now.bits | claim->start | claim->end | sel->disp |
                  sel->bytes | sel->skip;
    if (!sel->mem_contig)
        claim->bits |= adl_tile_bits(&sel->mem);
    if (claim->pieces > 1)
        claim->flags |= ADL_CLAIM_NONCONTIG;
    if (now.tangled)
        claim->flags |= ADL_CLAIM_TANGLED;
}
