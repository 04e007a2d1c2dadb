/* compare.c - two studies, figure by figure */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "compare.h"

#include <math.h>
#include <stdio.h>

#include "units.h"

enum unit { COUNT, BYTES, RATE, MICROS, RATIO, PART };

struct figure {
    const char *what;
    enum unit unit;
    double (*value)(const struct lp_view *v);
};

static const struct lp_counts *all_of(const struct lp_view *v)
{
    return &v->study->traffic->all.counts;
}

static double period(const struct lp_view *v)
{
    return v->seconds * 1e6;
}

static double reads(const struct lp_view *v)
{
    return (double)all_of(v)->op[LP_READ];
}

static double writes(const struct lp_view *v)
{
    return (double)all_of(v)->op[LP_WRITE];
}

static double bytes_read(const struct lp_view *v)
{
    return all_of(v)->sized[0] || !reads(v) ? (double)all_of(v)->bytes[0] : NAN;
}

static double bytes_written(const struct lp_view *v)
{
    return all_of(v)->sized[1] || !writes(v) ? (double)all_of(v)->bytes[1]
                                             : NAN;
}

static double mean_rate(const struct lp_view *v)
{
    return v->seconds > 0 ? (bytes_read(v) + bytes_written(v)) / v->seconds
                          : NAN;
}

static double mean_size(const struct lp_view *v)
{
    double n = (double)(all_of(v)->sized[0] + all_of(v)->sized[1]);

    return n > 0 ? (double)(all_of(v)->bytes[0] + all_of(v)->bytes[1]) / n
                 : NAN;
}

static double small_requests(const struct lp_view *v)
{
    return (double)(all_of(v)->small[0] + all_of(v)->small[1]);
}

static double clients_each(const struct lp_view *v, int dir)
{
    double sum = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < v->targets; i++) {
        unsigned users = lp_view_users(v, i, dir);

        sum += users;
        n += users > 0;
    }
    return n ? sum / n : NAN;
}

static double readers_each(const struct lp_view *v)
{
    return clients_each(v, 0);
}

static double writers_each(const struct lp_view *v)
{
    return clients_each(v, 1);
}

static double osts_used(const struct lp_view *v)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->targets; i++)
        n += lp_view_users(v, i, LP_BOTH) > 0;
    return n;
}

static double imbalance(const struct lp_view *v)
{
    double most = 0, sum = lp_view_amount(v, all_of(v), LP_BOTH);

    for (unsigned i = 0; i < v->targets; i++)
        most = fmax(most,
                    lp_view_amount(v, &lp_view_counts(v, i)->counts, LP_BOTH));
    return sum > 0 ? most * osts_used(v) / sum : NAN;
}

static double seek_part(const struct lp_view *v)
{
    return all_of(v)->placed
               ? (double)all_of(v)->seeks / (double)all_of(v)->placed
               : NAN;
}

static double seeks(const struct lp_view *v)
{
    return all_of(v)->placed ? (double)all_of(v)->seeks : NAN;
}

static double lock_requests(const struct lp_view *v)
{
    return (double)all_of(v)->op[LP_ENQUEUE];
}

static double callbacks(const struct lp_view *v)
{
    return (double)all_of(v)->op[LP_BLOCKING];
}

static double cancels(const struct lp_view *v)
{
    return (double)all_of(v)->op[LP_CANCEL];
}

/* clang-format off */
static const struct figure figures[] = {
    {"period", MICROS, period},
    {"reads", COUNT, reads},
    {"writes", COUNT, writes},
    {"bytes read", BYTES, bytes_read},
    {"bytes written", BYTES, bytes_written},
    {"mean rate", RATE, mean_rate},
    {"mean request", BYTES, mean_size},
    {"requests below 64 KiB", COUNT, small_requests},
    {"OSTs used", COUNT, osts_used},
    {"clients reading from an OST, mean", RATIO, readers_each},
    {"clients writing to an OST, mean", RATIO, writers_each},
    {"busiest OST to mean", RATIO, imbalance},
    {"discontiguous requests", COUNT, seeks},
    {"part of the requests", PART, seek_part},
    {"lock requests", COUNT, lock_requests},
    {"blocking callbacks", COUNT, callbacks},
    {"lock cancels", COUNT, cancels},
};
/* clang-format on */

static const char *value_text(double value, enum unit unit, char *out)
{
    if (!isfinite(value)) {
        snprintf(out, LP_UNIT_MAX, "-");
        return out;
    }
    switch (unit) {
    case COUNT:
        return lp_count_text((uint64_t)value, out);
    case BYTES:
        return lp_bytes_text(value, out);
    case RATE:
        return lp_rate_text(value, out);
    case MICROS:
        return lp_time_text(value, out);
    case PART:
        return lp_percent_text(value, out);
    default:
        snprintf(out, LP_UNIT_MAX, "%.2f", value);
        return out;
    }
}

/* "-75 %", "8.0 times": a factor where it grows past double. */
static void change_text(double a, double b, char *out, size_t len)
{
    if (!isfinite(a) || !isfinite(b))
        snprintf(out, len, "-");
    else if (a == b)
        snprintf(out, len, "same");
    else if (!(a > 0))
        snprintf(out, len, "new");
    else if (b >= 2 * a)
        snprintf(out, len, "%.1f times", b / a);
    else
        snprintf(out, len, "%+.0f %%", (b / a - 1) * 100);
}

struct lp_table *lp_compare(const struct lp_view *const v[2],
                            const char *const name[2])
{
    struct lp_table *t = lp_table_create("diff", "Before and after");

    lp_table_column(t, "what", LP_TEXT);
    lp_table_column(t, name[0], LP_TEXT);
    lp_table_column(t, name[1], LP_TEXT);
    lp_table_column(t, "change", LP_TEXT);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        double a = figures[i].value(v[0]), b = figures[i].value(v[1]);
        char text[LP_UNIT_MAX];

        lp_table_row(t);
        lp_table_text(t, figures[i].what);
        lp_table_text(t, value_text(a, figures[i].unit, text));
        lp_table_text(t, value_text(b, figures[i].unit, text));
        change_text(a, b, text, sizeof(text));
        lp_table_text(t, text);
    }
    return t;
}
