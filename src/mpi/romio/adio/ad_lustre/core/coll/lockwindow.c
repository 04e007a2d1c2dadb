/* lockwindow.c - which extents an aggregator should lock ahead
 *
 * The window is kept as file ranges in which all stripes of this aggregator
 * have been asked for: one range for the rest of the running call and one for
 * each predicted call. To make a new window the module walks over the
 * aggregator's stripes along that path. Stripes that lie in the old window need
 * not be asked for again.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lockwindow.h"
#include "../text/minmax.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY 513    /* calls remembered: two periods and one */
#define MAX_PERIOD 256 /* calls */
#define MAX_RANGES 256
#define MAX_CALLS 1024 /* foreseen in one walk */
#define PATIENCE 4     /* calls that keep the pattern, for one foreseen */

struct range {
    int64_t lo, hi;
};

struct ranges {
    struct range at[MAX_RANGES];
    int n;
    int last; /* where the last search ended */
};

struct adl_lockwindow {
    const struct adl_owner *owner;
    int agg;
    int64_t from;
    int max;   /* num_extents */
    int kept;  /* calls in a row that kept the pattern */
    int own;   /* our stripes in the last call that had some, up to max */
    int reach; /* how many extents behind the running call are foreseen */

    struct range call[HISTORY]; /* a ring: call number i at i mod HISTORY */
    int64_t calls;              /* so far; the running one is calls - 1 */
    int repeat;                 /* their period, 0: none seen */
    int period;                 /* the same where it helps to foresee, or 0 */
    int fresh;                  /* no access yet in the running call */

    struct ranges held, next;
    struct range doubt; /* locks there may be gone; lo >= hi: none */
    int64_t horizon;    /* where it had to stop */
    int64_t half_call;  /* the middle: of which call; -1: of any */
    int64_t half_off;   /* and where */

    struct adl_lockwish *wish;
    int nwish;
    int64_t last_used; /* stripe of the last access, -1: none */
    struct adl_lockwindow_counts counts;
};

int adl_lockwindow_create(const struct adl_owner *owner, int agg,
                          int num_extents, int64_t from,
                          struct adl_lockwindow **out)
{
    struct adl_lockwindow *w;

    if (num_extents < 1)
        return -EINVAL;
    w = calloc(1, sizeof(*w));
    if (w)
        w->wish = calloc(num_extents, sizeof(*w->wish));
    if (!w || !w->wish) {
        free(w);
        return -ENOMEM;
    }
    w->owner = owner;
    w->agg = agg;
    w->from = from;
    w->max = num_extents;
    w->last_used = -1;
    *out = w;
    return 0;
}

void adl_lockwindow_destroy(struct adl_lockwindow *win)
{
    if (win)
        free(win->wish);
    free(win);
}

const struct adl_lockwindow_counts *
adl_lockwindow_counts(const struct adl_lockwindow *win)
{
    return &win->counts;
}

/* ---- ranges ---- */

static int in_range(const struct range *r, int64_t off)
{
    return off >= r->lo && off < r->hi;
}

static int overlap(const struct range *r, int64_t lo, int64_t hi)
{
    return r->lo < hi && lo < r->hi;
}

/* Accesses come in order: mostly the range of the last one, or the next. */
static int ranges_hold(struct ranges *r, int64_t off)
{
    for (int i = 0; i < r->n; i++) {
        int k = r->last + i < r->n ? r->last + i : r->last + i - r->n;

        if (in_range(&r->at[k], off)) {
            r->last = k;
            return 1;
        }
    }
    return 0;
}

/* ---- what comes next ---- */

static const struct range *call_at(const struct adl_lockwindow *w, int64_t i)
{
    return &w->call[i % HISTORY];
}

static int64_t length_of(const struct range *r)
{
    return r->hi - r->lo;
}

/* Call i did what call i - p did, relative to the call before. */
static int repeats(const struct adl_lockwindow *w, int64_t i, int p)
{
    const struct range *now = call_at(w, i), *then = call_at(w, i - p);

    return length_of(now) == length_of(then) &&
           now->lo - call_at(w, i - 1)->lo ==
               then->lo - call_at(w, i - p - 1)->lo;
}

/* The last p calls did what the p before them did. */
static int has_period(const struct adl_lockwindow *w, int p)
{
    int64_t last = w->calls - 1;

    if (last < 2 * (int64_t)p)
        return 0;
    for (int64_t i = last; i > last - p; i--)
        if (!repeats(w, i, p))
            return 0;
    return 1;
}

/* A period that still holds stays: inside a long one, two like steps would
 * pass for a short one. */
static int find_period(const struct adl_lockwindow *w)
{
    if (w->repeat && has_period(w, w->repeat))
        return w->repeat;
    for (int p = 1; p <= MAX_PERIOD; p++)
        if (has_period(w, p))
            return p;
    return 0;
}

