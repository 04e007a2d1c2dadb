/* segment.c - the memory that the ranks of a node share
 *
 *   | node state | seats | windows' states |pad| sinks ... | pool
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/text/minmax.h"
#include "../sys/atomic.h"

#define PAGE 4096

static int64_t round_up_size(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int64_t cover_bytes(const struct adl_segment *seg)
{
    return round_up_size(adl_cover_memory(seg->window, 0), 64);
}

static int64_t sink_bytes(const struct adl_segment *seg)
{
    return round_up_size(seg->depth * (seg->window + cover_bytes(seg)), PAGE);
}

static int64_t head_bytes(const struct adl_segment *seg)
{
    return round_up_size(sizeof(struct adl_node_state) +
                             seg->size *
                                 round_up_size(sizeof(struct adl_seat), 128) +
                             seg->nsinks * sizeof(struct adl_windows),
                         PAGE);
}

/* Where everything is, from the base address in this process. */
static void find_parts(struct adl_segment *seg, char *base)
{
    struct adl_windows *windows;

    seg->node = (struct adl_node_state *)base;
    seg->seat = (struct adl_seat *)(seg->node + 1);
    windows = (struct adl_windows *)(seg->seat + seg->size);
    base += head_bytes(seg);
    for (int i = 0; i < seg->nsinks; i++, base += sink_bytes(seg))
        seg->sink[i] =
            (struct adl_sink){.agg = seg->sink[i].agg,
                              .depth = seg->depth,
                              .windows = &windows[i],
                              .node = &seg->node->windows,
                              .buf = base,
                              .bits = base + seg->depth * seg->window,
                              .size = seg->window,
                              .cover = cover_bytes(seg)};
    seg->pool = base;
}

/* The memory is zeros, and no other rank has it before its creation ends. */
static void clear_head(struct adl_segment *seg)
{
    for (int r = 0; r < seg->size; r++)
        for (int i = 0; i < ADL_POSITIONS; i++)
            seg->seat[r].mark[i].pos = seg->seat[r].mark[i].want = ADL_POS_END;
    for (int i = 0; i < seg->nsinks; i++)
        seg->sink[i].windows->want = INT64_MAX;
}

struct adl_segment *adl_segment_create(const struct adl_segment_shape *shape,
                                       int rank, int size)
{
    struct adl_segment *seg = calloc(1, sizeof(*seg));
    struct adl_sink *sink = calloc(shape->nsinks + 1, sizeof(*sink));

    if (!seg || !sink) {
        free(sink);
        free(seg);
        return NULL;
    }
    seg->card.fd = -1;
    seg->nsinks = shape->nsinks;
    seg->sink = sink;
    seg->depth = shape->depth;
    seg->window = round_up_size(shape->window, PAGE);
    for (int i = 0; i < seg->nsinks; i++)
        sink[i].agg = shape->agg[i];
    seg->rank = rank;
    seg->size = size;
    seg->bytes =
        head_bytes(seg) + seg->nsinks * sink_bytes(seg) + shape->pool_size;
    return seg;
}

int adl_segment_allocate(struct adl_segment *seg)
{
    int rc = adl_shmem_create(seg->bytes, &seg->card, &seg->own);

    if (rc == 0)
        adl_segment_use(seg, seg->own);
    return rc;
}

int adl_segment_attach(struct adl_segment *seg,
                       const struct adl_shmem_card *card)
{
    int rc = adl_shmem_attach(card, seg->bytes, &seg->own);

    if (rc == 0)
        adl_segment_use(seg, seg->own);
    return rc;
}

void adl_segment_use(struct adl_segment *seg, void *base)
{
    find_parts(seg, base);
    if (seg->rank == 0)
        clear_head(seg);
}

void adl_segment_shared(struct adl_segment *seg)
{
    if (seg->rank == 0 && seg->card.fd >= 0)
        adl_shmem_hide(&seg->card);
    seg->card.fd = -1;
}

void adl_segment_destroy(struct adl_segment *seg)
{
    if (!seg)
        return;
    adl_segment_shared(seg);
    adl_shmem_detach(seg->own, seg->bytes);
    free(seg->sink);
    free(seg);
}

/* ---- positions ---- */

void adl_mark_set(struct adl_mark *mark, int64_t pos)
{
    adl_atomic_store(&mark->pos, pos);
}

/* The store must be visible before this rank looks for a sleeper. The sleeper
 * stores `want` before it looks at the position: one of the two sees what the
 * other has stored. */
void adl_mark_publish(struct adl_mark *mark, int64_t pos)
{
    adl_atomic_store(&mark->pos, pos);
    if (pos < adl_atomic_load(&mark->want))
        return;
    adl_atomic_store(&mark->want, ADL_POS_END);
    adl_bell_ring(&mark->bell);
}

int64_t adl_segment_lowest(const struct adl_segment *seg,
                           enum adl_position which)
{
    int64_t low = ADL_POS_END;

    for (int r = 0; r < seg->size; r++)
        low = adl_min(low, adl_atomic_load(&seg->seat[r].mark[which].pos));
    return low;
}

/* Several sleepers share one `want`: the lowest counts, the others are woken
 * too early and note theirs again. */
static void mark_await(struct adl_mark *mark, int64_t pos)
{
    while (adl_atomic_load(&mark->pos) < pos) {
        uint32_t seen = adl_bell_read(&mark->bell);

        adl_atomic_lower(&mark->want, pos);
        if (adl_atomic_load(&mark->pos) >= pos)
            break;
        adl_bell_wait(&mark->bell, seen);
    }
}

void adl_segment_await(struct adl_segment *seg, enum adl_position which,
                       int64_t pos)
{
    for (int r = 0; r < seg->size; r++)
        mark_await(&seg->seat[r].mark[which], pos);
}

/* ---- all nodes ---- */

int64_t adl_node_reached(const struct adl_segment *seg, enum adl_position which,
                         int64_t call, int64_t first)
{
    return adl_atomic_load(&seg->node->frontier_call) == call
               ? adl_atomic_load(&seg->node->reached[which])
               : first;
}

void adl_node_set(struct adl_segment *seg, int64_t call, int64_t settled,
                  int64_t asked)
{
    adl_atomic_store(&seg->node->reached[ADL_AT_SETTLED], settled);
    adl_atomic_store(&seg->node->reached[ADL_AT_ASKED], asked);
    adl_atomic_store(&seg->node->frontier_call, call);
    for (int i = 0; i < seg->nsinks; i++)
        adl_bell_ring(&seg->sink[i].windows->work);
    adl_bell_ring(&seg->node->windows);
}
