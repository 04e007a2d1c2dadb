/* call.c - one collective read or write: start, step, wait */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "call.h"

#include <errno.h>

#include "../../core/coll/choice.h"
#include "../../core/text/minmax.h"
#include "../indep/fsize.h"
#include "../indep/indep.h"
#include "../locks/blocklock.h"
#include "../locks/lockmode.h"
#include "../../node/prefetch.h"
#include "../progress/progress.h"
#include "../progress/waiting.h"
#include "../../sys/section.h"

/* Hybrid I/O: Lustre does not keep reads of this size or more in the page
 * cache. */
#define PAST_CACHE (8 << 20)

/* ---- what the start agreement decides ---- */

/* Do the promises same_io_size and contiguous_data of all ranks hold? The start
 * agreement has the numbers for this check. */
static int promise_kept(const struct adl_settings *set,
                        const struct adl_claim *all)
{
    if (set->same_io_size && all->most != all->least)
        return 0;
    return !set->contiguous_data || !(all->flags & ADL_CLAIM_NONCONTIG);
}

static int64_t cb_of(const struct adl_call *c)
{
    return c->write ? c->acc.set.cb_write : c->acc.set.cb_read;
}

/* Will the call not go through the aggregators, whatever the start agreement
 * says? In atomic mode every access is made under a lock, so that overlapping
 * accesses do not mix. A single rank has no other rank to exchange data with.
 */
static int is_alone(const struct adl_call *c)
{
    return c->acc.set.atomic || cb_of(c) == ADL_DISABLE ||
           (cb_of(c) != ADL_ENABLE && c->eng->size == 1);
}

/* Does this read continue a sequence? Must be asked once a call. */
static int continues_reads(struct adl_call *c)
{
    struct adl_file *f = c->eng->file;
    struct adl_ahead_range next;

    if (c->write)
        adl_ahead_forget(&f->reads);
    return !c->write && c->terms.bytes > 0 &&
           adl_ahead_follow(&f->reads, c->terms.start, c->terms.end, 0, &next);
}

static struct adl_choice choice_of(struct adl_call *c)
{
    const struct adl_file *f = c->eng->file;
    struct adl_choice file = {
        .cb = cb_of(c),
        .threshold = c->acc.set.coll_threshold,
        .alone = c->alone,
        .on_lustre = f->on_lustre,
        .guarded =
            f->locks.mode != 0 || f->locks.ahead_read || f->hints.no_indep_rw,
        .seeks = f->seeks,
        .gathered = f->gathered,
        .follows = continues_reads(c) && c->acc.set.ds_read != ADL_DISABLE,
        .ranks = f->nprocs,
        .nodes = f->nodes.count,
        .aggs = f->aggs.count,
        .later = c->write && c->acc.nonblocking,
        .ahead = f->ahead,
        .opened = f->opened,
        .held = f->held || (f->gathered && f->through == 0)};

    adl_layout_stripe(f->layout, c->terms.start, &file.stripe, &file.objects);
    return file;
}

/* May aggregators write zeros between the pieces? Only in a file on Lustre that
 * this open has made, where the ranks have promised not to write on their own
 * while others write collectively. Under a lock mode its size is not known. */
static int may_fill(const struct adl_call *c)
{
    const struct adl_file *f = c->eng->file;

    return c->acc.set.ds_in_coll == ADL_ENABLE && f->on_lustre &&
           f->hints.no_indep_rw && f->locks.mode == 0 && f->reach != INT64_MAX;
}

/* The end of the bytes that did not come through collective calls: this rank's
 * own and, as far as rank 0 can see, those of other processes. */
static int64_t end_apart(const struct adl_call *c)
{
    const struct adl_file *f = c->eng->file;
    ADIO_Offset size;

    if (!c->write || f->rank != 0 || !may_fill(c))
        return f->apart;
    return adl_fsize_get(c->fd, &size) < 0 ? INT64_MAX
                                           : adl_max(f->apart, size);
}

/* From this offset on aggregators may write zeros: the end of all that was
 * written. */
static int64_t fresh_from(const struct adl_call *c, const struct adl_claim *all)
{
    struct adl_file *f = c->eng->file;
    int64_t fresh = may_fill(c) ? adl_max(f->reach, all->apart) : INT64_MAX;

    f->reach = adl_max(f->reach, all->end);
    return fresh;
}

