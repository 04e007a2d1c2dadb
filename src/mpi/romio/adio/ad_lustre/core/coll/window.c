/* window.c - the schedule: how an owner's stripes pass through its buffer
 *
 * With cb = max(cb_buffer_size, 3) and S a component's stripe size:
 *
 *   depth D    4 if S <= cb / 4 in every component, else 3
 *   S <= cb/D  a window holds K = floor(cb / D / S) whole stripes of the
 *              owner's sequence: index = seq / K, and stripe seq lies at
 *              (seq mod K) * S in the buffer
 *   S > cb/D   a stripe is cut at multiples of Q from its origin, Q <= cb / D,
 *              into n = ceil(S / Q) parts: index = seq * n + part, and the part
 *              lies at 0 in the buffer
 *
 * If the largest power of two that fits divides S, that is Q. Otherwise the
 * parts are multiples of 4096 bytes of nearly equal size; if a window is
 * smaller than 4096 bytes, they are as large as the window. If four windows of
 * the resulting size fit into the buffer, there are four also where D was 3.
 *
 * A stripe clipped by its component's borders keeps the places of the whole
 * stripe, so that nothing depends on where components start. A window number
 * has the component above bit `bits`: with 65535 components 46 bits are left
 * for the index, with one 62.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "window.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE 4096
#define MAX_STRIPES (1 << 30) /* of a window */

/* How the stripes of a component are put into windows. */
struct cut {
    int64_t size;         /* stripe size */
    int64_t stripes;      /* K; 0: parts */
    uint64_t reciprocal;  /* 2^64 / K, rounded up; K > 1 */
    int64_t part, nparts; /* Q and n */
};

struct adl_window {
    const struct adl_owner *owner;
    int depth;
    int bits;
    int64_t size;
    int64_t grain;
    struct cut cut[];
};

/* ---- creation ---- */

/* Q for stripes of `size` bytes and windows of `room` < size bytes. */
static int64_t part_size(int64_t size, int64_t room)
{
    int64_t power = INT64_C(1) << (63 - __builtin_clzll((uint64_t)room));
    int64_t parts;

    if (size % power == 0)
        return power;
    if (room < PAGE)
        return room;
    room -= room % PAGE;
    parts = (size + room - 1) / room;
    return ((size + parts - 1) / parts + PAGE - 1) / PAGE * PAGE;
}

static void set_cut(struct cut *cut, int64_t size, int64_t room)
{
    cut->size = size;
    if (size > room) {
        cut->part = part_size(size, room);
        cut->nparts = (size + cut->part - 1) / cut->part;
        return;
    }
    cut->stripes = room / size < MAX_STRIPES ? room / size : MAX_STRIPES;
    cut->reciprocal = UINT64_MAX / (uint64_t)cut->stripes + 1;
}

static int64_t cut_bytes(const struct cut *cut)
{
    return cut->stripes ? cut->stripes * cut->size : cut->part;
}

static int choose_depth(const struct adl_owner *owner, int64_t cb)
{
    for (int i = 0; i < adl_owner_ncomps(owner); i++)
        if (adl_owner_stripe_size(owner, i) > cb / 4)
            return 3;
    return 4;
}

/* Bits needed for numbers below n. */
static int bits_for(int n)
{
    int bits = 0;

    while ((n - 1) >> bits)
        bits++;
    return bits;
}

int adl_window_create(const struct adl_owner *owner, int64_t cb_buffer_size,
                      struct adl_window **out)
{
    int64_t cb = cb_buffer_size < 3 ? 3 : cb_buffer_size;
    int ncomps = adl_owner_ncomps(owner);
    struct adl_window *w =
        calloc(1, sizeof(*w) + (size_t)ncomps * sizeof(w->cut[0]));

