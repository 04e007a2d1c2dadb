/* frontier.c - how far all nodes have come in a call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "frontier.h"

#include "../../core/text/minmax.h"
#include "../../sys/clock.h"
#include "../progress/waiting.h"

enum { SETTLED, ASKED };

void adl_frontier_begin(struct adl_frontier *f, const struct adl_terms *terms)
{
    f->terms = terms;
    f->known[SETTLED] = terms->start;
    f->known[ASKED] = terms->write || terms->whole ? ADL_POS_END : terms->start;
    f->since = adl_clock_ns();
    f->last[SETTLED] = f->last[ASKED] = -1;
    f->reducing = 0;
}

/* Positions first, then blocks: see adl_pool_lowest. */
static void look(struct adl_frontier *f, int64_t now[2])
{
    now[SETTLED] = adl_segment_lowest(f->seg, ADL_AT_SETTLED);
    now[ASKED] = adl_segment_lowest(f->seg, ADL_AT_ASKED);
    now[SETTLED] = adl_min(now[SETTLED], adl_pool_lowest(f->pool, 0));
    now[ASKED] = adl_min(now[ASKED], adl_pool_lowest(f->pool, 1));
}

static int far_enough(int64_t now, int64_t known, int64_t step)
{
    return now > known && (now == ADL_POS_END || now - known >= step);
}

/* Has the node advanced far enough for a round, or for long enough not at all?
 */
static int worth_a_round(struct adl_frontier *f, const int64_t now[2])
{
    int moved =
        now[SETTLED] != f->last[SETTLED] || now[ASKED] != f->last[ASKED];

    f->last[SETTLED] = now[SETTLED];
    f->last[ASKED] = now[ASKED];
    if (moved)
        f->since = adl_clock_ns();
    if (far_enough(now[SETTLED], f->known[SETTLED], f->step) ||
        far_enough(now[ASKED], f->known[ASKED], f->step))
        return 1;
    return (now[SETTLED] > f->known[SETTLED] || now[ASKED] > f->known[ASKED]) &&
           adl_clock_ns() - f->since > ADL_WAIT_ROUND;
}

static void lower_of_both(const void *a, void *b)
{
    const int64_t *x = a;
    int64_t *y = b;

    for (int i = SETTLED; i <= ASKED; i++)
        y[i] = adl_min(x[i], y[i]);
}

int adl_frontier_step(struct adl_frontier *f)
{
    int64_t now[2];

    if (f->known[SETTLED] == ADL_POS_END)
        return 1;
    if (!f->reducing) {
        look(f, now);
        if (!worth_a_round(f, now))
            return 0;
        f->mine[SETTLED] = now[SETTLED];
        f->mine[ASKED] = now[ASKED];
        adl_reduce_begin(&f->leaders, f->mine, sizeof(f->mine), lower_of_both);
        f->reducing = 1;
        f->rounds++;
    }
    if (!adl_reduce_test(&f->leaders))
        return 0;
    f->reducing = 0;
    f->since = adl_clock_ns();
    f->known[SETTLED] = f->mine[SETTLED];
    f->known[ASKED] = f->mine[ASKED];
    adl_node_set(f->seg, f->terms->call, f->known[SETTLED], f->known[ASKED]);
    return f->known[SETTLED] == ADL_POS_END;
}
