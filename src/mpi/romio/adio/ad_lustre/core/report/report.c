/* report.c - the text blocks about a file that rank 0 prints at close */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#define MIB ((int64_t)1 << 20)
#define GIB ((int64_t)1 << 30)

/* Largest number that a column shows before the scale goes up. */
#define COLUMN_MAX 999999999

static const int64_t *counts(const struct adl_report *r, enum adl_dir dir)
{
    return r->total[dir].n;
}

int adl_report_has(const struct adl_report *r, enum adl_dir dir)
{
    const int64_t *n = counts(r, dir);

    return n[ADL_N_independent_calls] + n[ADL_N_collective_calls] > 0;
}

/* ---- access patterns ---- */

static void put_rule(struct adl_strbuf *sb, int dashes)
{
    adl_strbuf_putc(sb, '+');
    while (dashes-- > 0)
        adl_strbuf_putc(sb, '-');
    adl_strbuf_puts(sb, "+\n");
}

/* `label` has one %s: "write" or "read". */
static void put_label(struct adl_strbuf *sb, enum adl_dir dir,
                      const char *label)
{
    const char *word = dir == ADL_WRITES ? "write" : "read";
    char text[64];

    snprintf(text, sizeof(text), label, word);
    adl_strbuf_printf(sb, "|   %-23s = ", text);
}

static void put_number(struct adl_strbuf *sb, enum adl_dir dir,
                       const char *label, int64_t n)
{
    put_label(sb, dir, label);
    adl_strbuf_printf(sb, "%" PRId64 "\n", n);
}

static void put_average(struct adl_strbuf *sb, enum adl_dir dir,
                        const char *label, int64_t sum, int64_t n)
{
    put_label(sb, dir, label);
    if (n > 0)
        adl_strbuf_printf(sb, "%" PRId64 "\n", sum / n);
    else
        adl_strbuf_puts(sb, "NA\n");
}

static void put_byte_count(struct adl_strbuf *sb, enum adl_dir dir,
                           int64_t bytes)
{
    put_label(sb, dir, "total bytes for %ss");
    adl_strbuf_printf(sb, "%" PRId64, bytes);
    if (bytes >= MIB)
        adl_strbuf_printf(sb, " = %" PRId64 " MiB", bytes / MIB);
    if (bytes >= GIB)
        adl_strbuf_printf(sb, " = %" PRId64 " GiB", bytes / GIB);
    adl_strbuf_putc(sb, '\n');
}

static void put_active(struct adl_strbuf *sb, const struct adl_report *r)
{
    const int64_t *n = counts(r, ADL_WRITES);
    int64_t half = adl_active_half(r->aggregators);

    put_label(sb, ADL_WRITES, "aggregators active");
    adl_strbuf_printf(sb,
                      "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                      " (1, <= %" PRId64 ", > %" PRId64 ", %d)\n",
                      n[ADL_N_active_one], n[ADL_N_active_half],
                      n[ADL_N_active_most], n[ADL_N_active_all], half, half,
                      r->aggregators);
}

static void put_lock_ahead(struct adl_strbuf *sb, const struct adl_report *r)
{
    const int64_t *n = counts(r, ADL_WRITES);

    put_number(sb, ADL_WRITES, "lock ahead extent count",
               n[ADL_N_lock_extents]);
    put_number(sb, ADL_WRITES, "lock ahead write hits", n[ADL_N_lock_hits]);
    put_number(sb, ADL_WRITES, "lock ahead write misses", n[ADL_N_lock_misses]);
    put_number(sb, ADL_WRITES, "extents never used", n[ADL_N_lock_unused]);
    if (r->lock_note)
        adl_strbuf_printf(sb, "|   lock ahead: %s\n", r->lock_note);
}

static void put_calls(struct adl_strbuf *sb, const struct adl_report *r,
                      enum adl_dir dir)
{
    const int64_t *n = counts(r, dir);

    put_number(sb, dir, "independent %ss", n[ADL_N_independent_calls]);
    put_number(sb, dir, "collective %ss", n[ADL_N_collective_calls]);
    put_number(sb, dir,
               dir == ADL_WRITES ? "independent writers"
                                 : "independent readers",
               n[ADL_N_independent_ranks]);
    put_number(sb, dir, "aggregators", r->aggregators);
    put_number(sb, dir, "stripe count", r->stripe_count);
    put_number(sb, dir, "stripe size", r->stripe_size);
    put_number(sb, dir, "system %ss", n[ADL_N_system_calls]);
    put_number(sb, dir, "stripe sized %ss", n[ADL_N_stripe_sized]);
}

void adl_report_patterns(struct adl_strbuf *sb, const struct adl_report *r,
                         enum adl_dir dir)
{
    const int64_t *n = counts(r, dir);