    if (!w)
        return -ENOMEM;
    w->owner = owner;
    w->depth = choose_depth(owner, cb);
    w->bits = 62 - bits_for(ncomps);
    for (int i = 0; i < ncomps; i++) {
        struct cut *cut = &w->cut[i];

        set_cut(cut, adl_owner_stripe_size(owner, i), cb / w->depth);
        if (cut_bytes(cut) > w->size)
            w->size = cut_bytes(cut);
        w->grain |= cut->size | cut_bytes(cut) | adl_owner_start(owner, i);
    }
    if (w->size <= cb / 4)
        w->depth = 4;
    *out = w;
    return 0;
}

void adl_window_destroy(struct adl_window *win)
{
    free(win);
}

/* ---- questions ---- */

int adl_window_depth(const struct adl_window *win)
{
    return win->depth;
}

int64_t adl_window_size(const struct adl_window *win)
{
    return win->size;
}

int64_t adl_window_grain(const struct adl_window *win)
{
    return win->grain;
}

static int comp_of(const struct adl_window *w, int64_t window)
{
    return (int)(window >> w->bits);
}

static int64_t index_of(const struct adl_window *w, int64_t window)
{
    return window & ((INT64_C(1) << w->bits) - 1);
}

int adl_window_slot(const struct adl_window *win, int64_t window)
{
    return (int)((comp_of(win, window) + index_of(win, window)) % win->depth);
}

/* ---- from offset to cell ---- */

/* seq / K. The product with the reciprocal is exact while seq * K < 2^64. */
static int64_t index_of_seq(const struct cut *cut, int64_t seq)
{
    if (cut->stripes == 1)
        return seq;
    if (seq >> 32)
        return seq / cut->stripes;
    return (int64_t)((unsigned __int128)seq * cut->reciprocal >> 64);
}

/* The cell of a whole stripe. */
static void place_stripe(const struct adl_window *w, struct adl_cell *cell)
{
    const struct adl_stripe *s = &cell->stripe;
    const struct cut *cut = &w->cut[s->comp];
    int64_t index = index_of_seq(cut, s->seq);

    cell->start = s->start;
    cell->end = s->end;
    cell->buf =
        (s->seq - index * cut->stripes) * cut->size + (s->start - s->origin);
    cell->window = (int64_t)s->comp << w->bits | index;
    cell->owner = s->owner;
}

/* The cell of a part, clipped like its stripe; empty if that leaves nothing. */
static void place_part(const struct adl_window *w, int64_t part,
                       struct adl_cell *cell)
{
    const struct adl_stripe *s = &cell->stripe;
    const struct cut *cut = &w->cut[s->comp];
    int64_t origin = s->origin + part * cut->part;

    cell->start = origin < s->start ? s->start : origin;
    cell->end = s->end - origin < cut->part ? s->end : origin + cut->part;
    cell->buf = cell->start - origin;
    cell->window = (int64_t)s->comp << w->bits | (s->seq * cut->nparts + part);
    cell->owner = s->owner;
}

/* The cell of `off`, in the stripe that is there already. */
static void place(const struct adl_window *w, int64_t off,
                  struct adl_cell *cell)
{
    const struct cut *cut = &w->cut[cell->stripe.comp];
    int64_t within = off - cell->stripe.origin;

    if (cut->stripes)
        place_stripe(w, cell);
    else
        place_part(w, within ? within / cut->part : 0, cell);
}

void adl_window_locate(const struct adl_window *win, int64_t off,
                       struct adl_cell *cell)
{
    adl_owner_locate(win->owner, off, &cell->stripe);
    place(win, off, cell);
}

void adl_window_next(const struct adl_window *win, struct adl_cell *cell)
{
    const struct adl_stripe *s = &cell->stripe;
    const struct cut *cut = &win->cut[s->comp];

    if (cell->end == s->end) {
        adl_owner_next(win->owner, &cell->stripe);
        place(win, cell->stripe.start, cell);
        return;
    }
    /* The next part of the stripe. */
    cell->start = cell->end;
    cell->end =
        s->end - cell->start < cut->part ? s->end : cell->start + cut->part;
    cell->buf = 0;
    cell->window++;
}

/* ---- from window to cells ---- */

