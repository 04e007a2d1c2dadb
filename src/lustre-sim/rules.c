/* rules.c - how extent locks grow and conflict; see rules.h */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "rules.h"

void lsim_rule_pages(uint64_t *start, uint64_t *end)
{
    uint64_t mask = LSIM_RULE_PAGE - 1;

    *start &= ~mask;
    *end = *end > LSIM_RULE_EOF - mask ? LSIM_RULE_EOF : (*end + mask) & ~mask;
}

int lsim_rule_overlap(const struct lsim_rule_lock *a,
                      const struct lsim_rule_lock *b)
{
    return a->start < b->end && b->start < a->end;
}

int lsim_rule_conflict(const struct lsim_rule_lock *want,
                       const struct lsim_rule_lock *held)
{
    if (want->mode == LSIM_RULE_GROUP && held->mode == LSIM_RULE_GROUP)
        return want->gid != held->gid;
    if (want->mode == LSIM_RULE_GROUP || held->mode == LSIM_RULE_GROUP)
        return 1;
    if (want->mode == LSIM_RULE_PR && held->mode == LSIM_RULE_PR)
        return 0;
    if (want->client == held->client) /* rule 5 */
        return want->mode == LSIM_RULE_PW && held->mode == LSIM_RULE_PR;
    return 1;
}

int lsim_rule_blocks(const struct lsim_rule_lock *want,
                     const struct lsim_rule_lock *held)
{
    return lsim_rule_overlap(want, held) && lsim_rule_conflict(want, held);
}

int lsim_rule_covers(const struct lsim_rule_lock *held,
                     const struct lsim_rule_lock *want)
{
    if (held->mode == LSIM_RULE_GROUP || want->mode == LSIM_RULE_GROUP)
        return 0;
    if (held->mode == LSIM_RULE_PR && want->mode == LSIM_RULE_PW)
        return 0;
    return held->start <= want->start && want->end <= held->end;
}

void lsim_growth_begin(struct lsim_growth *g, const struct lsim_rule_lock *want)
{
    g->want = want;
    g->conflicting = 0;
    g->start = 0;
    g->end = LSIM_RULE_EOF;
}

void lsim_growth_held(struct lsim_growth *g, const struct lsim_rule_lock *held)
{
    if (!lsim_rule_conflict(g->want, held))
        return;
    g->conflicting++;
    g->start = g->want->start;
    if (held->start >= g->want->end && held->start < g->end)
        g->end = held->start;
}

/* Among requests the server does not look whose they are: the modes count. */
void lsim_growth_waiting(struct lsim_growth *g,
                         const struct lsim_rule_lock *other)
{
    if (g->want->mode == LSIM_RULE_PR && other->mode == LSIM_RULE_PR)
        return;
    g->conflicting++;
    if (g->conflicting > LSIM_RULE_WAITING_NO_DOWNWARDS)
        g->start = g->want->start;
    /* Two requests for the same bytes take turns whatever is granted, so
     * the other one does not limit this one. */
    if (lsim_rule_overlap(g->want, other))
        return;
    if (other->end <= g->want->start && other->end > g->start)
        g->start = other->end;
    if (other->start >= g->want->end && other->start < g->end)
        g->end = other->start;
}

/* The largest power of two, at least a page, that divides both ends. */
static uint64_t alignment(const struct lsim_rule_lock *want)
{
    uint64_t end = want->end == LSIM_RULE_EOF ? 0 : want->end;
    uint64_t bits = want->start | end;

    if (bits == 0 || bits % LSIM_RULE_PAGE != 0)
        return LSIM_RULE_PAGE;
    return bits & -bits;
}

void lsim_growth_end(struct lsim_growth *g, uint64_t *start, uint64_t *end)
{
    const struct lsim_rule_lock *want = g->want;
    uint64_t align = alignment(want);

    if (g->conflicting > LSIM_RULE_MANY && want->mode == LSIM_RULE_PW &&
        want->end - want->start < LSIM_RULE_GROWN &&
        g->end - want->start > LSIM_RULE_GROWN)
        g->end = want->start + LSIM_RULE_GROWN;
    if (g->start % align)
        g->start += align - g->start % align;
    if (g->end != LSIM_RULE_EOF)
        g->end -= g->end % align;
    *start = g->start;
    *end = g->end;
}