/* Set what all ranks know now. Returns 0, or the error with which the call
 * fails on all ranks. */
static int agree_on_terms(struct adl_call *c, const struct adl_claim *all)
{
    struct adl_engine *eng = c->eng;
    int rc = all->error;

    if (rc == 0 && !promise_kept(&c->acc.set, all))
        rc = -EINVAL;
    c->terms.write = c->write;
    c->terms.call = ++eng->calls;
    c->terms.fresh = c->write ? fresh_from(c, all) : INT64_MAX;
    adl_terms_set(&c->terms, all, adl_plan_agreed(&eng->plan, all),
                  adl_window_grain(eng->window),
                  c->acc.set.ds_read != ADL_DISABLE);
    c->terms.apart = eng->plan.apart;
    c->acc.time.planned = c->terms.exact && !(all->flags & ADL_CLAIM_NEW);
    return rc;
}

/* ---- phases ---- */

/* Begin the start agreement. */
static void ask_all(struct adl_call *c)
{
    struct adl_engine *eng = c->eng;
    struct adl_prof *prof = eng->file->prof;

    adl_selection_claim(&c->acc.sel, &eng->plan, &c->words.claim);
    c->words.claim.apart = end_apart(c);
    adl_lockmode_prepare(c->fd, c->write, c->alone, &c->words.claim);
    if (c->write)
        adl_blocklock_claim(c->fd, &c->acc, &c->words.claim);
    adl_exchange_prepare(eng, &c->acc);
    adl_prof_mark(prof, &c->acc.time, ADL_ASKED);
    adl_agree_begin(eng->agree, ADL_AGREE_START, &c->words);
    c->phase = ADL_START;
}

static void begin(struct adl_call *c)
{
    /* Earlier calls count their own time. Making the engine counts here. */
    if (c->acc.time.setup == 0)
        adl_prof_mark(c->eng->file->prof, &c->acc.time, ADL_BEGAN);
    c->alone = is_alone(c);
    ask_all(c);
}

/* The exchange goes through the file in ascending order. If a rank's view goes
 * back, every rank moves its own pieces. Under a group lock that is possible
 * only after all ranks have given the lock back: then the ranks agree a second
 * time. 1: they do. */
static int is_asked_again(struct adl_call *c, const struct adl_claim *all)
{
    if (c->alone || !(all->flags & ADL_CLAIM_TANGLED))
        return 0;
    c->alone = 1;
    if (c->eng->file->locks.mode != 1)
        return 0;
    ask_all(c);
    return 1;
}

/* Bytes of an owner's largest read: a part of a stripe in a window. */
static int64_t largest_read(const struct adl_call *c)
{
    int64_t stripe;
    int objects;

    adl_layout_stripe(c->eng->file->layout, c->terms.start, &stripe, &objects);
    return adl_min(stripe, adl_window_size(c->eng->window));
}

/* May owners read bytes that no rank has asked for yet? Only if these stay in
 * the page cache, are not there yet, and Lustre's locks keep them up to date.
 * On other file systems the kernel reads ahead as well as the driver. */
static int may_read_on(const struct adl_call *c)
{
    const struct adl_file *f = c->eng->file;

    return c->aggregated && f->on_lustre && !f->gathered &&
           c->acc.set.ds_read != ADL_DISABLE && f->locks.mode == 0 &&
           !f->locks.ahead_read && c->x.service.fd_direct < 0 &&
           largest_read(c) < PAST_CACHE;
}

/* Read on after the windows of this call. A call of few bytes, for which the io
 * thread did not wake, is part of the sequence, but the io thread does not read
 * on after it; nor after a call that the ranks read themselves. */
static void read_on(struct adl_call *c)
{
    struct adl_file *f = c->eng->file;
    struct adl_prefetch_from from = {
        .fd = c->fd->fd_sys, .owner = f->owner, .agg = f->aggs.mine};
    int64_t room = c->aggregated && !c->x.service.in_steps ? c->eng->buffer : 0;

    if (c->write || c->terms.bytes == 0 || !c->terms.whole ||
        (c->aggregated && !may_read_on(c)))
        adl_prefetch_forget(f->prefetch);
    else
        adl_prefetch_follow(f->prefetch, &from, c->terms.start, c->terms.end,
                            room);
}