/* Stripe `from` of `agg`, or the first that is there when that lies before the
 * component (or behind: then it is not of the caller's window). */
static int first_stripe(const struct adl_window *w, int agg, int comp,
                        int64_t from, struct adl_stripe *s)
{
    if (!adl_owner_stripe(w->owner, agg, comp, from, s))
        return 0;
    if (adl_owner_first_at(w->owner, agg, adl_owner_start(w->owner, comp), s))
        return -ENOENT;
    return s->comp == comp ? 0 : -ENOENT;
}

/* Cell `i` of a window of whole stripes. */
static int stripe_cell(const struct adl_window *w, int agg, int64_t window,
                       int i, struct adl_cell *cell)
{
    int comp = comp_of(w, window);
    const struct cut *cut = &w->cut[comp];
    int64_t from = index_of(w, window) * cut->stripes;
    int64_t end = from + cut->stripes, seq;

    if (i >= cut->stripes || first_stripe(w, agg, comp, from, &cell->stripe))
        return -ENOENT;
    seq = cell->stripe.seq + i;
    if (seq < from || seq >= end ||
        (i && adl_owner_stripe(w->owner, agg, comp, seq, &cell->stripe)))
        return -ENOENT;
    place_stripe(w, cell);
    return 0;
}

static int part_cell(const struct adl_window *w, int agg, int64_t window,
                     struct adl_cell *cell)
{
    int comp = comp_of(w, window);
    int64_t index = index_of(w, window), nparts = w->cut[comp].nparts;
    int64_t seq = index / nparts;

    if (adl_owner_stripe(w->owner, agg, comp, seq, &cell->stripe))
        return -ENOENT;
    place_part(w, index - seq * nparts, cell);
    return cell->start < cell->end ? 0 : -ENOENT;
}

int adl_window_cell(const struct adl_window *win, int agg, int64_t window,
                    int i, struct adl_cell *cell)
{
    struct adl_cell c;
    int rc;

    if (window < 0 || comp_of(win, window) >= adl_owner_ncomps(win->owner))
        return -ENOENT;
    if (win->cut[comp_of(win, window)].stripes)
        rc = stripe_cell(win, agg, window, i, &c);
    else
        rc = i == 0 ? part_cell(win, agg, window, &c) : -ENOENT;
    if (!rc)
        *cell = c;
    return rc;
}

/* The cell of agg's first byte at or after `*off`, which moves there. -ENOENT:
 * there is none. */
static int first_cell(const struct adl_window *win, int agg, int64_t *off,
                      struct adl_cell *cell)
{
    if (adl_owner_first_at(win->owner, agg, *off, &cell->stripe))
        return -ENOENT;
    if (*off < cell->stripe.start)
        *off = cell->stripe.start;
    place(win, *off, cell);
    return 0;
}

int64_t adl_window_first_at(const struct adl_window *win, int agg, int64_t off)
{
    struct adl_cell cell;

    return first_cell(win, agg, &off, &cell) ? ADL_WINDOW_NONE : cell.window;
}

int64_t adl_window_place(const struct adl_window *win, int agg, int64_t window,
                         int64_t off)
{
    struct adl_cell cell;

    if (first_cell(win, agg, &off, &cell))
        return INT64_MAX;
    if (cell.window != window)
        return cell.window > window ? INT64_MAX : 0;
    return cell.buf + (off - cell.start);
}

/* Cells 0 to n are there, n unknown but < K: find cell n. */
int64_t adl_window_end(const struct adl_window *win, int agg, int64_t window)
{
    struct adl_cell cell;
    int low = 0, high;

    if (adl_window_cell(win, agg, window, 0, &cell))
        return 0;
    high = (int)win->cut[comp_of(win, window)].stripes;
    /* mostly all K are there */
    if (high > 1 && !adl_window_cell(win, agg, window, high - 1, &cell))
        return cell.end;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (adl_window_cell(win, agg, window, middle, &cell))
            high = middle;
        else
            low = middle;
    }
    return cell.end;
}
