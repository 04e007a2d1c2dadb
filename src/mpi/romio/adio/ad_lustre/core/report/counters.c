/* counters.c - the counters of a file: of one rank, and of all ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "counters.h"
#include "../text/minmax.h"

#include <string.h>

static const struct {
    const char *name;
    enum adl_counter_kind kind;
} table[] = {
#define ADL_COUNTER(name, kind, text) {#name, ADL_##kind},
#include "counters.def"
#undef ADL_COUNTER
};

const char *adl_counter_name(enum adl_counter id)
{
    return table[id].name;
}

enum adl_counter_kind adl_counter_kind(enum adl_counter id)
{
    return table[id].kind;
}

/* ---- one rank ---- */

void adl_tally_init(struct adl_tally *tally)
{
    memset(tally, 0, sizeof(*tally));
    for (int i = 0; i < ADL_COUNTERS; i++)
        if (table[i].kind == ADL_MIN)
            tally->n[i] = INT64_MAX;
}

static int64_t join(enum adl_counter_kind kind, int64_t a, int64_t b)
{
    if (kind == ADL_MIN)
        return adl_min(a, b);
    return kind == ADL_MAX ? adl_max(a, b) : a + b;
}

void adl_tally_join(struct adl_tally *to, const struct adl_tally *more)
{
    for (int i = 0; i < ADL_COUNTERS; i++)
        to->n[i] = join(table[i].kind, to->n[i], more->n[i]);
}

int64_t adl_active_half(int64_t n)
{
    return n < 2 ? 1 : n / 2;
}

void adl_tally_active(struct adl_tally *tally, int64_t active, int aggregators)
{
    tally->n[ADL_N_active_sum] += active;
    if (active <= 1)
        tally->n[ADL_N_active_one]++;
    else if (active <= adl_active_half(aggregators))
        tally->n[ADL_N_active_half]++;
    else if (active < aggregators)
        tally->n[ADL_N_active_most]++;
    else
        tally->n[ADL_N_active_all]++;
}

void adl_tally_close(struct adl_tally *tally)
{
    int64_t rows = 0;

    tally->n[ADL_N_t_other] = 0;
    for (int i = ADL_TIME_FIRST + 1; i < ADL_COUNTERS; i++)
        rows += tally->n[i];
    tally->n[ADL_N_t_total] = adl_max(tally->n[ADL_N_t_total], rows);
    tally->n[ADL_N_t_other] = tally->n[ADL_N_t_total] - rows;
}

int64_t adl_size_from(int i)
{
    return i == 0 ? 0 : (int64_t)1024 << 2 * (i - 1);
}

int adl_size_class(int64_t bytes)
{
    int i = 0;

    while (i + 1 < ADL_SIZES && bytes >= adl_size_from(i + 1))
        i++;
    return i;
}

/* ---- all ranks ---- */

void adl_total_of(const struct adl_tally *tally, struct adl_total *out)
{
    memset(out, 0, sizeof(*out));
    memcpy(out->n, tally->n, sizeof(*out->n) * ADL_TIME_FIRST);
    for (int i = 0; i < ADL_TIMES; i++) {
        int64_t ns = tally->n[ADL_TIME_FIRST + i];

        out->all[i] = (struct adl_spread){ns, ns, ns};
        if (tally->n[ADL_N_io_ranks] > 0)
            out->io[i] = out->all[i];
    }
}

static void merge_spread(const struct adl_spread *in, struct adl_spread *inout)
{
    inout->sum += in->sum;
    inout->min = adl_min(in->min, inout->min);
    inout->max = adl_max(in->max, inout->max);
}

/* Where no rank made system calls there are no times of such ranks: zeros that
 * are not the smallest of anything. */
static void merge_total(const struct adl_total *in, struct adl_total *inout)
{
    int mine = inout->n[ADL_N_io_ranks] > 0, theirs = in->n[ADL_N_io_ranks] > 0;

    for (int i = 0; i < ADL_TIME_FIRST; i++)
        inout->n[i] = join(table[i].kind, inout->n[i], in->n[i]);
    for (int i = 0; i < ADL_TIMES; i++) {
        merge_spread(&in->all[i], &inout->all[i]);
        if (theirs && mine)
            merge_spread(&in->io[i], &inout->io[i]);
        else if (theirs)
            inout->io[i] = in->io[i];
    }
}

void adl_totals_merge(const struct adl_totals *in, struct adl_totals *inout)
{
    for (int d = 0; d < ADL_DIRS; d++)
        merge_total(&in->dir[d], &inout->dir[d]);
    for (int64_t i = 0; i < inout->nextra; i++)
        inout->extra[i] += in->extra[i];
}
