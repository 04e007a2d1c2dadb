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

/* ---- all ranks ----
 *
 * A vector: number of sums, number of maxima, the sums, the maxima. A minimum
 * is the maximum of what is negative. NONE takes part in no maximum.
 */
#define NONE (-INT64_MAX)
#define HEAD 2

/* Where the next number of each kind goes, or comes from. */
struct cursor {
    int64_t *sum, *max;
};

static void count_kinds(int64_t *sums, int64_t *maxima)
{
    *sums = *maxima = 0;
    for (int i = 0; i < ADL_COUNTERS; i++) {
        int time = table[i].kind == ADL_TIME;

        *sums += time ? 2 : table[i].kind == ADL_SUM;
        *maxima += time ? 4 : table[i].kind != ADL_SUM;
    }
    *sums *= ADL_DIRS;
    *maxima *= ADL_DIRS;
}

static struct cursor vector_start(int64_t *vec)
{
    return (struct cursor){vec + HEAD, vec + HEAD + vec[0]};
}

size_t adl_vector_len(int64_t nextra)
{
    int64_t sums, maxima;

    count_kinds(&sums, &maxima);
    return HEAD + sums + maxima + nextra;
}

static void put_time(struct cursor *to, int64_t ns, int counts)
{
    *to->sum++ = counts ? ns : 0;
    *to->max++ = counts ? ns : NONE;
    *to->max++ = counts ? -ns : NONE;
}

static void put_tally(struct cursor *to, const struct adl_tally *tally)
{
    int io = tally->n[ADL_N_io_ranks] > 0;

    for (int i = 0; i < ADL_COUNTERS; i++) {
        int64_t n = tally->n[i];

        if (table[i].kind == ADL_SUM) {
            *to->sum++ = n;
        } else if (table[i].kind == ADL_MAX) {
            *to->max++ = n;
        } else if (table[i].kind == ADL_MIN) {
            *to->max++ = -n;
        } else {
            put_time(to, n, 1);
            put_time(to, n, io);
        }
    }
}

void adl_vector_pack(int64_t *vec, const struct adl_tally tally[ADL_DIRS],
                     const int64_t *extra, int64_t nextra)
{
    struct cursor to;

    count_kinds(&vec[0], &vec[1]);
    vec[0] += nextra;
    to = vector_start(vec);
    for (int d = 0; d < ADL_DIRS; d++)
        put_tally(&to, &tally[d]);
    if (nextra > 0)
        memcpy(to.sum, extra, nextra * sizeof(*extra));
}

void adl_vector_merge(const int64_t *in, int64_t *inout)
{
    int64_t sums = inout[0], maxima = inout[1];

    in += HEAD;
    inout += HEAD;
    for (int64_t i = 0; i < sums; i++)
        inout[i] += in[i];
    for (int64_t i = sums; i < sums + maxima; i++)
        inout[i] = adl_max(in[i], inout[i]);
}

static void get_time(struct cursor *from, struct adl_spread *to)
{
    to->sum = *from->sum++;
    to->max = *from->max++;
    to->min = -*from->max++;
    if (to->max == NONE)
        to->max = to->min = 0;
}

static void get_total(struct cursor *from, struct adl_total *to)
{
    memset(to, 0, sizeof(*to));
    for (int i = 0; i < ADL_COUNTERS; i++) {
        if (table[i].kind == ADL_SUM) {
            to->n[i] = *from->sum++;
        } else if (table[i].kind == ADL_MAX) {
            to->n[i] = *from->max++;
        } else if (table[i].kind == ADL_MIN) {
            to->n[i] = -*from->max++;
        } else {
            get_time(from, &to->all[i - ADL_TIME_FIRST]);
            get_time(from, &to->io[i - ADL_TIME_FIRST]);
        }
    }
}

void adl_vector_unpack(const int64_t *vec, struct adl_total total[ADL_DIRS],
                       int64_t *extra)
{
    struct cursor from = vector_start((int64_t *)(uintptr_t)vec);
    const int64_t *end = vec + HEAD + vec[0];

    for (int d = 0; d < ADL_DIRS; d++)
        get_total(&from, &total[d]);
    while (from.sum < end)
        *extra++ = *from.sum++;
}