    put_rule(sb, 56);
    adl_strbuf_printf(sb, "| MPIIO %s access patterns for %s\n",
                      dir == ADL_WRITES ? "write" : "read", r->file);
    put_calls(sb, r, dir);
    if (dir == ADL_WRITES)
        put_active(sb, r);
    put_byte_count(sb, dir, n[ADL_N_system_bytes]);
    put_average(sb, dir, "ave system %s size", n[ADL_N_system_bytes],
                n[ADL_N_system_calls]);
    if (dir == ADL_WRITES) {
        put_number(sb, dir, "read-modify-write count", n[ADL_N_rmw_calls]);
        put_number(sb, dir, "read-modify-write bytes", n[ADL_N_rmw_bytes]);
    }
    put_number(sb, dir, "number of %s gaps", n[ADL_N_gaps]);
    put_average(sb, dir, "ave %s gap size", n[ADL_N_gap_bytes], n[ADL_N_gaps]);
    if (dir == ADL_WRITES && r->lock_mode == 2)
        put_lock_ahead(sb, r);
    put_rule(sb, 56);
}

/* ---- phases: numbers ---- */

#define BOTH(text) \
    {              \
        text, text \
    }

static const struct adl_phase phases[] = {
    {ADL_N_t_imbalance, BOTH("imbalance"), BOTH("imbalance")},
    {ADL_N_t_open, BOTH("open/close/trunc"), BOTH("open_close")},
    {ADL_N_t_compute, BOTH("local compute"), BOTH("local_compute")},
    {ADL_N_t_wait, BOTH("wait for coll"), BOTH("wait_for_coll")},
    {ADL_N_t_collective, BOTH("collective"), BOTH("collective")},
    {ADL_N_t_exchange, {"exchange/write", "exchange/read"}, BOTH("exchange")},
    {ADL_N_t_send,
     {"data send", "data receive"},
     {"data_send", "data_receive"}},
    {ADL_N_t_lock, BOTH("lock mode"), BOTH("lock_mode")},
    {ADL_N_t_file, {"file write", "file read"}, {"file_write", "file_read"}},
    {ADL_N_t_other, BOTH("other"), BOTH("other")},
};

const struct adl_phase *adl_phase(int i)
{
    return i < (int)(sizeof(phases) / sizeof(phases[0])) ? &phases[i] : NULL;
}

static int64_t average(int64_t sum, int64_t n)
{
    return n > 0 ? sum / n : 0;
}

static int64_t members(const struct adl_report *r, enum adl_dir dir,
                       enum adl_whose whose)
{
    return whose == ADL_ALL_RANKS ? r->ranks : counts(r, dir)[ADL_N_io_ranks];
}

static const struct adl_spread *spread_of(const struct adl_report *r,
                                          enum adl_dir dir,
                                          enum adl_whose whose,
                                          enum adl_counter counter)
{
    const struct adl_total *t = &r->total[dir];
    int i = counter - ADL_TIME_FIRST;

    return whose == ADL_ALL_RANKS ? &t->all[i] : &t->io[i];
}

int64_t adl_phase_total(const struct adl_report *r, enum adl_dir dir,
                        enum adl_whose whose)
{
    return average(spread_of(r, dir, whose, ADL_N_t_total)->sum,
                   members(r, dir, whose));
}

struct adl_row adl_phase_row(const struct adl_report *r, enum adl_dir dir,
                             enum adl_whose whose, enum adl_counter counter)
{
    const struct adl_spread *s = spread_of(r, dir, whose, counter);
    enum adl_whose of = counter == ADL_N_t_file ? ADL_IO_RANKS : whose;
    int64_t total = adl_phase_total(r, dir, whose);
    struct adl_row row = {s->min, s->max, average(s->sum, members(r, dir, of)),
                          0};

    if (total > 0)
        row.percent = (int)(100.0 * row.ave / total);
    return row;
}

static double rate(int64_t bytes, int64_t ns)
{
    return ns > 0 ? (double)bytes / MIB / (ns / 1e9) : 0;
}

struct adl_rates adl_phase_rates(const struct adl_report *r, enum adl_dir dir,
                                 enum adl_whose whose)
{
    int64_t bytes = counts(r, dir)[ADL_N_system_bytes];
    struct adl_rates to;

    to.send = rate(bytes, adl_phase_row(r, dir, whose, ADL_N_t_send).ave);
    to.raw = rate(bytes, adl_phase_row(r, dir, whose, ADL_N_t_file).ave);
    to.net = rate(bytes, adl_phase_total(r, dir, whose));
    return to;
}

/* ---- phases: text ---- */

static int choose_scale(const struct adl_report *r, enum adl_dir dir)
{
    int64_t most = 0;
    int scale = 0;

    if (r->scale > 0)
        return r->scale;
    for (int i = 0; i < ADL_TIMES; i++)
        if (r->total[dir].all[i].max > most)
            most = r->total[dir].all[i].max;
    while (most >> scale > COLUMN_MAX)
        scale++;
    return scale;
}

