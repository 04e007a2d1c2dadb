/* iostat.c - counts the system calls that one thread makes on a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "iostat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int adl_use_of_ost(const struct adl_layout *layout,
                   const struct adl_object_use *use, int number,
                   struct adl_object_use *sum)
{
    struct adl_home home, other;
    int objects = 0;

    *sum = (struct adl_object_use){0, 0};
    adl_layout_home(layout, number, &home);
    for (int i = 0; i < adl_layout_objects(layout); i++) {
        adl_layout_home(layout, i, &other);
        if (i != number && (home.ost < 0 || other.ost != home.ost))
            continue;
        if (i < number)
            return 0;
        objects++;
        sum->bytes += use[i].bytes;
        sum->calls += use[i].calls;
    }
    return objects;
}

int adl_iostat_init(struct adl_iostat *io, const struct adl_layout *layout,
                    int per_object, int64_t interval)
{
    int n = adl_layout_objects(layout);

    memset(io, 0, sizeof(*io));
    io->layout = layout;
    io->bins.interval = interval;
    for (int d = 0; d < ADL_DIRS; d++) {
        adl_tally_init(&io->tally[d]);
        io->last_end[d] = -1;
        if (!per_object)
            continue;
        io->use[d] = calloc(n > 0 ? n : 1, sizeof(*io->use[d]));
        if (!io->use[d]) {
            adl_iostat_release(io);
            return -ENOMEM;
        }
    }
    return 0;
}

void adl_iostat_release(struct adl_iostat *io)
{
    for (int d = 0; d < ADL_DIRS; d++) {
        free(io->use[d]);
        io->use[d] = NULL;
    }
    adl_bins_release(&io->bins);
}

/* A whole stripe, and nothing else. */
static int is_stripe(const struct adl_layout *layout,
                     const struct adl_place *at, int64_t len)
{
    struct adl_home home;

    if (at->end - at->off != len)
        return 0;
    adl_layout_home(layout, at->number, &home);
    return len == home.stripe_size;
}

/* A call that crosses stripes may touch an object several times: once is
 * enough, for up to `objects` stripes at least. */
static void add_use(struct adl_iostat *io, const struct adl_iocall *call,
                    struct adl_place at)
{
    struct adl_object_use *use = io->use[call->dir];
    int64_t end = call->off + call->len, off = call->off;
    int objects = adl_layout_objects(io->layout);

    for (int64_t stripes = 0; off < end; stripes++) {
        int64_t n = (at.end < end ? at.end : end) - off;

        use[at.number].bytes += n;
        use[at.number].calls += stripes < objects;
        off += n;
        if (off < end)
            adl_layout_next_stripe(io->layout, &at);
    }
}

static void add_bin(struct adl_iostat *io, const struct adl_iocall *call)
{
    struct adl_bin *bin = adl_bins_at(&io->bins, call->now);
    struct adl_bin_sums *to;

    if (!bin)
        return;
    to = &bin->dir[call->dir];
    to->system++;
    to->bytes += call->len;
    to->ns += call->ns;
}

void adl_iostat_add(struct adl_iostat *io, const struct adl_iocall *call)
{
    int64_t *n = io->tally[call->dir].n;
    struct adl_place at;

    adl_layout_locate(io->layout, call->off, &at);
    n[ADL_N_io_ranks] = 1;
    n[ADL_N_system_calls]++;
    n[ADL_N_system_bytes] += call->len;
    n[ADL_N_size_0 + adl_size_class(call->len)]++;
    if (call->len > n[ADL_N_system_largest])
        n[ADL_N_system_largest] = call->len;
    if (call->len < n[ADL_N_system_smallest])
        n[ADL_N_system_smallest] = call->len;
    n[ADL_N_stripe_sized] += is_stripe(io->layout, &at, call->len);
    if (io->use[call->dir])
        add_use(io, call, at);
    if (io->bins.interval)
        add_bin(io, call);
}

/* Where the aggregator's next byte is. */
static int64_t expected(const struct adl_owner *owner, int agg, int64_t end)
{
    struct adl_stripe next;

    if (adl_owner_first_at(owner, agg, end, &next) < 0)
        return end;
    return next.start > end ? next.start : end;
}

void adl_iostat_follow(struct adl_iostat *io, const struct adl_owner *owner,
                       int agg, const struct adl_iocall *call)
{
    int64_t *n = io->tally[call->dir].n;
    int64_t last = io->last_end[call->dir], want;

    io->last_end[call->dir] = call->off + call->len;
    if (last < 0 || last == call->off)
        return;
    want = expected(owner, agg, last);
    if (want == call->off)
        return;
    n[ADL_N_gaps]++;
    n[ADL_N_gap_bytes] +=
        want > call->off ? want - call->off : call->off - want;
}
