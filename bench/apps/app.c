/* app.c - the common part of all proxies: everything but what they write */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "app.h"
#include "content.h"
#include "report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 4 << 20 }; /* bytes that verify reads at a time */

struct job {
    struct app *app;
    struct options opt;
    struct plan plan;
    struct report report;
    struct verdict verdict;
    MPI_Comm comm;
    enum report_phase phase;
    int64_t rep;
    struct report_time time;
    double said; /* when rank 0 told of its progress */
    struct io_file **open;
    unsigned char *buf;
};

int64_t app_scaled(const struct options *o, int64_t base)
{
    double n = (double)base * o->scale + 0.5, most = (double)(1LL << 50);

    return n < 1 ? 1 : n > most ? 1LL << 50 : (int64_t)n;
}

/* ---- data ---- */

struct data {
    uint64_t key;
    unsigned char *buf; /* moves on */
    int64_t wrong, first;
};

static void fill_piece(void *arg, int64_t off, int64_t len)
{
    struct data *d = arg;

    content_fill(d->key, off, d->buf, len);
    d->buf += len;
}

static void check_piece(void *arg, int64_t off, int64_t len)
{
    struct data *d = arg;
    int64_t first, wrong = content_check(d->key, off, d->buf, len, &first);

    if (wrong && !d->wrong)
        d->first = first;
    d->wrong += wrong;
    d->buf += len;
}

static struct data data_of(const struct job *j, int file)
{
    struct data d = {.key = content_key((uint64_t)j->opt.seed, file),
                     .buf = j->buf};

    return d;
}

static void fill(struct job *j, int file, const struct shape *s)
{
    struct data d = data_of(j, file);

    shape_each(s, fill_piece, &d);
}

static void compare(struct job *j, int file, const struct shape *s)
{
    struct data d = data_of(j, file);

    if (j->verdict.code)
        return; /* what was not read needs no second message */
    shape_each(s, check_piece, &d);
    if (d.wrong)
        verdict_set(&j->verdict, APP_WRONG,
                    "%s/%s: %lld of %lld bytes are wrong, the first at offset "
                    "%lld",
                    j->opt.dir, j->plan.files[file].name, (long long)d.wrong,
                    (long long)shape_bytes(s), (long long)d.first);
}

/* ---- time ---- */

/* How long a step took that all ranks began together: as long as the slowest
 * of them. Else what the others wait for it would count for a driver that lets
 * them wait, and not for one that leaves it to the next step. */
static double taken(const struct job *j, double start)
{
    double t = MPI_Wtime() - start;

    if (!j->opt.independent)
        MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, j->comm);
    return t;
}

/* ---- files ---- */

static void path_of(const struct job *j, int file, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", j->opt.dir, j->plan.files[file].name);
}

static void open_file(struct job *j, int file)
{
    struct io_mode mode = {.write = j->phase == WRITE,
                           .collective =
                               !j->opt.independent && j->phase != VERIFY,
                           .gaps = j->opt.gaps && j->phase != VERIFY,
                           .size = j->plan.files[file].size,
                           .hints = j->opt.hints};
    char path[4096];
    double start;

    path_of(j, file, path, sizeof(path));
    if (mode.write) /* a new file: old data cannot pass for new ones */
        j->app->api->remove(path, j->comm);
    MPI_Barrier(j->comm);
    start = MPI_Wtime();
    j->open[file] = j->app->api->open(path, &mode, j->comm, &j->verdict);
    j->time.open += taken(j, start);
}

static void close_file(struct job *j, int file)
{
    double start;

    MPI_Barrier(j->comm); /* comparing data takes some ranks longer */
    start = MPI_Wtime();
    if (j->open[file])
        j->app->api->close(j->open[file], j->opt.sync, &j->verdict);
    j->open[file] = NULL;
    j->time.close += taken(j, start);
}

/* ---- phases ---- */

static void progress(struct job *j, int64_t done, int64_t all, const char *what)
{
    double now = MPI_Wtime();

    if (j->plan.rank || j->opt.progress < 0 || now - j->said < j->opt.progress)
        return;
    j->said = now;
    fprintf(stderr, "%s: %s %lld of %lld: %s %lld of %lld\n", j->app->name,
            report_phase_name(j->phase), (long long)j->rep,
            (long long)j->opt.reps, what, (long long)done, (long long)all);
}

/* The buffer of a call as memory with gaps, and back. */
static void spread(struct job *j, int64_t bytes)
{
    for (int64_t i = bytes / IO_GAP - 1; i >= 0; i--)
        memmove(j->buf + 2 * i * IO_GAP, j->buf + i * IO_GAP, IO_GAP);
}

