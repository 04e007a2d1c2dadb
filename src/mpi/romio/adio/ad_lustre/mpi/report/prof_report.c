/* prof_report.c - gathers the counters of a file and prints the reports */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "prof_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../core/report/advice.h"
#include "../../core/report/report.h"
#include "../../core/report/report_json.h"
#include "../../sys/rw.h"
#include "../../sys/userfile.h"
#include "../file/job.h"
#include "../progress/progress.h"
#include "pvars.h"

/* ---- one rank ---- */

/* Numbers per object, one direction after the other; bytes and calls in turn.
 * Without memory there are none. */
static void sum_up_use(const struct adl_iostat *io, int objects, int64_t *to)
{
    for (int d = 0; d < ADL_DIRS; d++)
        for (int i = 0; i < objects; i++, to += 2)
            if (io->use[d]) {
                to[0] += io->use[d][i].bytes;
                to[1] += io->use[d][i].calls;
            }
}

/* ---- all ranks ---- */

static void merge(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)len; /* always one */
    (void)type;
    adl_totals_merge(in, inout);
}

/* Collective. */
static void reduce(struct adl_file *f, const struct adl_totals *mine,
                   struct adl_totals *all, size_t bytes)
{
    MPI_Datatype type;
    MPI_Op op;

    if (f->nprocs == 1) {
        memcpy(all, mine, bytes);
        return;
    }
    PMPI_Type_contiguous((int)(bytes / sizeof(int64_t)), MPI_INT64_T, &type);
    PMPI_Type_commit(&type);
    PMPI_Op_create(merge, 1, &op);
    PMPI_Reduce(mine, all, 1, type, op, 0, f->comm);
    PMPI_Op_free(&op);
    PMPI_Type_free(&type);
}

_Static_assert(sizeof(struct adl_object_use) == 2 * sizeof(int64_t),
               "it is reduced as two numbers");

/* Local. Numbers for each object are counted. */
static int objects_counted(const struct adl_file *f)
{
    return f->env.report || f->env.advice ? adl_layout_objects(f->layout) : 0;
}

/* Collective. What all ranks counted, on rank 0, to be freed; elsewhere NULL. A
 * rank that has no memory here cannot take part: MPI's allocator, which
 * aborts. */
static struct adl_totals *gather(struct adl_file *f)
{
    int objects = objects_counted(f);
    int64_t nextra = 2L * ADL_DIRS * objects;
    size_t bytes = sizeof(struct adl_totals) + nextra * sizeof(int64_t);
    struct adl_totals *mine = ADIOI_Calloc(1, bytes);
    struct adl_totals *all = f->rank == 0 ? ADIOI_Calloc(1, bytes) : NULL;
    struct adl_tally tally[ADL_DIRS];

    mine->nextra = nextra;
    adl_prof_sum(f->prof, tally);
    for (int d = 0; d < ADL_DIRS; d++)
        adl_total_of(&tally[d], &mine->dir[d]);
    sum_up_use(&f->prof->own, objects, mine->extra);
    sum_up_use(&f->prof->agg, objects, mine->extra);
    reduce(f, mine, all, bytes);
    ADIOI_Free(mine);
    return all;
}

/* ---- rank 0: words ---- */

/* The stripe count as the OSTs see it is in the hints; here it is the number
 * of stripes side by side. */
static struct adl_report make_report(const struct adl_file *f,
                                     const struct adl_totals *all)
{
    const struct adl_hints *h = &f->hints;
    int64_t over = h->overstriping_factor > 1 ? h->overstriping_factor : 1;

    return (struct adl_report){
        .file = f->name,
        .ranks = f->nprocs,
        .aggregators = f->aggs.count,
        .stripe_count = h->striping_factor * over,
        .stripe_size = h->striping_unit,
        .lock_mode = h->lock_mode,
        .lock_note = f->locks.note,
        .scale = (int)f->env.timers_scale,
        .total = all->dir,
    };
}

static struct adl_advice_facts make_facts(const struct adl_file *f,
                                          const struct adl_totals *all,
                                          const struct adl_report *r)
{
    struct adl_advice_facts facts = {
        .report = r,
        .layout = f->layout,
        .osts = adl_layout_defaults(f->layout)->ost_count,
        .nodes = f->nodes.count,
        .lock_ahead_extents = f->hints.lock_ahead_num_extents,
        .sieves = f->sieves,
    };

    for (int d = 0; all->nextra > 0 && d < ADL_DIRS; d++)
        facts.use[d] =
            (const struct adl_object_use *)all->extra + d * objects_counted(f);
    return facts;
}

