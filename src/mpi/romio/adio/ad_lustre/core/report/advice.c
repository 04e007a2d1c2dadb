/* advice.c - findings from the numbers of a report, and hints to try */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "advice.h"
#include "../hints/askspec.h"
#include "../text/minmax.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KIB ((int64_t)1 << 10)
#define MIB ((int64_t)1 << 20)
#define GIB ((int64_t)1 << 30)

/* Files with fewer bytes get no advice on bandwidth. */
#define MUCH (64 * MIB)
/* Fewer calls say nothing about a pattern. */
#define MANY 16

static const int64_t *writes(const struct adl_advice_facts *f)
{
    return f->report->total[ADL_WRITES].n;
}

static int say(struct adl_advice *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int say(struct adl_advice *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(a->text, sizeof(a->text), fmt, ap);
    va_end(ap);
    return 1;
}

/* "80 GiB", "17 MiB", "100 bytes". */
static const char *amount(int64_t bytes, char *buf, size_t size)
{
    if (bytes >= GIB)
        snprintf(buf, size, "%" PRId64 " GiB", bytes / GIB);
    else if (bytes >= MIB)
        snprintf(buf, size, "%" PRId64 " MiB", bytes / MIB);
    else if (bytes >= KIB)
        snprintf(buf, size, "%" PRId64 " KiB", bytes / KIB);
    else
        snprintf(buf, size, "%" PRId64 " bytes", bytes);
    return buf;
}

static int64_t moved(const struct adl_advice_facts *f)
{
    const struct adl_total *t = f->report->total;

    return t[ADL_WRITES].n[ADL_N_system_bytes] +
           t[ADL_READS].n[ADL_N_system_bytes];
}

/* One OST has the bandwidth of one OST. */
static int one_ost(const struct adl_advice_facts *f, struct adl_advice *a)
{
    int64_t osts = f->osts > 1 ? f->osts : 8;
    char buf[32];

    if (f->report->stripe_count != 1 || f->osts == 1 || f->report->ranks < 2 ||
        moved(f) < MUCH)
        return 0;
    snprintf(a->hint, sizeof(a->hint), "striping_factor=%" PRId64,
             adl_max(2, adl_min(osts, f->report->ranks)));
    return say(a, "stripe count 1: one OST took 100 %% of %s",
               amount(moved(f), buf, sizeof(buf)));
}

static int64_t ost_bytes(const struct adl_advice_facts *f, int object)
{
    struct adl_object_use sum[ADL_DIRS];

    for (int d = 0; d < ADL_DIRS; d++)
        adl_use_of_ost(f->layout, f->use[d], object, &sum[d]);
    return sum[ADL_WRITES].bytes + sum[ADL_READS].bytes;
}

/* Stripes are dealt evenly; if the bytes are not, the stripe size fits the
 * pattern badly. */
static int hot_ost(const struct adl_advice_facts *f, struct adl_advice *a)
{
    int64_t total = moved(f), most = 0, n;
    int which = -1;
    struct adl_home home;
    char buf[32];

    if (!f->use[ADL_WRITES] || f->report->stripe_count < 2 || total < MUCH)
        return 0;
    for (int i = 0; i < adl_layout_objects(f->layout); i++)
        if ((n = ost_bytes(f, i)) > most) {
            most = n;
            which = i;
        }
    if (most * f->report->stripe_count < 2 * total)
        return 0;
    adl_layout_home(f->layout, which, &home);
    snprintf(a->hint, sizeof(a->hint),
             "striping_unit=%" PRId64 ", or a smaller one still",
             adl_max(65536, f->report->stripe_size / 4 / 65536 * 65536));
    return say(
        a, "%s %d took %d %% of %s, %" PRId64 " stripes would give it %d %%",
        home.ost < 0 ? "object" : "OST", home.ost < 0 ? which : home.ost,
        (int)(100.0 * most / total), amount(total, buf, sizeof(buf)),
        f->report->stripe_count, (int)(100 / f->report->stripe_count));
}

/* The paper's finding: the aggregators write all the time. More of them on an
 * OST need locks that do not conflict. */
static int file_bound(const struct adl_advice_facts *f, struct adl_advice *a)
{
    const struct adl_report *r = f->report;
    int file = adl_phase_row(r, ADL_WRITES, ADL_IO_RANKS, ADL_N_t_file).percent;
    int send = adl_phase_row(r, ADL_WRITES, ADL_IO_RANKS, ADL_N_t_send).percent;

    if (file < 40 || file < 2 * send || r->lock_mode != 0 ||
        r->aggregators > r->stripe_count || r->ranks <= r->aggregators ||
        writes(f)[ADL_N_collective_calls] <= writes(f)[ADL_N_collective_alone])
        return 0;
    snprintf(a->hint, sizeof(a->hint), "%s",
             "cray_cb_nodes_multiplier=4:cray_cb_write_lock_mode=2");
    return say(a,
               "%d %% of the time in file write, %d %% in data send: several "
               "aggregators per OST with lock mode 2 may help",
               file, send);
}

static int few_active(const struct adl_advice_facts *f, struct adl_advice *a)
{
    const int64_t *n = writes(f);
    int64_t calls = n[ADL_N_collective_calls] - n[ADL_N_collective_alone];
    int64_t few =
        n[ADL_N_active_one] + n[ADL_N_active_half] - n[ADL_N_collective_alone];

    if (f->report->aggregators < 2 || calls < 1 || 2 * few < calls)
        return 0;
    snprintf(a->hint, sizeof(a->hint),
             "striping_unit=%" PRId64 ", or write more data a call",
             adl_max(65536, f->report->stripe_size / 4 / 65536 * 65536));
    return say(a,
               "%.1f of %d aggregators active on average, in %d %% of the "
               "collective writes half of them or fewer",
               (double)n[ADL_N_active_sum] / calls, f->report->aggregators,
               (int)(100 * few / calls));
}

static int write_gaps(const struct adl_advice_facts *f, struct adl_advice *a)
{
    const int64_t *n = writes(f);
    char buf[32];

    if (n[ADL_N_gaps] < MANY || 10 * n[ADL_N_gaps] < n[ADL_N_system_calls])
        return 0;
    snprintf(a->hint, sizeof(a->hint), "%s",
             "fewer and larger collective writes, in file order");
    return say(a,
               "write gaps: %" PRId64 " of %" PRId64
               " system writes do not begin where the one before ended, %s "
               "apart on average",
               n[ADL_N_gaps], n[ADL_N_system_calls],
               amount(n[ADL_N_gap_bytes] / n[ADL_N_gaps], buf, sizeof(buf)));
}

/* A few near open and close are normal in I/O libraries. */
static int small_independent(const struct adl_advice_facts *f,
                             struct adl_advice *a)
{
    const int64_t *n = writes(f);
    int64_t calls = n[ADL_N_independent_calls], ave;
    char buf[32];

    if (calls < MANY || 20 * calls < n[ADL_N_collective_calls])
        return 0;
    ave = n[ADL_N_independent_bytes] / calls;
    if (ave >= 64 * KIB)
        return 0;
    snprintf(a->hint, sizeof(a->hint), "%s",
             "writing them collectively (HDF5: H5Pset_coll_metadata_write)");
    if (n[ADL_N_collective_calls] > 0)
        return say(a,
                   "%" PRId64 " small independent writes (%s on average) "
                   "beside %" PRId64 " collective ones cancel locks",
                   calls, amount(ave, buf, sizeof(buf)),
                   n[ADL_N_collective_calls]);
    return say(a, "%" PRId64 " small independent writes, %s on average", calls,
               amount(ave, buf, sizeof(buf)));
}

static int read_modify_write(const struct adl_advice_facts *f,
                             struct adl_advice *a)
{
    const int64_t *n = writes(f);
    char buf[32];

    /* By default many small gaps are filled, which is faster. */
    if (!f->sieves || n[ADL_N_rmw_calls] < MANY)
        return 0;
    snprintf(a->hint, sizeof(a->hint), "%s",
             "romio_lustre_ds_in_coll=disable:romio_ds_write=disable");
    return say(a, "%" PRId64 " read-modify-writes of %s", n[ADL_N_rmw_calls],
               amount(n[ADL_N_rmw_bytes], buf, sizeof(buf)));
}

static int lock_misses(const struct adl_advice_facts *f, struct adl_advice *a)
{
    const int64_t *n = writes(f);
    int64_t all = n[ADL_N_lock_hits] + n[ADL_N_lock_misses];

    if (f->report->lock_mode != 2 || all < MANY ||
        5 * n[ADL_N_lock_misses] < all)
        return 0;
    snprintf(a->hint, sizeof(a->hint),
             "romio_lustre_cb_lock_ahead_num_extents=%" PRId64,
             2 * adl_max(1, f->lock_ahead_extents));
    return say(a,
               "%" PRId64 " of %" PRId64 " writes (%d %%) did not find their "
               "lock ahead",
               n[ADL_N_lock_misses], all,
               (int)(100 * n[ADL_N_lock_misses] / all));
}

static int late_ranks(const struct adl_advice_facts *f, struct adl_advice *a)
{
    const struct adl_report *r = f->report;
    struct adl_row wait =
        adl_phase_row(r, ADL_WRITES, ADL_ALL_RANKS, ADL_N_t_wait);

    /* a second of waiting at least */
    if (r->ranks < 2 || wait.percent < 40 || wait.ave < 1000000000)
        return 0;
    snprintf(a->hint, sizeof(a->hint), "%s",
             "looking at the application's load balance");
    return say(a,
               "%d %% of the time (%.1f s a rank) waiting for ranks that come "
               "later: not the file system's",
               wait.percent, wait.ave / 1e9);
}

static int few_aggregators(const struct adl_advice_facts *f,
                           struct adl_advice *a)
{
    const struct adl_report *r = f->report;
    int64_t could = adl_min(r->stripe_count, r->ranks);
    const int64_t *n = writes(f);

    if (r->aggregators >= could || moved(f) < MUCH ||
        n[ADL_N_collective_calls] <= n[ADL_N_collective_alone])
        return 0;
    snprintf(a->hint, sizeof(a->hint), "cb_nodes=%" PRId64, could);
    return say(a,
               "%d aggregators for %" PRId64 " stripes: not all OSTs are busy "
               "at the same time",
               r->aggregators, r->stripe_count);
}

/* ---- a new file ---- */

/* Smaller jobs get no line: their files may be small, too. */
enum { LARGE_NODES = 4, LARGE_RANKS = 64 };

/* The stripes that the nodes can keep busy, as striping=auto counts them. A
 * file with a third of them is slow enough for a line. */
int adl_advice_new(const struct adl_advice_new *f, struct adl_advice *a)
{
    int64_t best = adl_askspec_stripes(f->osts, f->nodes, f->nics);
    char buf[32], where[48] = "";

    if ((f->nodes < LARGE_NODES && f->ranks < LARGE_RANKS) || best < 2 ||
        3 * f->stripes > best)
        return 0;
    a->rule = "few_stripes";
    snprintf(a->hint, sizeof(a->hint), "striping_factor=%" PRId64, best);
    if (f->at > 0)
        snprintf(where, sizeof(where), " at %s",
                 amount(f->at, buf, sizeof(buf)));
    return say(a,
               "new files here have %" PRId64 " stripe%s%s, of %" PRId64
               " OSTs, for %d ranks on %d node%s",
               f->stripes, f->stripes == 1 ? "" : "s", where, f->osts, f->ranks,
               f->nodes, f->nodes == 1 ? "" : "s");
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    int (*find)(const struct adl_advice_facts *f, struct adl_advice *a);
} rules[] = {
    {"one_ost", one_ost},
    {"hot_ost", hot_ost},
    {"few_aggregators", few_aggregators},
    {"file_bound", file_bound},
    {"few_active", few_active},
    {"write_gaps", write_gaps},
    {"small_independent", small_independent},
    {"read_modify_write", read_modify_write},
    {"lock_misses", lock_misses},
    {"late_ranks", late_ranks},
};

int adl_advice_find(const struct adl_advice_facts *facts,
                    struct adl_advice out[ADL_ADVICE_MAX])
{
    int n = 0;

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        struct adl_advice *a = &out[n];

        memset(a, 0, sizeof(*a));
        a->rule = rules[i].name;
        n += rules[i].find(facts, a);
    }
    return n;
}

void adl_advice_print(struct adl_strbuf *sb, const char *file,
                      const struct adl_advice *advice, int n)
{
    for (int i = 0; i < n; i++) {
        adl_strbuf_printf(sb, "romio-lustre: advice for %s: %s", file,
                          advice[i].text);
        if (advice[i].hint[0])
            adl_strbuf_printf(sb, ": try %s", advice[i].hint);
        adl_strbuf_putc(sb, '\n');
    }
}