/* Calls that leave out less than a round of stripes touch all of ours, or
 * nearly: simply going on costs nothing and needs no pattern. */
static int goes_on(const struct adl_lockwindow *w, int period)
{
    int64_t last = w->calls - 1, round;
    struct adl_stripe s;

    adl_owner_locate(w->owner, call_at(w, last)->lo, &s);
    round = adl_owner_stripe_size(w->owner, s.comp) * adl_owner_naggs(w->owner);
    for (int64_t i = last; i > last - period; i--) {
        int64_t gap = call_at(w, i)->lo - call_at(w, i - 1)->hi;

        if (gap < 0 || gap >= round)
            return 0;
    }
    return 1;
}

/* Our stripes in [lo, hi), no more than the window may hold. */
static int count_own(const struct adl_lockwindow *w, int64_t lo, int64_t hi)
{
    struct adl_stripe s;
    int n = 0;

    while (lo < hi && n < w->max &&
           !adl_owner_first_at(w->owner, w->agg, lo, &s) && s.start < hi) {
        lo = s.end;
        n++;
    }
    return n;
}

void adl_lockwindow_call(struct adl_lockwindow *win, int64_t start, int64_t end)
{
    int64_t reach;
    int own;

    win->call[win->calls % HISTORY] = (struct range){start, end};
    win->calls++;
    win->fresh = 1;
    win->repeat = find_period(win);
    win->period = win->repeat;
    if (win->period && goes_on(win, win->period))
        win->period = 0;
    if (win->calls > 1 && (win->repeat || goes_on(win, 1)))
        win->kept++;
    else
        win->kept = 0;
    own = count_own(win, start < win->from ? win->from : start, end);
    if (own) /* few of the calls may be ours */
        win->own = own;
    reach = (int64_t)win->own * (win->kept / PATIENCE);
    win->reach = reach > win->max - win->own ? win->max - win->own : (int)reach;
}

/* Where the component ends that holds the running call's last byte. Locks
 * behind it would make the server create objects that may never be used. */
static int64_t horizon(const struct adl_lockwindow *w)
{
    const struct range *call = call_at(w, w->calls - 1);
    struct adl_stripe s;

    adl_owner_locate(w->owner, call->hi > call->lo ? call->hi - 1 : call->lo,
                     &s);
    if (s.comp + 1 < adl_owner_ncomps(w->owner))
        return adl_owner_start(w->owner, s.comp + 1);
    return INT64_MAX;
}

/* The call that follows `r`, which is the running one or foreseen, i calls
 * (from 0) after the running one. 0: nothing is foreseen. */
static int foresee(const struct adl_lockwindow *w, int64_t i, struct range *r)
{
    int64_t then = w->calls - w->period + i % w->period, delta, length;

    delta = call_at(w, then)->lo - call_at(w, then - 1)->lo;
    length = length_of(call_at(w, then));
    if (__builtin_add_overflow(r->lo, delta, &r->lo) || r->lo < 0 ||
        __builtin_add_overflow(r->lo, length, &r->hi))
        return 0;
    return 1;
}

/* ---- the walk ---- */

struct walk {
    int64_t call; /* number of the call we are in, foreseen or not */
    int count;    /* stripes passed */
};

static void wish_for(struct adl_lockwindow *w, const struct adl_stripe *s)
{
    if ((ranges_hold(&w->held, s->start) &&
         !overlap(&w->doubt, s->start, s->end)) ||
        ranges_hold(&w->next, s->start))
        return;
    w->wish[w->nwish++] =
        (struct adl_lockwish){.start = s->start, .end = s->end};
    w->counts.extents++;
}

static void pass(struct adl_lockwindow *w, struct walk *walk,
                 const struct adl_stripe *s)
{
    wish_for(w, s);
    if (++walk->count == (w->own + w->reach + 1) / 2) {
        w->half_call = w->period ? walk->call : -1;
        w->half_off = s->end;
    }
}

/* Our stripes in [lo, hi), until `limit` stripes have been passed. The range
 * is taken down up to the last stripe passed. */
static void walk_range(struct adl_lockwindow *w, struct walk *walk, int64_t lo,
                       int64_t hi, int limit)
{
    struct range *r = &w->next.at[w->next.n];
    struct adl_stripe s;

    if (hi > w->horizon)
        hi = w->horizon;
    if (lo < w->from)
        lo = w->from;
    r->lo = -1;
    while (lo < hi && walk->count < limit &&
           !adl_owner_first_at(w->owner, w->agg, lo, &s) && s.start < hi) {
        if (r->lo < 0)
            r->lo = s.start;
        r->hi = lo = s.end;
        pass(w, walk, &s);
    }
    if (r->lo >= 0)
        w->next.n++;
}

