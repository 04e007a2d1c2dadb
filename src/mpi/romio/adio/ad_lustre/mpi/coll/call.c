/* call.c - one collective read or write: start, step, wait */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "call.h"

#include <errno.h>

#include "../../core/coll/choice.h"
#include "../../core/text/minmax.h"
#include "../indep.h"
#include "../locks/lockmode.h"
#include "../../node/prefetch.h"
#include "../progress/progress.h"
#include "../../sys/section.h"

/* Looks in vain, each with a yield, after which a rank that waits for messages
 * sleeps between two of them. Few: where every process is in a scheduling group
 * of its own (autogroups) a yield lets nobody else run, and who has work to do
 * waits for those who look. */
#define YIELDS 10
#define LOOK_NS 200000 /* at the longest */

/* Hybrid I/O: reads of so many bytes go past the page cache. */
#define PAST_CACHE (8 << 20)

/* ---- what the start agreement decides ---- */

/* The promises same_io_size and contiguous_data of all ranks hold? The start
 * agreement knows, for nothing. */
static int promise_kept(const struct adl_file *f, const struct adl_claim *all)
{
    if (f->hints.same_io_size && all->most != all->least)
        return 0;
    return !f->hints.contiguous_data || !(all->flags & ADL_CLAIM_NONCONTIG);
}

static int64_t cb_of(const struct adl_call *c)
{
    const struct adl_hints *h = &c->eng->file->hints;

    return c->write ? h->cb_write : h->cb_read;
}

/* Whatever the start agreement says, will the call not go through the
 * aggregators? In atomic mode overlapping requests must not mix: each under a
 * lock. One rank alone has nobody to exchange with. */
static int is_alone(const struct adl_call *c)
{
    return c->fd->atomicity || cb_of(c) == ADL_DISABLE ||
           (cb_of(c) != ADL_ENABLE && c->eng->size == 1);
}

static struct adl_choice choice_of(const struct adl_call *c)
{
    const struct adl_file *f = c->eng->file;
    const struct adl_hints *h = &f->hints;
    struct adl_choice file = {.cb = cb_of(c),
                              .threshold = h->coll_threshold,
                              .alone = c->alone,
                              .on_lustre = f->on_lustre,
                              .guarded = h->lock_mode != 0 ||
                                         h->lock_ahead_read || h->no_indep_rw,
                              .seeks = f->seeks,
                              .gathered = f->gathered};

    adl_layout_stripe(f->layout, c->terms.start, &file.stripe, &file.objects);
    return file;
}

/* What all ranks know now; 0, or why the call fails everywhere. */
static int agree_on_terms(struct adl_call *c, const struct adl_claim *all)
{
    struct adl_engine *eng = c->eng;
    int rc = all->error;

    if (rc == 0 && !promise_kept(eng->file, all))
        rc = -EINVAL;
    c->terms.write = c->write;
    c->terms.call = ++eng->calls;
    adl_terms_set(&c->terms, all, adl_plan_agreed(&eng->plan, all),
                  adl_window_grain(eng->window),
                  eng->file->hints.ds_read != ADL_DISABLE);
    c->acc.time.planned = c->terms.exact && !(all->flags & ADL_CLAIM_NEW);
    return rc;
}

/* ---- phases ---- */

static void begin(struct adl_call *c)
{
    struct adl_engine *eng = c->eng;
    struct adl_prof *prof = eng->file->prof;

    /* Calls before this one have their own time; making the engine is ours. */
    if (c->acc.time.setup == 0)
        adl_prof_mark(prof, &c->acc.time, ADL_BEGAN);
    c->alone = is_alone(c);
    adl_access_claim(&c->acc, &eng->plan, &c->words.claim);
    adl_lockmode_prepare(c->fd, c->write, c->alone, &c->words.claim);
    adl_exchange_prepare(eng, &c->acc);
    adl_prof_mark(prof, &c->acc.time, ADL_ASKED);
    adl_agree_begin(eng->agree, ADL_AGREE_START, &c->words);
    c->phase = ADL_START;
}

/* Bytes of an owner's largest read: a part of a stripe in a window. */
static int64_t largest_read(const struct adl_call *c)
{
    int64_t stripe;
    int objects;

    adl_layout_stripe(c->eng->file->layout, c->terms.start, &stripe, &objects);
    return adl_min(stripe, adl_window_size(c->eng->window));
}

