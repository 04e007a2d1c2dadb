/* choice.c - does a call go through the aggregators, or each rank on its own?
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "choice.h"

#include "../hints/hints.h"
#include "../text/minmax.h"

/* Times as bytes that a process copies meanwhile; at 1 GiB/s 1 KiB is 1 us.
 * Only their size counts. They are those of a fast network and a busy server,
 * and the ranks must be faster by a half: a doubtful case stays with the
 * aggregators, which spare the servers locks and requests. */
#define US 1024
#define LOCK (300 * US)      /* until a lock that was asked for is there, */
#define SLOWEST 10000000000  /* ... or measured: ns, at most this */
#define LOCK_EACH (25 * US)  /* of the server, for each lock of an object */
#define CALLBACK (1000 * US) /* until another client has given its lock back */
#define OPEN (500 * US)      /* until a rank has a descriptor */
#define OPEN_EACH (20 * US)  /* of the metadata server, for each */
#define REQUEST (100 * US)   /* of the server, for each request more */

#define PAGE 4096

/* How the blocks lie on the objects. */
struct spread {
    int64_t size;    /* of a block, in the mean */
    int64_t each;    /* objects that a block lies on */
    int64_t touched; /* objects that all of them lie on */
    int64_t crowd;   /* blocks on an object */
};

static int64_t share(int64_t n, int64_t of)
{
    return (n + of - 1) / of;
}

static int64_t stripes_of(const struct adl_choice *file,
                          const struct adl_claim *all)
{
    return (all->end - 1) / file->stripe - all->start / file->stripe + 1;
}

static struct spread blocks_over(const struct adl_choice *file,
                                 const struct adl_claim *all)
{
    struct spread s = {.size = share(all->bytes, all->pieces)};
    int64_t unit;

    s.touched = adl_min(stripes_of(file, all), file->objects);
    /* Blocks begin at multiples of `unit`, as stripes do. */
    unit = (all->bits | file->stripe) & -(all->bits | file->stripe);
    s.each = share(s.size + file->stripe - unit, file->stripe);
    s.each = adl_min(s.each, s.touched);
    s.crowd = share(all->pieces * s.each, s.touched);
    return s;
}

/* Until one lock is there. Of what the ranks have measured it is the shortest,
 * in which no rank waited for a processor or for another rank. */
static int64_t cost_of_lock(const struct adl_claim *all)
{
    return adl_max(LOCK, adl_min(all->lock_time, SLOWEST) * US / 1000);
}

/* How many locks a rank waits for one after the other. It asks for several at
 * a time, but of a block that has several stripes on an object it asks for all
 * locks in one request, which Lustre sends one after the other. */
static int64_t locks_in_turn(const struct adl_choice *file,
                             const struct adl_claim *all,
                             const struct spread *s)
{
    int64_t own = share(all->pieces, file->ranks);

    if (s->size > file->stripe * file->objects)
        return s->each * share(own, ADL_CHOICE_LOCKS);
    return share(s->each * own, ADL_CHOICE_LOCKS);
}

/* Blocks that end inside a page share its lock. */
static int64_t cost_of_locks(const struct adl_choice *file,
                             const struct adl_claim *all,
                             const struct spread *s)
{
    int64_t one = cost_of_lock(all), cost;

    if (file->nodes == 1)
        return file->held ? 0 : one;
    if (!file->held && !(all->flags & ADL_CLAIM_UNLOCKED))
        return 0;
    cost = one * locks_in_turn(file, all, s);
    cost += LOCK_EACH * s->crowd;
    if (!file->ahead)
        cost += (adl_min(s->crowd, file->nodes) - 1) * CALLBACK;
    if (all->bits % PAGE != 0)
        cost += CALLBACK;
    return cost + (file->held ? CALLBACK : 0);
}

static int64_t cost_of_opens(const struct adl_choice *file)
{
    int64_t more = file->ranks - file->aggs;

    return file->opened || more <= 0 ? 0 : OPEN + OPEN_EACH * more;
}

/* The ranks send a request for each block; an aggregator sends full requests.
 * Disks make no difference for writes, because a server allocates the blocks of
 * what is written where it likes. */
static int64_t cost_of_requests(const struct adl_claim *all,
                                const struct spread *s)
{
    int64_t single = s->crowd * share(s->size / s->each, ADL_CHOICE_RPC);
    int64_t whole = share(all->bytes / s->touched, ADL_CHOICE_RPC);

    return adl_max(single - whole, 0) * REQUEST;
}

struct adl_choice_costs adl_choice_costs(const struct adl_choice *file,
                                         const struct adl_claim *all)
{
    struct spread s = blocks_over(file, all);
    int64_t active = adl_max(adl_min(file->aggs, s.touched), 1);

    return (struct adl_choice_costs){
        .through =
            2 * (all->bytes / active) + (file->held ? 0 : cost_of_lock(all)),
        .alone = all->most + cost_of_locks(file, all, &s) +
                 cost_of_opens(file) + cost_of_requests(all, &s)};
}

/* Are there so many requests for an object, or so small ones, that an
 * aggregator should unite them? */
static int is_crowd(const struct adl_choice *file, const struct adl_claim *all)
{
    int64_t touched = adl_min(stripes_of(file, all), file->objects);

    return all->bytes < ADL_CHOICE_SMALL * all->pieces ||
           all->pieces > ADL_CHOICE_CROWD * touched;
}

/* Is every rank's part of an object so large that the seeks do not count? */
static int is_long(const struct adl_choice *file, const struct adl_claim *all)
{
    struct spread s = blocks_over(file, all);

    return s.size / s.each >= ADL_CHOICE_RPC;
}

/* Aggregators read on after a read of a whole span that continues a sequence:
 * what it asks for is in their caches, or on its way. */
static int reads_itself(const struct adl_choice *file,
                        const struct adl_claim *all,
                        const struct adl_terms *terms)
{
    if (file->guarded || file->gathered || is_crowd(file, all) ||
        (file->follows && terms->whole))
        return 0;
    if (all->flags & ADL_CLAIM_NONCONTIG)
        return is_long(file, all);
    return !file->seeks || is_long(file, all);
}

static int writes_itself(const struct adl_choice *file,
                         const struct adl_claim *all)
{
    struct adl_choice_costs costs;

    if (file->guarded || file->later ||
        all->bytes < ADL_CHOICE_LEAST * all->pieces)
        return 0;
    costs = adl_choice_costs(file, all);
    return costs.alone + costs.alone / 2 < costs.through;
}

static int is_detour(const struct adl_choice *file, const struct adl_claim *all,
                     const struct adl_terms *terms)
{
    if (!terms->apart || (all->flags & ADL_CLAIM_TANGLED))
        return 0;
    if (!file->on_lustre)
        return !terms->write && !(all->flags & ADL_CLAIM_NONCONTIG) &&
               all->least >= ADL_CHOICE_BLOCK;
    return terms->write ? writes_itself(file, all)
                        : reads_itself(file, all, terms);
}

int adl_choice_aggregate(const struct adl_choice *file,
                         const struct adl_claim *all,
                         const struct adl_terms *terms)
{
    if (file->alone || all->bytes == 0)
        return 0;
    if (file->cb == ADL_ENABLE)
        return 1;
    if (is_detour(file, all, terms))
        return 0;
    /* Under a group lock a rank outside the group would wait for ever. */
    return file->threshold == 0 || file->guarded ||
           all->least < file->threshold || (all->flags & ADL_CLAIM_INTERLEAVED);
}
