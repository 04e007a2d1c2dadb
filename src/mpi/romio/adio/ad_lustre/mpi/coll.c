/* coll.c - entry of collective reads and writes */
#include "coll.h"

#include <errno.h>

#include "engine.h"
#include "exchange.h"
#include "exchange_read.h"
#include "indep.h"
#include "lockmode.h"
#include "nonblock.h"

/* The promises same_io_size and contiguous_data of all ranks hold? The start
 * agreement knows, for nothing. */
static int promise_kept(const struct adl_file *f, const struct adl_claim *all)
{
    if (f->hints.same_io_size && all->most != all->least)
        return 0;
    return !f->hints.contiguous_data || !(all->flags & ADL_CLAIM_NONCONTIG);
}

/* Aggregate unless told otherwise: writes of one owner per object cause no
 * lock conflict, however the pieces lie. One rank alone has nobody to exchange
 * with. Requests of at least coll_threshold bytes may go on their own. Where
 * nobody has anything there is no first window to begin with. */
static int should_aggregate(const struct adl_engine *eng,
                            const struct adl_claim *all, int64_t cb)
{
    const struct adl_file *f = eng->file;

    if (cb == ADL_DISABLE || all->bytes == 0)
        return 0;
    if (cb == ADL_ENABLE)
        return 1;
    if (eng->size == 1)
        return 0;
    return f->hints.coll_threshold == 0 ||
           all->least < f->hints.coll_threshold ||
           (all->flags & ADL_CLAIM_INTERLEAVED);
}

static int write_aggregated(ADIO_File fd, struct adl_engine *eng,
                            struct adl_access *acc, const struct adl_claim *all)
{
    struct adl_exchange x;

    if (eng->file->aggs.mine >= 0)
        fd->dirty_write = 1;
    adl_exchange_start(&x, eng, acc, all, fd);
    adl_exchange_finish(&x);
    return adl_exchange_end(&x);
}

static int write_alone(ADIO_File fd, struct adl_access *acc)
{
    return acc->bytes > 0 ? adl_indep_write_access(fd, acc) : 0;
}

int adl_coll_verdict(struct adl_engine *eng, struct adl_access *acc,
                     const struct adl_claim *all)
{
    int rc = all->error;

    if (rc == 0 && !promise_kept(eng->file, all))
        rc = -EINVAL;
    acc->span = all->end - all->start;
    acc->dense = adl_plan_agreed(&eng->plan, all);
    if (rc < 0)
        adl_plan_learn(&eng->plan, acc->span, 0);
    return rc;
}

/* In atomic mode overlapping requests must not mix: each under a lock. */
int adl_coll_aggregates(ADIO_File fd, const struct adl_engine *eng,
                        const struct adl_claim *all, int write)
{
    const struct adl_hints *h = &eng->file->hints;

    return !fd->atomicity &&
           should_aggregate(eng, all, write ? h->cb_write : h->cb_read);
}

int adl_coll_alone(ADIO_File fd, const struct adl_engine *eng, int write)
{
    const struct adl_hints *h = &eng->file->hints;
    int64_t cb = write ? h->cb_write : h->cb_read;

    return fd->atomicity || cb == ADL_DISABLE ||
           (cb != ADL_ENABLE && eng->size == 1);
}

static int agree_on_start(ADIO_File fd, struct adl_engine *eng,
                          struct adl_access *acc, int write,
                          struct adl_claim *all)
{
    struct adl_prof *prof = eng->file->prof;
    int rc, alone = adl_coll_alone(fd, eng, write);

    adl_access_claim(acc, &eng->plan, all);
    adl_lockmode_prepare(fd, write, alone, all);
    adl_prof_mark(prof, &acc->time, ADL_ASKED);
    adl_agree_on(eng->agree, all);
    adl_prof_mark(prof, &acc->time, ADL_AGREED);
    adl_prof_mark(prof, &acc->time, ADL_MOVED);
    adl_lockmode_start(fd, write, alone, all);
    rc = adl_coll_verdict(eng, acc, all);
    if (rc < 0)
        adl_lockmode_release(fd, INT64_MAX);
    return rc;
}

void adl_coll_ending(struct adl_engine *eng, struct adl_access *acc, int rc,
                     struct adl_claim *end)
{
    struct adl_timing *t = &acc->time;