/* May owners read what nobody has asked for yet? Only where it will be found in
 * the page cache again, is not there yet, and where Lustre's own locks keep it
 * as the file is. Elsewhere the kernel reads ahead as well as we. */
static int may_read_on(const struct adl_call *c)
{
    const struct adl_file *f = c->eng->file;
    const struct adl_hints *h = &f->hints;

    return c->aggregated && c->terms.whole && f->on_lustre && !f->gathered &&
           h->ds_read != ADL_DISABLE && h->lock_mode == 0 &&
           !h->lock_ahead_read && c->x.service.fd_direct < 0 &&
           largest_read(c) < PAST_CACHE;
}

/* Behind the windows of this call, those of the next. A call that was not worth
 * waking the io thread for is in the row, but is not followed. */
static void read_on(struct adl_call *c)
{
    struct adl_file *f = c->eng->file;
    struct adl_prefetch_from from = {
        .fd = c->fd->fd_sys, .owner = f->owner, .agg = f->aggs.mine};
    int64_t room = c->x.service.in_steps ? 0 : c->eng->buffer;

    if (c->write || !may_read_on(c))
        adl_prefetch_forget(f->prefetch);
    else
        adl_prefetch_follow(f->prefetch, &from, c->terms.start, c->terms.end,
                            room);
}

/* Not aggregated: this rank's part is done at once. */
static void move_alone(struct adl_call *c)
{
    if (c->acc.bytes == 0) {
        c->rc = c->acc.error;
        return;
    }
    if (c->write) {
        c->rc = adl_indep_write_access(c->fd, &c->acc);
        c->bytes = c->rc < 0 ? 0 : c->acc.bytes;
    } else {
        c->rc = adl_indep_read_access(c->fd, &c->acc, &c->bytes);
    }
}

static void start_moving(struct adl_call *c)
{
    const struct adl_claim *all = &c->words.claim;
    struct adl_prof *prof = c->eng->file->prof;
    struct adl_choice file;

    c->phase = ADL_MOVE;
    adl_prof_mark(prof, &c->acc.time, ADL_AGREED);
    adl_lockmode_start(c->fd, c->write, c->alone, all);
    c->rc = agree_on_terms(c, all);
    if (c->rc < 0)
        return;
    file = choice_of(c);
    c->aggregated = adl_choice_aggregate(&file, all, &c->terms);
    c->acc.time.aggregated = c->aggregated;
    if (c->aggregated)
        adl_exchange_start(&c->x, c->eng, &c->acc, &c->terms, c->fd);
    read_on(c);
    if (!c->aggregated)
        move_alone(c);
}

static int step_moving(struct adl_call *c)
{
    struct adl_prof *prof = c->eng->file->prof;
    int64_t t = adl_prof_now(prof);
    int done;

    if (!c->aggregated)
        return 1;
    done = adl_exchange_step(&c->x);
    c->stepping += adl_prof_now(prof) - t;
    if (!done)
        return 0;
    c->rc = adl_exchange_end(&c->x);
    c->bytes = c->write ? c->acc.bytes : c->x.bytes;
    return 1;
}

static void begin_end(struct adl_call *c)
{
    struct adl_engine *eng = c->eng;
    struct adl_timing *t = &c->acc.time;

    t->planned &= c->aggregated;
    adl_prof_mark(eng->file->prof, t, ADL_MOVED);
    t->idle = t->at[ADL_MOVED] - t->at[ADL_AGREED] - c->stepping;
    c->words.outcome =
        (struct adl_outcome){.active = t->active,
                             .swift = t->at[ADL_AGREED] - t->at[ADL_ASKED],
                             .lock_trouble = eng->file->locks.trouble,
                             .offset = c->aggregated ? c->x.rc_offset : -1,
                             .error = c->rc,
                             .rank = eng->rank};
    adl_agree_begin(eng->agree, ADL_AGREE_END, &c->words);
    c->phase = ADL_END;
}

