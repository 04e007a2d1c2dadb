/* frontier.c - how far all nodes have come in a call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "frontier.h"

#include <string.h>

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
static void look(const struct adl_frontier *f, int64_t now[2])
{
    static const enum adl_position which[] = {
        [SETTLED] = ADL_AT_SETTLED, [ASKED] = ADL_AT_ASKED};

    for (int i = SETTLED; i <= ASKED; i++) {
        now[i] = adl_segment_lowest(f->seg, which[i]);
        now[i] = adl_min(now[i], adl_pool_lowest(f->pool, i == ASKED));
    }
}

/* Has the node advanced far enough for a round, or for long enough not at all?
 */
static int worth_a_round(struct adl_frontier *f, const int64_t now[2])
{
    int moved = 0, more = 0, far = 0;

    for (int i = SETTLED; i <= ASKED; i++) {
        int64_t gain = now[i] - f->known[i];

        moved |= now[i] != f->last[i];
        more |= gain > 0;
        far |= gain > 0 && (gain >= f->step || now[i] == ADL_POS_END);
        f->last[i] = now[i];
    }
    if (moved)
        f->since = adl_clock_ns();
    return far || (more && adl_clock_ns() - f->since > ADL_WAIT_ROUND);
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
        memcpy(f->mine, now, sizeof(f->mine));
        adl_reduce_begin(&f->leaders, f->mine, sizeof(f->mine), lower_of_both);
        f->reducing = 1;
        f->rounds++;
    }
    if (!adl_reduce_test(&f->leaders))
        return 0;
    f->reducing = 0;
    f->since = adl_clock_ns();
    memcpy(f->known, f->mine, sizeof(f->known));
    adl_node_set(f->seg, f->terms->call, f->known[SETTLED], f->known[ASKED]);
    return f->known[SETTLED] == ADL_POS_END;
}