    t->planned = acc->dense && t->aggregated;
    adl_prof_mark(eng->file->prof, &acc->time, ADL_MOVED);
    adl_lockmode_claim(&eng->file->locks, rc, end);
    end->bytes = acc->covered;
    end->active = t->active;
    end->swift = t->at[ADL_AGREED] - t->at[ADL_ASKED];
}

void adl_coll_ended(ADIO_File fd, struct adl_engine *eng,
                    const struct adl_access *acc, const struct adl_claim *end)
{
    adl_lockmode_end(fd, end);
    adl_plan_learn(&eng->plan, acc->span, end->error < 0 ? 0 : end->bytes);
}

static int agree_on_end(ADIO_File fd, struct adl_engine *eng,
                        struct adl_access *acc, int rc, struct adl_claim *end)
{
    adl_coll_ending(eng, acc, rc, end);
    adl_agree_on(eng->agree, end);
    adl_coll_ended(fd, eng, acc, end);
    return end->error;
}

/* The first call makes the engine. A rank that comes late to that must not
 * look like one that takes long. */
static int make_engine(ADIO_File fd, struct adl_access *acc,
                       struct adl_engine **eng)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    int64_t t = adl_prof_now(prof);
    int rc;

    if (prof && prof->timers)
        PMPI_Barrier(fd->comm);
    acc->time.setup_wait = adl_prof_now(prof) - t;
    rc = adl_engine_get(fd, eng);
    acc->time.setup = adl_prof_now(prof) - t - acc->time.setup_wait;
    return rc;
}

/* Calls that were made before this one come first, and have their own time. */
static int get_engine(ADIO_File fd, struct adl_access *acc,
                      struct adl_engine **eng)
{
    struct adl_file *f = adl_file_of(fd);

    *eng = f->engine;
    if (!*eng)
        return make_engine(fd, acc, eng);
    if ((*eng)->finished < (*eng)->issued) {
        adl_nonblock_drain(f);
        adl_prof_mark(f->prof, &acc->time, ADL_BEGAN);
    }
    return 0;
}

void adl_coll_ready(ADIO_File fd)
{
    const struct adl_file *f = adl_file_of(fd);
    struct adl_engine *eng;

    if (f->nprocs > 1 &&
        (f->hints.cb_write != ADL_DISABLE || f->hints.cb_read != ADL_DISABLE))
        adl_engine_get(fd, &eng);
}

int adl_coll_write(ADIO_File fd, struct adl_access *acc)
{
    struct adl_engine *eng;
    struct adl_claim all, end = {0};
    int rc = get_engine(fd, acc, &eng);

    if (rc < 0)
        return rc;
    adl_exchange_prepare(eng, acc);
    rc = agree_on_start(fd, eng, acc, 1, &all);
    if (rc == 0) {
        if (adl_coll_aggregates(fd, eng, &all, 1))
            rc = write_aggregated(fd, eng, acc, &all);
        else
            rc = write_alone(fd, acc);
        rc = agree_on_end(fd, eng, acc, rc, &end);
    }
    adl_prof_collective(eng->file->prof, ADL_WRITES, &acc->time, acc->bytes,
                        &end);
    return rc;
}

static int read_aggregated(ADIO_File fd, struct adl_engine *eng,
                           struct adl_access *acc, const struct adl_claim *all,
                           int64_t *bytes)
{
    struct adl_fetching x;

    adl_fetching_start(&x, eng, acc, all, fd);
    adl_fetching_finish(&x);
    *bytes = x.bytes;
    return adl_fetching_end(&x);
}

int adl_coll_read(ADIO_File fd, struct adl_access *acc, int64_t *bytes)
{
    struct adl_engine *eng;
    struct adl_claim all, end = {0};
    int rc = get_engine(fd, acc, &eng);

    *bytes = 0;
    if (rc < 0)
        return rc;
    adl_fetching_prepare(eng, acc);
    rc = agree_on_start(fd, eng, acc, 0, &all);
    if (rc == 0) {
        if (adl_coll_aggregates(fd, eng, &all, 0))
            rc = read_aggregated(fd, eng, acc, &all, bytes);
        else if (acc->bytes > 0)
            rc = adl_indep_read_access(fd, acc, bytes);
        rc = agree_on_end(fd, eng, acc, rc, &end);
    }
    adl_prof_collective(eng->file->prof, ADL_READS, &acc->time, *bytes, &end);
    return rc;
}