static void squeeze(struct job *j, int64_t bytes)
{
    for (int64_t i = 0; i < bytes / IO_GAP; i++)
        memmove(j->buf + i * IO_GAP, j->buf + 2 * i * IO_GAP, IO_GAP);
}

/* The call once more, as often as asked for. The file is open, its view set
 * and its pages are there: what remains is the call itself. */
static void do_again(struct job *j, const struct plan_call *c)
{
    double best = 0, sum = 0;

    for (int64_t i = 0; i < j->opt.again; i++) {
        double t;

        MPI_Barrier(j->comm);
        t = MPI_Wtime();
        j->app->api->call(j->open[c->file], &c->shape, c->alone, j->buf,
                          &j->verdict);
        t = taken(j, t);
        best = !i || t < best ? t : best;
        sum += t;
    }
    if (j->opt.again) {
        j->time.best += best;
        j->time.mean += sum / (double)j->opt.again;
    }
}

/* Making and comparing data is not timed. Ranks start collective calls
 * together, so that no rank's time includes another rank's making of data. */
static void do_call(struct job *j, const struct plan_call *c)
{
    double start;

    if (j->phase == WRITE)
        fill(j, c->file, &c->shape);
    if (j->phase == WRITE && j->opt.gaps)
        spread(j, shape_bytes(&c->shape));
    if (!j->opt.independent)
        MPI_Barrier(j->comm);
    start = MPI_Wtime();
    j->app->api->call(j->open[c->file], &c->shape, c->alone, j->buf,
                      &j->verdict);
    j->time.calls += taken(j, start);
    do_again(j, c);
    if (j->phase == READ && j->opt.gaps)
        squeeze(j, shape_bytes(&c->shape));
    if (j->phase != WRITE)
        compare(j, c->file, &c->shape);
}

static void run_calls(struct job *j)
{
    const struct plan *p = &j->plan;

    for (int i = 0; i < p->ncalls; i++) {
        const struct plan_call *c = &p->calls[i];

        if (i == p->files[c->file].first)
            open_file(j, c->file);
        if (!j->open[c->file])
            break;
        do_call(j, c);
        if (i == p->files[c->file].last)
            close_file(j, c->file);
        progress(j, i + 1, p->ncalls, "calls");
    }
    for (int f = 0; f < p->nfiles; f++)
        if (j->open[f])
            close_file(j, f);
}

/* Every rank reads one of equal parts of the file, not where its own data are
 * likely to be. */
static void verify_parts(struct job *j, int file)
{
    const struct plan *p = &j->plan;
    struct shape_dim mine =
        shape_cut(p->files[file].size, p->ranks, (p->rank + 1) % p->ranks);
    struct shape parts[2]; /* in turn: another shape has another address */

    for (int64_t at = 0; at < mine.part; at += PART) {
        int64_t rest = mine.part - at;
        struct shape *s = &parts[at / PART % 2];
        double start = MPI_Wtime();

        *s = shape_span(mine.from + at, rest < PART ? rest : PART);
        j->app->api->call(j->open[file], s, 0, j->buf, &j->verdict);
        j->time.calls += MPI_Wtime() - start;
        compare(j, file, s);
        progress(j, at / PART + 1, (mine.part + PART - 1) / PART,
                 p->files[file].name);
    }
}

static void verify_files(struct job *j)
{
    for (int f = 0; f < j->plan.nfiles; f++) {
        int64_t size;

        open_file(j, f);
        if (!j->open[f])
            return;
        size = j->app->api->size(j->open[f], &j->verdict);
        if (size >= 0 && size != j->plan.files[f].size)
            verdict_set(&j->verdict, APP_WRONG,
                        "%s/%s has %lld bytes, not %lld", j->opt.dir,
                        j->plan.files[f].name, (long long)size,
                        (long long)j->plan.files[f].size);
        verify_parts(j, f);
        close_file(j, f);
    }
}

/* The verdict is that of all ranks at the end of each repetition. */
static void run_phases(struct job *j)
{
    const int wanted[PHASES] = {j->opt.write, j->opt.read, j->opt.verify};

    for (int p = 0; p < PHASES && !j->verdict.code; p++) {
        if (!wanted[p])
            continue;
        j->phase = p;
        j->time = (struct report_time){0};
        /* What no rank wrote need not be anything. */
        if (p == VERIFY && !j->app->api->apart && !j->plan.holes)
            verify_files(j);
        else
            run_calls(j);
        if (!verdict_agree(&j->verdict, j->comm))
            report_result(&j->report, p, j->rep, &j->time, j->comm);
    }
}

/* ---- the program ---- */