static void walk_calls(struct adl_lockwindow *w, struct walk *walk, int limit)
{
    struct range r = *call_at(w, w->calls - 1);

    for (int64_t i = 0; i < MAX_CALLS; i++) {
        if (walk->count >= limit || w->next.n >= MAX_RANGES ||
            !foresee(w, i, &r))
            break;
        walk->call++;
        walk_range(w, walk, r.lo, r.hi, limit);
    }
    /* Few of the calls are ours: then the middle of the calls. */
    if (w->half_off == INT64_MAX) {
        w->half_call = w->calls - 1 + (walk->call - (w->calls - 1) + 1) / 2;
        w->half_off = 0;
    }
}

/* Make a new window that begins at `off`: the rest of the running call, and
 * what the reach allows behind it. */
static void renew(struct adl_lockwindow *w, int64_t off)
{
    struct walk walk = {.call = w->calls - 1};
    int64_t end = call_at(w, w->calls - 1)->hi;
    int limit;

    w->horizon = horizon(w);
    w->nwish = 0;
    w->next.n = w->next.last = 0;
    w->half_call = -1;
    w->half_off = INT64_MAX;
    walk_range(w, &walk, off, end, w->max);
    limit = walk.count + w->reach < w->max ? walk.count + w->reach : w->max;
    if (w->period)
        walk_calls(w, &walk, limit);
    else
        walk_range(w, &walk, off > end ? off : end, INT64_MAX, limit);
    w->held = w->next;
    w->doubt = (struct range){0, 0};
}

/* ---- accesses ---- */

static void count_access(struct adl_lockwindow *w, int hit, int64_t stripe)
{
    if (hit)
        w->counts.hits++;
    else
        w->counts.misses++;
    if (stripe != w->last_used && w->counts.used < w->counts.extents)
        w->counts.used++;
    w->last_used = stripe;
}

/* Time to look further: the middle is passed, or a call has opened the next
 * component. */
static int past_half(const struct adl_lockwindow *w, int64_t off)
{
    int64_t now = w->calls - 1;

    if (w->fresh && horizon(w) > w->horizon)
        return 1;
    if (w->half_call < 0)
        return off >= w->half_off;
    return now > w->half_call || (now == w->half_call && off >= w->half_off);
}

static int64_t stripe_start(const struct adl_lockwindow *w, int64_t off)
{
    struct adl_stripe s;

    adl_owner_locate(w->owner, off, &s);
    return s.start;
}

/* There is a window, and nothing of it is in doubt. */
static int has_window(const struct adl_lockwindow *w)
{
    for (int i = 0; i < w->held.n; i++)
        if (overlap(&w->doubt, w->held.at[i].lo, w->held.at[i].hi))
            return 0;
    return w->held.n > 0;
}

/* The window has every stripe of ours from `lo` to the end of the call. */
static int has_call(struct adl_lockwindow *w, int64_t lo)
{
    int64_t end = call_at(w, w->calls - 1)->hi;
    struct adl_stripe s;

    while (lo < end && !adl_owner_first_at(w->owner, w->agg, lo, &s) &&
           s.start < end) {
        if (!ranges_hold(&w->held, s.start))
            return 0;
        lo = s.end;
    }
    return 1;
}

int adl_lockwindow_begin(struct adl_lockwindow *win,
                         const struct adl_lockwish **wish)
{
    const struct range *call = call_at(win, win->calls - 1);
    struct adl_stripe s;

    *wish = win->wish;
    if (adl_owner_first_at(win->owner, win->agg,
                           call->lo < win->from ? win->from : call->lo, &s) ||
        s.start >= call->hi || (has_window(win) && has_call(win, s.start)))
        return 0;
    renew(win, s.start);
    return win->nwish;
}

int adl_lockwindow_access(struct adl_lockwindow *win, int64_t off,
                          const struct adl_lockwish **wish)
{
    int64_t stripe = stripe_start(win, off);
    int hit, whole;

    *wish = win->wish;
    if (off < win->from)
        return 0;
    whole = has_window(win);
    hit = whole && ranges_hold(&win->held, off);
    if (hit && !past_half(win, off)) {
        win->fresh = 0;
        count_access(win, 1, stripe);
        return 0;
    }
    win->fresh = 0;
    renew(win, stripe);
    count_access(win, hit, stripe);
    return win->nwish;
}

void adl_lockwindow_doubt(struct adl_lockwindow *win, int64_t lo, int64_t hi)
{
    struct range *d = &win->doubt;
    struct adl_stripe s;

    if (lo >= hi || adl_owner_first_at(win->owner, win->agg, lo, &s) ||
        s.start >= hi)
        return;
    if (d->lo >= d->hi)
        *d = (struct range){lo, hi};
    d->lo = adl_min(lo, d->lo);
    d->hi = adl_max(hi, d->hi);
}