/* The call is not aggregated: do this rank's part at once. */
static void move_alone(struct adl_call *c)
{
    if (c->acc.sel.bytes == 0) {
        c->rc = c->acc.sel.error;
        return;
    }
    if (c->write) {
        c->rc = adl_indep_write_access(c->fd, &c->acc);
        c->bytes = c->rc < 0 ? 0 : c->acc.sel.bytes;
    } else {
        c->rc = adl_indep_read_access(c->fd, &c->acc, &c->bytes);
    }
}

static void start_moving(struct adl_call *c)
{
    const struct adl_claim *all = &c->words.claim;
    struct adl_prof *prof = c->eng->file->prof;
    struct adl_choice file;

    if (is_asked_again(c, all))
        return;
    c->phase = ADL_MOVE;
    adl_prof_mark(prof, &c->acc.time, ADL_AGREED);
    adl_lockmode_start(c->fd, c->write, c->alone, all);
    c->rc = agree_on_terms(c, all);
    if (c->rc < 0)
        return;
    file = choice_of(c);
    c->aggregated = adl_choice_aggregate(&file, all, &c->terms);
    c->all_move = all->least > 0;
    c->acc.time.aggregated = c->aggregated;
    if (c->aggregated)
        adl_exchange_start(&c->x, c->eng, &c->acc, &c->terms, c->fd);
    read_on(c);
    if (c->aggregated)
        return;
    if (c->write && !c->alone)
        adl_blocklock_take(c->fd, &c->acc, all);
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
    c->bytes = c->write ? c->acc.sel.bytes : c->x.bytes;
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

/* Note which clients now have locks and bytes of the file. */
static void note_way(struct adl_call *c)
{
    struct adl_file *f = c->eng->file;

    if (!c->aggregated)
        f->opened |= c->all_move;
    if (!c->write || c->terms.bytes == 0)
        return;
    f->held = c->aggregated;
    *(c->aggregated ? &f->through : &f->alone) += c->terms.bytes;
    if (c->aggregated) {
        f->gathered = 1;
        adl_blocklock_forget(f); /* the aggregators may have taken them */
    } else if (f->alone > f->through) {
        f->gathered = 0;
    }
}

/* If a write failed on any rank, no rank's bytes count: it is not known which
 * of them are in the file. */
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
    note_way(c);
    adl_lockmode_end(c->fd, &c->outcome);
    adl_prof_collective(eng->file->prof, c->write ? ADL_WRITES : ADL_READS,
                        &c->acc.time, &c->acc.traffic, c->bytes, &c->outcome);
    eng->finished++;
    c->phase = ADL_DONE;
}

/* ---- without an engine ---- */

void adl_call_at_once(struct adl_call *c, ADIO_File fd, int write)
{
    const struct adl_file *f = adl_file_of(fd);
    struct adl_prof *prof = f->prof;
    struct adl_timing *t = &c->acc.time;
    const struct adl_outcome none = {0};

    c->fd = fd;
    c->write = write;
    for (int m = ADL_BEGAN; m <= ADL_AGREED; m++)
        adl_prof_mark(prof, t, m);
    move_alone(c);
    adl_prof_mark(prof, t, ADL_MOVED);
    adl_prof_collective(prof, write ? ADL_WRITES : ADL_READS, t,
                        &c->acc.traffic, c->bytes, &none);
    c->mine[0] = c->rc;
    c->mine[1] = f->rank;
    c->phase = ADL_END;
    PMPI_Iallreduce(c->mine, c->worst, 1, MPI_2INT, MPI_MINLOC, f->comm,
                    &c->agreement);
}

/* Only the rank that failed knows where in the file. */
static int step_at_once(struct adl_call *c)
{
    const struct adl_failure *own = &adl_file_of(c->fd)->failure;

    if (c->phase == ADL_DONE)
        return 1;
    if (!adl_progress_test(&c->agreement, MPI_STATUS_IGNORE))
        return 0;
    c->rc = c->worst[0];
    c->outcome = (struct adl_outcome){
        .error = c->rc,
        .rank = c->worst[1],
        .offset =
            own->rc == c->rc && own->rank == c->worst[1] ? own->offset : -1};
    if (c->rc < 0)
        c->bytes = 0;
    c->phase = ADL_DONE;
    return 1;
}

/* ---- */

static int is_agreeing(const struct adl_call *c)
{
    return c->eng && (c->phase == ADL_START || c->phase == ADL_END);
}