static void put_blocks(struct adl_strbuf *sb, const struct adl_file *f,
                       const struct adl_report *r)
{
    for (int d = 0; d < ADL_DIRS && f->env.stats; d++)
        if (adl_report_has(r, d))
            adl_report_patterns(sb, r, d);
    for (int d = 0; d < ADL_DIRS && f->env.timers; d++)
        if (adl_report_has(r, d)) {
            adl_report_phases(sb, r, d, ADL_ALL_RANKS);
            adl_report_phases(sb, r, d, ADL_IO_RANKS);
        }
}

static void put_advice(struct adl_strbuf *sb,
                       const struct adl_advice_facts *facts)
{
    struct adl_advice advice[ADL_ADVICE_MAX];
    int n = adl_advice_find(facts, advice);

    adl_advice_print(sb, facts->report->file, advice, n);
}

static int append_text(const char *path, int flags, const struct adl_strbuf *sb)
{
    return sb->err
               ? sb->err
               : adl_userfile_append(path, flags, adl_strbuf_text(sb), sb->len);
}

static const char *job_id(void)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID",
                                        "LSB_JOBID",    "FLUX_JOB_ID",
                                        "COBALT_JOBID", "JOB_ID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *text = getenv(names[i]);

        if (text && *text)
            return text;
    }
    return "0";
}

static void write_json(const struct adl_file *f, const struct adl_account *a,
                       const struct adl_advice_facts *facts)
{
    const char *pattern = getenv(ADL_ENV_REPORT);
    struct adl_strbuf name = ADL_STRBUF_INIT, text = ADL_STRBUF_INIT;
    struct adl_report_more more = {
        .report = facts->report,
        .facts = facts,
        .hints = &f->hints,
        .layout = f->layout,
        .on_lustre = f->on_lustre,
        .agg_rank = f->aggs.rank,
        .agg_node = (const char *const *)a->agg_node,
        .timers = 1,
        .job = job_id(),
        .pid = getpid(),
        .opened_ms = a->opened / 1000000,
        .open_at_end = a->open_at_end,
        .closed_ms = adl_clock_wall_ns() / 1000000,
    };
    int rc;

    if (!pattern)
        return;
    adl_report_name(&name, pattern, f->name, more.pid, more.job);
    adl_report_json(&text, &more);
    rc = append_text(adl_strbuf_text(&name), 0, &text);
    if (rc < 0)
        fprintf(stderr, "romio-lustre: " ADL_ENV_REPORT "=%s: %s\n",
                adl_strbuf_text(&name), strerror(-rc));
    adl_strbuf_release(&name);
    adl_strbuf_release(&text);
}

static void tell(const struct adl_file *f, const struct adl_totals *all)
{
    struct adl_report report = make_report(f, all);
    struct adl_advice_facts facts = make_facts(f, all, &report);
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    put_blocks(&sb, f, &report);
    if (f->env.advice)
        put_advice(&sb, &facts);
    adl_rw_put(STDERR_FILENO, adl_strbuf_text(&sb), sb.len);
    adl_strbuf_release(&sb);
    if (f->env.report)
        write_json(f, adl_account_of(f), &facts);
}

/* ---- level 2: a file for each rank ---- */

static void write_bins(const struct adl_account *a)
{
    struct adl_strbuf name = ADL_STRBUF_INIT, text = ADL_STRBUF_INIT;
    struct adl_job *job = a->job;
    int world, flags = 0, rc;

    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    adl_strbuf_printf(&name, "%s.%d.csv", a->file->env.stats_file, world);
    /* Each run starts its files anew. */
    if (job && !job->bins_begun) {
        job->bins_begun = 1;
        flags = O_TRUNC;
        adl_bins_csv_head(&text);
    }
    adl_bins_csv(&text, &a->prof.own.bins, &a->prof.agg.bins, a->file->name);
    rc = append_text(adl_strbuf_text(&name), flags, &text);
    if (rc && world == 0)
        fprintf(stderr, "romio-lustre: MPICH_MPIIO_STATS_FILE: %s: %s\n",
                adl_strbuf_text(&name), strerror(-rc));
    adl_strbuf_release(&name);
    adl_strbuf_release(&text);
}