/* Nobody's bytes count when a write failed for anybody: who knows which. */
static void finish_call(struct adl_call *c)
{
    struct adl_engine *eng = c->eng;

    c->outcome = c->words.outcome;
    c->rc = c->outcome.error;
    if (c->rc < 0) {
        c->bytes = 0;
        eng->file->spoiled = 1;
        adl_prefetch_forget(eng->file->prefetch);
    }
    eng->file->gathered |= c->write && c->aggregated;
    adl_lockmode_end(c->fd, &c->outcome);
    adl_prof_collective(eng->file->prof, c->write ? ADL_WRITES : ADL_READS,
                        &c->acc.time, c->bytes, &c->outcome);
    adl_prof_traffic(eng->file->prof, c->write ? ADL_WRITES : ADL_READS,
                     &c->acc.traffic);
    eng->finished++;
    c->phase = ADL_DONE;
}

int adl_call_step(struct adl_call *c)
{
    union adl_words *words = &c->words;

    if (c->phase == ADL_WAITING && c->eng->finished == c->number)
        begin(c);
    if (c->phase == ADL_START && adl_agree_test(c->eng->agree, words))
        start_moving(c);
    if (c->phase == ADL_MOVE && step_moving(c))
        begin_end(c);
    if (c->phase == ADL_END && adl_agree_test(c->eng->agree, words))
        finish_call(c);
    return c->phase == ADL_DONE;
}

void adl_call_start(struct adl_call *c, ADIO_File fd, struct adl_engine *eng,
                    int write)
{
    c->fd = fd;
    c->eng = eng;
    c->write = write;
    c->phase = ADL_WAITING;
    c->number = eng->issued++;
}

void adl_call_at_once(struct adl_call *c, ADIO_File fd, int write)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    struct adl_timing *t = &c->acc.time;
    const struct adl_outcome nobody = {0};

    c->fd = fd;
    c->write = write;
    for (int m = ADL_BEGAN; m <= ADL_AGREED; m++)
        adl_prof_mark(prof, t, m);
    move_alone(c);
    adl_prof_mark(prof, t, ADL_MOVED);
    adl_prof_collective(prof, write ? ADL_WRITES : ADL_READS, t, c->bytes,
                        &nobody);
    c->outcome = (struct adl_outcome){.error = c->rc, .offset = -1};
    c->phase = ADL_DONE;
}

/* ---- waiting ---- */

/* What this rank sleeps on until there may be something to do; NULL: it must
 * look itself. */
static struct adl_bell *bell_of(struct adl_call *c, uint32_t *seen)
{
    if (c->phase == ADL_START || c->phase == ADL_END)
        return adl_agree_bell(c->eng->agree, seen);
    if (c->phase == ADL_MOVE && !adl_exchange_has_messages(&c->x))
        return adl_exchange_bell(&c->x, seen);
    return NULL;
}

static int has_messages(const struct adl_call *c)
{
    return c->phase == ADL_MOVE && c->aggregated &&
           adl_exchange_has_messages(&c->x);
}

/* Nothing tells us that a message has come but asking. Who asks while others
 * want the core lets them have it first; who asked long in vain sleeps. */
void adl_call_wait(struct adl_call *c)
{
    struct adl_pause pause;
    uint64_t moved = 0;
    int yields = 0;

    adl_pause_begin(&pause, c->eng->comm);
    for (;;) {
        enum adl_phase phase = c->phase;
        struct adl_bell *bell;
        uint32_t seen = 0;

        if (adl_call_step(c))
            return;
        if (c->phase != phase || c->x.moved != moved) {
            moved = c->x.moved;
            yields = 0;
            adl_pause_begin(&pause, c->eng->comm);
        }
        if (has_messages(c) && (yields++ < YIELDS || adl_pause_spins(&pause))) {
            adl_section_yield();
            continue;
        }
        if (has_messages(c)) {
            pause.longest = LOOK_NS;
            pause.yields = 0; /* enough of that */
        }
        bell = bell_of(c, &seen);
        if (!bell) /* MPI is what we wait for */
            pause.longest = LOOK_NS;
        /* Who waits for a message of an agreement has asked for it. */
        pause.comm =
            bell || c->phase == ADL_MOVE ? c->eng->comm : MPI_COMM_NULL;
        if (bell || c->phase != ADL_MOVE || has_messages(c))
            adl_pause(&pause, bell, seen);
    }
}