/* Changes whenever the call, or the one it waits for, has moved. */
static uint64_t mark_of(const struct adl_call *c)
{
    int64_t finished = c->eng ? c->eng->finished : 0;

    return ((c->x.moved + (uint64_t)finished) << 3) + c->phase;
}

/* It has not moved for too long. */
static void tell_stall(const struct adl_call *c)
{
    static const char *const phase[] = {
        [ADL_WAITING] = "waits for earlier calls of the file",
        [ADL_START] = "start agreement",
        [ADL_MOVE] = "moving bytes",
        [ADL_END] = "end agreement"};
    const struct adl_file *f = adl_file_of(c->fd);
    const struct adl_stalled what = {
        .file = f,
        .x = c->phase == ADL_MOVE && c->aggregated ? &c->x : NULL,
        .agree = is_agreeing(c) ? c->eng->agree : NULL,
        .phase = c->eng ? phase[c->phase]
                        : "end agreement, no aggregators: waits for other "
                          "ranks to come",
        .kind = c->write ? "write" : "read",
        .number = c->eng ? c->number : -1};

    adl_stall_tell(&what, f->env.stall);
}

static int step_phases(struct adl_call *c)
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

int adl_call_step(struct adl_call *c)
{
    int done = c->eng ? step_phases(c) : step_at_once(c);

    if (!done &&
        adl_stall_is(&c->stall, mark_of(c), adl_file_of(c->fd)->env.stall))
        tell_stall(c);
    return done;
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

/* ---- waiting ---- */

/* An aggregator between messages: the bell that rings when its io thread is
 * through with a window, which another rank's message waits for. */
static struct adl_bell *bell_of_windows(const struct adl_call *c)
{
    return c->phase == ADL_MOVE && c->x.serving ? &c->eng->seg->node->windows
                                                : NULL;
}

static int has_messages(const struct adl_call *c)
{
    return c->phase == ADL_MOVE && c->aggregated &&
           adl_exchange_has_messages(&c->x);
}

/* The bell that rings when there may be something to do. NULL: no bell rings
 * for it, and the rank polls. */
static struct adl_bell *bell_of(struct adl_call *c, uint32_t *seen)
{
    if (is_agreeing(c))
        return adl_agree_bell(c->eng->agree, seen);
    return c->phase == ADL_MOVE ? adl_exchange_bell(&c->x, seen) : NULL;
}

/* Changes whenever the call has moved. The other ranks that this one waits for
 * are then near, and it must not sleep longer for having waited before: a
 * leader would do so in each step of an agreement. */
static uint64_t nearness(const struct adl_call *c)
{
    int steps = is_agreeing(c) ? adl_agree_steps(c->eng->agree) : 0;

    return (c->x.moved << 12) + ((uint64_t)steps << 4) + c->phase;
}

/* MPI does not wake a rank when a message comes: the rank polls. Between two
 * polls it yields its core to other processes. After a while without a message
 * it sleeps between two polls. */
void adl_call_wait(struct adl_call *c)
{
    struct adl_pause pause;
    uint64_t near = 0;
    int yields = 0;

    adl_pause_begin(&pause, c->eng->comm);
    for (;;) {
        struct adl_bell *windows = bell_of_windows(c), *bell;
        uint32_t changed = windows ? adl_bell_read(windows) : 0, seen = 0;
        int messages;

        if (adl_call_step(c))
            return;
        messages = has_messages(c);
        if (nearness(c) != near) {
            near = nearness(c);
            yields = 0;
            adl_pause_begin(&pause, c->eng->comm);
        }
        if (messages &&
            (yields++ < ADL_WAIT_LOOKS || adl_pause_spins(&pause))) {
            adl_section_yield();
            continue;
        }
        bell = messages ? NULL : bell_of(c, &seen);
        if (messages)
            pause.yields = 0; /* it has yielded enough */
        if (!bell)            /* this rank waits for MPI */
            pause.longest = ADL_WAIT_LOOK_NAP;
        if (messages && windows) {
            bell = windows;
            seen = changed;
        }
        /* A rank that waits for a message of an agreement has asked for it. */
        pause.comm =
            bell || c->phase == ADL_MOVE ? c->eng->comm : MPI_COMM_NULL;
        if (bell || c->phase != ADL_MOVE || messages)
            adl_pause(&pause, bell, seen);
    }
}