/* ---- the end of a file ---- */

static void report_file(struct adl_file *f);

/* The list of a job's open files, in order of opening. */
static void report_rest(struct adl_job *job)
{
    while (job->accounts) {
        struct adl_account *p = job->accounts;

        adl_progress_drain(p->file->comm);
        p->open_at_end = 1;
        report_file(p->file);
    }
}

static void enlist(struct adl_account *p)
{
    struct adl_job *job = p->job = adl_job();
    struct adl_account **at;

    if (!job)
        return;
    job->at_end = report_rest;
    for (at = &job->accounts; *at; at = &(*at)->next)
        ;
    *at = p;
}

static void delist(struct adl_account *p)
{
    struct adl_account **at = p->job ? &p->job->accounts : NULL;

    while (at && *at && *at != p)
        at = &(*at)->next;
    if (at && *at)
        *at = p->next;
}

static void discard(struct adl_file *f)
{
    struct adl_account *p = adl_account_of(f);

    f->prof = NULL;
    f->report = NULL;
    adl_pvars_remove(p);
    delist(p);
    for (int a = 0; p->agg_node && a < f->aggs.count; a++)
        free(p->agg_node[a]);
    free(p->agg_node);
    adl_iostat_release(&p->prof.own);
    adl_iostat_release(&p->prof.agg);
    ADIOI_Free(p);
}

static void report_file(struct adl_file *f)
{
    struct adl_totals *all = gather(f);

    if (all) {
        tell(f, all);
        ADIOI_Free(all);
    }
    if (f->env.stats >= 2)
        write_bins(adl_account_of(f));
    discard(f);
}

/* ---- begin ---- */

static int is_wanted(const struct adl_env *env)
{
    return env->stats > 0 || env->timers || env->report || env->advice;
}

/* Local, rank 0, where a report will want them. */
static void keep_names(struct adl_account *p, const struct adl_nodemap *map)
{
    const struct adl_aggs *aggs = &p->file->aggs;

    if (!map || !p->file->env.report)
        return;
    p->agg_node = calloc(aggs->count + 1, sizeof(*p->agg_node));
    for (int a = 0; a < aggs->count && p->agg_node; a++) {
        const char *name = adl_nodemap_name(map, aggs->node[a]);

        p->agg_node[a] = name ? strdup(name) : NULL;
    }
}

static void start_counting(struct adl_prof *p, struct adl_file *f)
{
    const struct adl_env *env = &f->env;
    int per_object = env->report || env->advice;
    int64_t interval = env->stats >= 2 ? env->stats_interval_msec * 1000000 : 0;

    /* Without memory there are no numbers per object. */
    adl_iostat_init(&p->own, f->layout, per_object, interval);
    adl_iostat_init(&p->agg, f->layout, per_object, interval);
    p->timers = env->timers || env->report || env->advice;
    p->clock = p->timers || interval;
    p->wall = adl_clock_wall_ns() - adl_clock_ns();
    p->owner = &f->owner;
    p->locks = &f->locks.counts;
    p->naggs = f->aggs.count;
    p->agg_index = f->aggs.mine;
    p->time_waits = env->time_waits;
}

/* All ranks report or none, or the reduction at close would hang: the allocator
 * that aborts. */
void adl_prof_begin(ADIO_File fd, const struct adl_nodemap *map, int64_t began)
{
    struct adl_file *f = adl_file_of(fd);
    int report = is_wanted(&f->env);
    struct adl_account *p;

    if (!(report || adl_pvars_wanted()) || f->hidden ||
        !adl_layout_mapped(f->layout))
        return;
    f->report = report ? report_file : discard;
    p = ADIOI_Calloc(1, sizeof(*p));
    p->file = f;
    p->opened = adl_clock_wall_ns();
    start_counting(&p->prof, f);
    if (f->rank == 0)
        keep_names(p, map);
    if (report)
        enlist(p);
    if (p->prof.timers)
        p->prof.open_ns = adl_clock_ns() - began;
    f->prof = &p->prof;
    adl_pvars_add(p, fd);
}