static void put_ranks(struct adl_strbuf *sb, const struct adl_report *r,
                      enum adl_dir dir)
{
    const char *verb = dir == ADL_WRITES ? "writing" : "reading";
    int64_t n = counts(r, dir)[ADL_N_io_ranks];
    char label[64];

    snprintf(label, sizeof(label), "number of ranks %s", verb);
    adl_strbuf_printf(sb, "|   %-30s = %5" PRId64 "\n", label, n);
    snprintf(label, sizeof(label), "number of ranks not %s", verb);
    adl_strbuf_printf(sb, "|   %-30s = %5" PRId64 "\n", label, r->ranks - n);
}

static void put_seconds(struct adl_strbuf *sb, const struct adl_report *r,
                        enum adl_dir dir, enum adl_whose whose)
{
    struct adl_row row = adl_phase_row(r, dir, whose, ADL_N_t_file);

    adl_strbuf_puts(
        sb,
        "|                                          min         max         "
        "ave\n"
        "|                                    ----------  ----------  "
        "----------\n");
    adl_strbuf_printf(sb, "|   %-30s = %10.2f  %10.2f  %10.2f\n|\n",
                      dir == ADL_WRITES ? "file write        time"
                                        : "file read         time",
                      row.min / 1e9, row.max / 1e9, row.ave / 1e9);
}

static void put_row(struct adl_strbuf *sb, const char *label,
                    const struct adl_row *row, int scale)
{
    adl_strbuf_printf(
        sb, "|   %-30s = %10" PRId64 "  %10" PRId64 "  %10" PRId64 " %2d%%\n",
        label, row->min >> scale, row->max >> scale, row->ave >> scale,
        row->percent);
}

static void put_rows(struct adl_strbuf *sb, const struct adl_report *r,
                     enum adl_dir dir, enum adl_whose whose, int scale)
{
    const struct adl_phase *p;
    struct adl_row row;
    char label[64];

    for (int i = 0; (p = adl_phase(i)); i++) {
        if (p->counter == ADL_N_t_lock && r->lock_mode == 0)
            continue;
        row = adl_phase_row(r, dir, whose, p->counter);
        snprintf(label, sizeof(label), "%s%s", p->label[dir],
                 p->counter == ADL_N_t_send && whose == ADL_ALL_RANKS ? " (*)"
                                                                      : "");
        put_row(sb, label, &row, scale);
    }
}

static void put_rate(struct adl_strbuf *sb, const char *label, double mib)
{
    adl_strbuf_printf(sb, "|   %-30s = %34.3f\n", label, mib);
}

static void put_rates(struct adl_strbuf *sb, const struct adl_report *r,
                      enum adl_dir dir, enum adl_whose whose)
{
    struct adl_rates to = adl_phase_rates(r, dir, whose);
    int w = dir == ADL_WRITES;

    put_rate(sb, w ? "data send BW (MiB/s)" : "data receive BW (MiB/s)",
             to.send);
    put_rate(sb, w ? "raw write BW (MiB/s)" : "raw read BW (MiB/s)", to.raw);
    put_rate(sb, w ? "net write BW (MiB/s)" : "net read BW (MiB/s)", to.net);
}

static void put_title(struct adl_strbuf *sb, const struct adl_report *r,
                      enum adl_dir dir, enum adl_whose whose)
{
    const char *only = dir == ADL_WRITES ? "writers only" : "readers only";

    put_rule(sb, 74);
    adl_strbuf_printf(sb, "| MPIIO %s by phases, %s, for %s\n",
                      dir == ADL_WRITES ? "write" : "read",
                      whose == ADL_ALL_RANKS ? "all ranks" : only, r->file);
}

void adl_report_phases(struct adl_strbuf *sb, const struct adl_report *r,
                       enum adl_dir dir, enum adl_whose whose)
{
    int scale = choose_scale(r, dir);

    put_title(sb, r, dir, whose);
    if (whose == ADL_ALL_RANKS)
        put_ranks(sb, r, dir);
    put_seconds(sb, r, dir, whose);
    adl_strbuf_printf(sb,
                      "|   time scale: 1 = 2**%-6dclock ticks    min         "
                      "max         ave\n"
                      "|                                    ----------  "
                      "----------  ---------- ---\n",
                      scale);
    adl_strbuf_printf(sb, "|   %-30s = %34" PRId64 "\n|\n", "total",
                      adl_phase_total(r, dir, whose) >> scale);
    put_rows(sb, r, dir, whose, scale);
    adl_strbuf_puts(sb, "|\n");
    put_rates(sb, r, dir, whose);
    if (whose == ADL_ALL_RANKS)
        adl_strbuf_puts(sb,
                        dir == ADL_WRITES
                            ? "|\n| (*) send and write overlap when number "
                              "ranks != number of writers\n"
                            : "|\n| (*) receive and read overlap when number "
                              "ranks != number of readers\n");
    put_rule(sb, 74);
}