/* Pieces of memory are whole. */
static void check_gaps(struct job *j)
{
    const struct plan *p = &j->plan;

    if (j->opt.api != IO_MPI)
        verdict_set(&j->verdict, APP_USAGE, "--gaps is for --api mpiio only");
    for (int i = 0; i < p->ncalls; i++)
        if (shape_bytes(&p->calls[i].shape) % IO_GAP)
            verdict_set(&j->verdict, APP_USAGE,
                        "--gaps needs calls of a multiple of %d bytes", IO_GAP);
}

static void choose_api(struct job *j)
{
    static const struct io_api *const apis[] = {
        [IO_MPI] = &io_mpi,     [IO_HDF5] = NULL,   [IO_HAND] = &io_hand,
        [IO_POSIX] = &io_posix, [IO_FPP] = &io_fpp, [IO_GIO] = NULL,
    };
    struct app *app = j->app;

    app->api = apis[j->opt.api];
    if (j->opt.api == IO_HDF5 && app->hdf5)
        app->api = app->hdf5();
    if (j->opt.api == IO_GIO)
        app->api = io_gio();
    if (app->api)
        return;
    if (j->opt.api == IO_GIO)
        verdict_set(&j->verdict, APP_USAGE, "%s was built without GIO",
                    app->name);
    else
        verdict_set(&j->verdict, APP_USAGE, "this program %s HDF5",
                    app->hdf5 ? "was built without" : "cannot use");
}

/* Everything that a run needs; errors are in the verdict, on all ranks. */
static void prepare(struct job *j)
{
    struct plan *p = &j->plan;
    int64_t room = PART;
    int rc;

    MPI_Comm_rank(j->comm, &p->rank);
    MPI_Comm_size(j->comm, &p->ranks);
    j->app->plan(j->app, &j->opt, p, &j->verdict);
    if (verdict_agree(&j->verdict, j->comm))
        return;
    rc = plan_finish(p, j->comm);
    if (rc)
        verdict_set(&j->verdict, rc == -ENOMEM ? APP_FAILED : APP_USAGE, "%s",
                    rc == -E2BIG     ? "a call of a rank exceeds 2 GiB"
                    : rc == -ENODATA ? "these settings leave nothing to write"
                                     : "out of memory");
    if (p->largest > room)
        room = p->largest;
    if (!rc && j->opt.gaps)
        check_gaps(j);
    j->buf = rc ? NULL : malloc(j->opt.gaps ? 2 * room : room);
    j->open = calloc(p->nfiles + 1, sizeof(*j->open));
    if (report_create(&j->report, j->opt.reps) || !j->buf || !j->open)
        verdict_set(&j->verdict, APP_FAILED, "out of memory");
    verdict_agree(&j->verdict, j->comm);
}

static void run(struct job *j)
{
    const struct plan *p = &j->plan;
    struct report *r = &j->report;

    r->app = j->app->name;
    r->api = j->app->api->name;
    r->rank = p->rank;
    r->ranks = p->ranks;
    r->files = p->nfiles;
    r->calls = p->ncalls;
    r->bytes = p->bytes;
    r->collective = !j->opt.independent;
    r->json = j->opt.json;
    report_begin(r);
    j->said = MPI_Wtime();
    for (j->rep = 1; j->rep <= j->opt.reps && !j->verdict.code; j->rep++)
        run_phases(j);
    report_end(r);
}

/* What a run has written, unless it is wanted or to be looked at. */
static void clean_up(struct job *j)
{
    char path[4096];

    if (!j->opt.write || j->opt.keep || j->verdict.code)
        return;
    for (int f = 0; f < j->plan.nfiles; f++) {
        path_of(j, f, path, sizeof(path));
        j->app->api->remove(path, j->comm);
    }
}

static void help(const struct app *app)
{
    printf("usage: %s [options] DIR\n\n%s", app->name, app->about);
    options_help(&app->own);
}

int app_main(struct app *app, int argc, char **argv)
{
    struct job j = {.app = app, .comm = MPI_COMM_WORLD};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(j.comm, &rank);
    options_init(&j.opt);
    options_parse(&j.opt, &app->own, argc, argv, &j.verdict);
    if (j.opt.help && rank == 0)
        help(app);
    if (!j.opt.help && !j.verdict.code)
        choose_api(&j);
    if (!j.opt.help && !j.verdict.code)
        prepare(&j);
    if (!j.opt.help && !j.verdict.code)
        run(&j);
    clean_up(&j);
    if (j.verdict.code && rank == 0)
        fprintf(stderr, "%s: %s\n", app->name, j.verdict.text);
    options_destroy(&j.opt);
    plan_destroy(&j.plan);
    report_destroy(&j.report);
    free(j.open);
    free(j.buf);
    MPI_Finalize();
    return j.verdict.code;
}
