/* call.c - test of coll/call and coll/request: whole calls of a few ranks
 *
 * All ranks are in one process, and the test steps them in random order. The
 * agreements merge the ranks' words as the driver's do, but without messages.
 * An exchange takes some steps and then has what the test wants: bytes, or an
 * error. What MPI's generalised requests do is counted.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "../../core/hints/hints.h"
#include "../../core/test/random.h"
#include "../coll/call.h"
#include "../coll/request.h"
#include "../file/errcode.h"
#include "../file/failure.h"
#include "../indep/fsize.h"
#include "../indep/indep.h"
#include "../locks/blocklock.h"
#include "../locks/lockmode.h"
#include "../progress/progress.h"
#include "../progress/requests.h"
#include "../progress/waiting.h"
#include "../../sys/section.h"

#define RANKS 3
#define CALLS 5
#define BYTES 4096 /* of a rank in a call */
#define CODE 7777  /* of an error */

/* The words of all ranks in one agreement. */
struct meeting {
    enum adl_agree_kind kind;
    union adl_words words[RANKS];
    int here;
};

struct adl_agree {
    int rank, number; /* of its agreement, from 1 */
};

static struct meeting meeting[CALLS * 3 + 1];

/* What one rank asks for, what its part of the call ends with, what it did. */
struct part {
    struct adl_call call;
    int64_t start, bytes;
    int flags, rc;
    int steps; /* of its exchange */
    int exchanged, alone, order;
    int quiet; /* as an aggregator: looks without a message */
};

static struct rank {
    struct ADIOI_FileD fd;
    struct adl_file file;
    struct adl_engine eng;
    struct adl_agree agree;
    struct part part[CALLS];
    int done;        /* calls */
    int prepared[2]; /* start agreements, that were not alone and were */
    int claimed;     /* start agreements with what it knows of locks */
    int forgotten;   /* times that it has forgotten its blocks' locks */
} rank[RANKS];

static struct rng rng;

static struct part *part_of(const struct adl_access *acc)
{
    /* `acc` is the first member of the call, and that of the part */
    return (struct part *)(uintptr_t)acc;
}

/* ---- agreements ---- */

void adl_agree_begin(struct adl_agree *agree, enum adl_agree_kind kind,
                     const union adl_words *mine)
{
    struct meeting *m = &meeting[++agree->number];

    if (m->here++ == 0)
        m->kind = kind;
    assert_int_equal(m->kind, kind);
    m->words[agree->rank] = *mine;
}

int adl_agree_test(struct adl_agree *agree, union adl_words *all)
{
    const struct meeting *m = &meeting[agree->number];

    if (m->here < RANKS)
        return 0;
    *all = m->words[0];
    for (int r = 1; r < RANKS; r++) {
        union adl_words next = m->words[r];

        if (m->kind == ADL_AGREE_START)
            adl_claim_merge(&all->claim, &next.claim);
        else
            adl_outcome_merge(&all->outcome, &next.outcome);
        *all = next;
    }
    return 1;
}

static int steps_taken; /* of an agreement, by the leaders */

int adl_agree_steps(const struct adl_agree *agree)
{
    (void)agree;
    return steps_taken;
}

struct adl_bell *adl_agree_bell(struct adl_agree *agree, uint32_t *seen)
{
    (void)agree, (void)seen;
    return NULL;
}

void adl_selection_claim(const struct adl_selection *sel, struct adl_plan *plan,
                         struct adl_claim *claim)
{
    const struct part *p =
        part_of((const struct adl_access *)((const char *)sel -
                                            offsetof(struct adl_access, sel)));
    struct adl_shape shape = {.view = 1,
                              .bytes = p->bytes,
                              .start = p->start,
                              .span = p->bytes,
                              .pieces = 1,
                              .bits = p->start | p->bytes};

    *claim = (struct adl_claim){.start = p->start,
                                .end = p->start + p->bytes,
                                .edge = p->start + p->bytes,
                                .bytes = p->bytes,
                                .pieces = 1,
                                .most = p->bytes,
                                .least = p->bytes,
                                .bits = shape.bits,
                                .flags = p->flags,
                                .alone_lo = INT64_MAX,
                                .alone_hi = -1};
    adl_plan_propose(plan, &shape, claim);
}

/* ---- what moves bytes ---- */

void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc)
{
    (void)eng, (void)acc;
}

void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_terms *terms,
                        ADIO_File fd)
{
    (void)eng, (void)terms, (void)fd;
    memset(x, 0, sizeof(*x));
    x->acc = acc;
    x->serving = part_of(acc)->quiet > 0;
    part_of(acc)->exchanged++;
}

int adl_exchange_step(struct adl_exchange *x)
{
    struct part *p = part_of(x->acc);

    if (p->quiet > 0) {
        p->quiet--;
        return 0;
    }
    x->moved++;
    return p->steps-- <= 0;
}

int adl_exchange_has_messages(const struct adl_exchange *x)
{
    return x->serving;
}

struct adl_bell *adl_exchange_bell(struct adl_exchange *x, uint32_t *seen)
{
    (void)x, (void)seen;
    return NULL;
}

int adl_exchange_end(struct adl_exchange *x)
{
    const struct part *p = part_of(x->acc);

    x->bytes = p->bytes;
    x->rc_offset = p->rc < 0 ? p->start : -1;
    return p->rc;
}

int adl_indep_write_access(ADIO_File fd, struct adl_access *acc)
{
    (void)fd;
    part_of(acc)->alone++;
    return part_of(acc)->rc;
}

int adl_indep_read_access(ADIO_File fd, struct adl_access *acc, int64_t *bytes)
{
    (void)fd;
    part_of(acc)->alone++;
    *bytes = part_of(acc)->bytes;
    return part_of(acc)->rc;
}

/* ---- what a call uses beside that ---- */

static struct {
    int said;    /* lock modes that were given up, told */
    int can_mpi; /* MPI may be called */
} world;

void adl_lockmode_prepare(ADIO_File fd, int write, int alone,
                          struct adl_claim *claim)
{
    (void)write, (void)claim;
    rank[fd->fd_sys].prepared[alone]++;
}

void adl_lockmode_start(ADIO_File fd, int write, int alone,
                        const struct adl_claim *all)
{
    (void)fd, (void)write, (void)alone, (void)all;
}

void adl_lockmode_end(ADIO_File fd, const struct adl_outcome *end)
{
    (void)fd, (void)end;
}

void adl_lockmode_say(ADIO_File fd)
{
    (void)fd;
    assert_true(world.can_mpi);
    world.said++;
}

void adl_blocklock_claim(ADIO_File fd, const struct adl_access *acc,
                         struct adl_claim *claim)
{
    assert_true(part_of(acc)->call.write);
    assert_int_equal(claim->start, part_of(acc)->start);
    rank[fd->fd_sys].claimed++;
}

void adl_blocklock_forget(struct adl_file *f)
{
    rank[f->rank].forgotten++;
}

void adl_blocklock_take(ADIO_File fd, const struct adl_access *acc,
                        const struct adl_claim *all)
{
    (void)fd, (void)acc, (void)all;
}

int adl_fsize_get(ADIO_File fd, ADIO_Offset *size)
{
    (void)fd;
    *size = 0;
    return 0;
}

/* No sequence of reads. */
int adl_ahead_follow(struct adl_ahead *a, int64_t start, int64_t end,
                     int64_t room, struct adl_ahead_range *next)
{
    (void)a, (void)start, (void)end, (void)room, (void)next;
    return 0;
}

void adl_ahead_forget(struct adl_ahead *a)
{
    (void)a;
}

void adl_layout_stripe(const struct adl_layout *layout, int64_t offset,
                       int64_t *size, int *count)
{
    (void)layout, (void)offset;
    *size = 1 << 20;
    *count = 2;
}

int64_t adl_window_size(const struct adl_window *w)
{
    (void)w;
    return 1 << 20;
}

int64_t adl_window_grain(const struct adl_window *w)
{
    (void)w;
    return 65536;
}

void adl_prefetch_forget(struct adl_prefetch *p)
{
    (void)p;
}

void adl_prefetch_follow(struct adl_prefetch *p,
                         const struct adl_prefetch_from *from, int64_t start,
                         int64_t end, int64_t room)
{
    (void)p, (void)from, (void)start, (void)end, (void)room;
}

void adl_prof_mark(const struct adl_prof *p, struct adl_timing *t,
                   enum adl_moment moment)
{
    (void)p, (void)t, (void)moment;
}

void adl_prof_collective(struct adl_prof *p, enum adl_dir dir,
                         const struct adl_timing *t,
                         const struct adl_traffic *traffic, int64_t bytes,
                         const struct adl_outcome *end)
{
    (void)p, (void)dir, (void)t, (void)traffic, (void)bytes, (void)end;
}

int adl_stall_is(struct adl_stall *s, uint64_t mark, int64_t limit)
{
    (void)s, (void)mark, (void)limit;
    return 0;
}

void adl_stall_tell(const struct adl_stalled *what, int64_t seconds)
{
    (void)what, (void)seconds;
}

void adl_section_yield(void)
{
}

int adl_pause_spins(const struct adl_pause *p)
{
    (void)p;
    return 0;
}

void adl_failure_cannot(const char *name, const char *what, int rc)
{
    fail_msg("%s: %s: %d", name, what, rc);
    abort();
}

/* ---- tasks and requests ---- */

static struct {
    struct adl_task *task; /* the last that was added */
    int64_t waiting;       /* the MPI_Wait that the thread is in */
    int naps, begins;      /* pauses, and pauses that began anew */
    void (*in_nap)(void);
    int64_t longest; /* nap */
    int steps;       /* of all tasks */
    int completed, noted;
    int code;
    MPI_Count elements;
    void *state;
    int (*query)(void *, MPI_Status *);
    int (*free)(void *);
    int (*poll)(void *, MPI_Status *);
    struct adl_bell *bell; /* of the last nap */
    uint32_t seen;
} req;

void adl_progress_add(struct adl_task *task)
{
    req.task = task;
}

int adl_progress_step(void)
{
    req.steps++;
    return 0;
}

int adl_progress_polls(void)
{
    return 1;
}

void adl_pause_begin(struct adl_pause *p, MPI_Comm comm)
{
    (void)comm;
    memset(p, 0, sizeof(*p));
    req.begins++;
}

void adl_pause(struct adl_pause *p, struct adl_bell *bell, uint32_t seen)
{
    req.bell = bell;
    req.seen = seen;
    req.naps++;
    req.longest = p->longest;
    if (req.in_nap)
        req.in_nap();
}

int64_t adl_requests_waiting(void)
{
    return req.waiting;
}

void adl_requests_note(ADIO_File fd, int code, MPI_Status *status)
{
    (void)fd, (void)status;
    req.noted++;
    req.code = code;
}

int adl_outcome_code(ADIO_File fd, const char *where,
                     const struct adl_outcome *outcome)
{
    (void)fd, (void)where;
    assert_true(world.can_mpi);
    return CODE - outcome->error;
}

void adl_selection_own(struct adl_selection *sel)
{
    (void)sel;
}

void adl_selection_begin(struct adl_selection *sel)
{
    (void)sel;
}

void adl_access_fini(struct adl_access *acc)
{
    (void)acc;
}

int PMPIX_Grequest_class_create(MPI_Grequest_query_function *query,
                                MPI_Grequest_free_function *release,
                                MPI_Grequest_cancel_function *cancel,
                                MPIX_Grequest_poll_function *poll,
                                MPIX_Grequest_wait_function *wait,
                                MPIX_Grequest_class *class)
{
    (void)cancel, (void)wait;
    req.query = query;
    req.free = release;
    req.poll = poll;
    *class = 1;
    return MPI_SUCCESS;
}

int PMPIX_Grequest_class_allocate(MPIX_Grequest_class class, void *state,
                                  MPI_Request *request)
{
    (void)class;
    req.state = state;
    *request = (MPI_Request)1;
    return MPI_SUCCESS;
}

int PMPI_Grequest_complete(MPI_Request request)
{
    (void)request;
    assert_true(world.can_mpi);
    req.completed++;
    return MPI_SUCCESS;
}

int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type,
                               MPI_Count n)
{
    (void)status, (void)type;
    req.elements = n;
    return MPI_SUCCESS;
}

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    (void)status, (void)flag;
    return MPI_SUCCESS;
}

/* Without an engine: the words of the other ranks are all right. */
static int agreed;

int PMPI_Iallreduce(const void *mine, void *all, int n, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    (void)n, (void)type, (void)comm;
    assert_true(op == MPI_MINLOC);
    memcpy(all, mine, 2 * sizeof(int));
    *request = (MPI_Request)2;
    return MPI_SUCCESS;
}

int adl_progress_test(MPI_Request *request, MPI_Status *status)
{
    (void)request, (void)status;
    return agreed;
}

/* ---- a world ---- */

static void world_begin(void)
{
    memset(&meeting, 0, sizeof(meeting));
    memset(&rank, 0, sizeof(rank));
    memset(&world, 0, sizeof(world));
    for (int r = 0; r < RANKS; r++) {
        struct rank *me = &rank[r];

        me->fd.fd_sys = r;
        me->fd.filename = (char *)"f";
        me->fd.fs_ptr = &me->file;
        me->file.rank = r;
        me->file.nprocs = RANKS;
        me->file.on_lustre = 1;
        me->file.nodes.count = 2;
        me->file.aggs.count = 2;
        me->file.reach = INT64_MAX;
        me->file.hints.cb_write = me->file.hints.cb_read = ADL_ENABLE;
        me->agree.rank = r;
        me->eng.agree = &me->agree;
        me->eng.file = &me->file;
        me->eng.rank = r;
        me->eng.size = RANKS;
        for (int i = 0; i < CALLS; i++)
            me->part[i] = (struct part){.start = (i * RANKS + r) * BYTES,
                                        .bytes = BYTES,
                                        .steps = (int)rng_in(&rng, 0, 4)};
    }
}

/* The copy of the hints that access.c makes when the call is issued. */
static void issue(int r, int i, int write)
{
    struct rank *me = &rank[r];
    struct adl_access *acc = &me->part[i].call.acc;

    acc->sel.bytes = me->part[i].bytes;
    acc->set.cb_write = me->file.hints.cb_write;
    acc->set.cb_read = me->file.hints.cb_read;
    acc->set.atomic = me->fd.atomicity;
    acc->set.same_io_size = me->file.hints.same_io_size;
    acc->set.ds_read = ADL_AUTOMATIC;
    adl_call_start(&me->part[i].call, &me->fd, &me->eng, write);
}

/* Step a random call of a random rank until all `n` of all are done. */
static void step_all(int n, void (*between)(int r))
{
    int left = RANKS * n;

    for (int turns = 0; left > 0; turns++) {
        int r = (int)rng_in(&rng, 0, RANKS - 1);
        int i = (int)rng_in(&rng, 0, n - 1);
        struct part *p = &rank[r].part[i];

        assert_true(turns < 100000);
        if (between)
            between(r);
        if (p->call.phase == ADL_DONE || !adl_call_step(&p->call))
            continue;
        p->order = rank[r].done++;
        left--;
    }
}

/* ---- tests ---- */

/* Several calls are outstanding; whichever is stepped, they are done in the
 * order in which they were made, each once, on every rank. The aggregators
 * write: a rank then forgets the locks of its own blocks. */
static void test_order(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        world_begin();
        for (int r = 0; r < RANKS; r++)
            for (int i = 0; i < CALLS; i++)
                issue(r, i, i % 2);
        step_all(CALLS, NULL);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(rank[r].claimed, CALLS / 2);
            assert_int_equal(rank[r].forgotten, CALLS / 2);
        }
        for (int r = 0; r < RANKS; r++)
            for (int i = 0; i < CALLS; i++) {
                const struct part *p = &rank[r].part[i];

                assert_int_equal(p->order, i);
                assert_int_equal(p->exchanged, 1);
                assert_int_equal(p->alone, 0);
                assert_int_equal(p->call.rc, 0);
                assert_int_equal(p->call.bytes, BYTES);
                assert_int_equal(p->call.terms.start, i * RANKS * BYTES);
                assert_int_equal(p->call.terms.end, (i + 1) * RANKS * BYTES);
            }
    }
}

/* Hints and the atomic mode change on each rank at a time of its own, while
 * calls are outstanding. A call is done by those it was issued with. */
static void change_hints(int r)
{
    struct rank *me = &rank[r];

    if (!rng_chance(&rng, 20))
        return;
    me->file.hints.cb_write = me->file.hints.cb_read = ADL_DISABLE;
    me->file.hints.same_io_size = 1;
    me->fd.atomicity = 1;
}

static void test_settings(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        world_begin();
        for (int r = 0; r < RANKS; r++) {
            rank[r].part[1].bytes = BYTES * (r + 1);
            for (int i = 0; i < CALLS; i++) {
                rank[r].fd.atomicity = i == 2;
                rank[r].file.hints.cb_read = i == 4 ? ADL_DISABLE : ADL_ENABLE;
                issue(r, i, i % 2);
            }
        }
        step_all(CALLS, change_hints);
        for (int r = 0; r < RANKS; r++)
            for (int i = 0; i < CALLS; i++) {
                assert_int_equal(rank[r].part[i].exchanged, i != 2 && i != 4);
                assert_int_equal(rank[r].part[i].alone, i == 2 || i == 4);
                assert_int_equal(rank[r].part[i].call.rc, 0);
            }
    }
}

/* An error of one rank is that of all, with its place; the worst counts; a
 * failed call has moved no byte, and the calls behind it are done. */
static void test_error(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        world_begin();
        rank[2].part[1].rc = -ENOSPC;
        rank[1].part[1].rc = -EIO;
        for (int r = 0; r < RANKS; r++)
            for (int i = 0; i < 3; i++)
                issue(r, i, 1);
        step_all(3, NULL);
        for (int r = 0; r < RANKS; r++) {
            const struct adl_call *c = &rank[r].part[1].call;

            assert_int_equal(rank[r].part[0].call.rc, 0);
            assert_int_equal(c->rc, -ENOSPC);
            assert_int_equal(c->outcome.rank, 2);
            assert_int_equal(c->outcome.offset, rank[2].part[1].start);
            assert_int_equal(c->bytes, 0);
            assert_int_equal(rank[r].file.spoiled, 1);
            assert_int_equal(rank[r].part[2].call.rc, 0);
            assert_int_equal(rank[r].part[2].call.bytes, BYTES);
        }
    }
}

/* A promise that a rank does not keep: no rank moves a byte. */
static void test_promise(void **state)
{
    (void)state;
    world_begin();
    rank[1].part[0].bytes = BYTES / 2;
    for (int r = 0; r < RANKS; r++) {
        rank[r].file.hints.same_io_size = 1;
        issue(r, 0, 1);
    }
    step_all(1, NULL);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(rank[r].part[0].call.rc, -EINVAL);
        assert_int_equal(rank[r].part[0].exchanged + rank[r].part[0].alone, 0);
    }
}

/* One rank's view goes back: every rank moves its own pieces. Under a group
 * lock all agree once more, when each knows that it must give the lock back. */
static void test_tangled(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        world_begin();
        rank[0].part[0].flags = ADL_CLAIM_TANGLED;
        for (int r = 0; r < RANKS; r++) {
            rank[r].file.locks.mode = mode;
            issue(r, 0, 0);
        }
        step_all(1, NULL);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(rank[r].part[0].exchanged, 0);
            assert_int_equal(rank[r].part[0].alone, 1);
            assert_int_equal(rank[r].part[0].call.rc, 0);
            assert_int_equal(rank[r].prepared[0], 1);
            assert_int_equal(rank[r].prepared[1], mode == 1);
        }
    }
}

enum { NAP_STEP = 3, NAP_LAST = 6 };
static int begins_at[NAP_LAST + 2];

/* In the third nap the leaders take a step; from the sixth on the others are
 * there. */
static void while_it_naps(void)
{
    if (req.naps <= NAP_LAST)
        begins_at[req.naps] = req.begins;
    if (req.naps == NAP_STEP)
        steps_taken = 1;
    for (int r = 1; r < RANKS && req.naps >= NAP_LAST; r++)
        adl_call_step(&rank[r].part[0].call);
}

/* A rank whose agreement has moved on does not go on with long naps. */
static void test_near(void **state)
{
    (void)state;
    world_begin();
    for (int r = 0; r < RANKS; r++)
        issue(r, 0, 1);
    req.naps = req.begins = 0;
    req.in_nap = while_it_naps;
    adl_call_wait(&rank[0].part[0].call);
    req.in_nap = NULL;
    steps_taken = 0;
    assert_int_equal(rank[0].part[0].exchanged, 1);
    assert_true(req.naps >= NAP_LAST);
    for (int i = 2; i <= NAP_LAST; i++)
        assert_int_equal(begins_at[i] - begins_at[i - 1], i == NAP_STEP + 1);
}

static struct adl_node_state node;
static int naps_on_windows;

static void while_it_serves(void)
{
    if (req.bell == &node.windows) {
        naps_on_windows++;
        assert_int_equal(req.seen, adl_bell_read(&node.windows));
    }
    for (int r = 1; r < RANKS; r++)
        adl_call_step(&rank[r].part[0].call);
}

/* An aggregator that waits for messages sleeps on the bell of its windows: its
 * io thread ends the nap when it has read one. */
static void test_serving(void **state)
{
    struct adl_segment seg = {.node = &node};

    (void)state;
    world_begin();
    naps_on_windows = 0;
    rank[0].eng.seg = &seg;
    rank[0].part[0].quiet = ADL_WAIT_LOOKS + 4;
    for (int r = 0; r < RANKS; r++)
        issue(r, 0, 0);
    req.in_nap = while_it_serves;
    adl_call_wait(&rank[0].part[0].call);
    req.in_nap = NULL;
    assert_int_equal(rank[0].part[0].exchanged, 1);
    assert_true(naps_on_windows >= 3);
}

/* A request of rank 0 that moves no bytes. Returns its call. */
static struct adl_call *request_begin(int with_engine, int rc)
{
    struct adl_access acc = {.sel.error = rc, .set.cb_write = ADL_DISABLE};
    MPI_Request request;

    world_begin();
    req.task = NULL;
    req.completed = req.noted = req.naps = req.steps = 0;
    agreed = 0;
    rank[0].file.engine = with_engine ? &rank[0].eng : NULL;
    assert_int_equal(adl_request_start(&rank[0].fd, &acc, 1, &request), 0);
    assert_non_null(req.task);
    assert_int_equal(rank[0].fd.async_count, 1);
    return req.state; /* its first member */
}

static void request_end(int code)
{
    MPI_Status status;

    assert_int_equal(req.completed, 1);
    assert_int_equal(rank[0].fd.async_count, 0);
    assert_int_equal(req.query(req.state, &status), MPI_SUCCESS);
    assert_int_equal(req.elements, 0);
    assert_int_equal(req.noted, code != MPI_SUCCESS);
    if (code != MPI_SUCCESS)
        assert_int_equal(req.code, code);
    assert_int_equal(req.free(req.state), MPI_SUCCESS);
}

/* Where no engine is there the rank's part is done at once, without waiting;
 * the request completes when all have agreed. A thread that must not call MPI
 * does not complete it. */
static void test_request(void **state)
{
    (void)state;
    for (int rc = 0; rc >= -EIO; rc -= EIO) {
        struct adl_call *call = request_begin(0, rc);

        assert_int_equal(call->phase, ADL_END);
        assert_int_equal(req.task->needs_mpi, 1);
        assert_int_equal(req.task->step(req.task->arg, 1), ADL_STEP_IDLE);
        agreed = 1;
        assert_int_equal(req.task->step(req.task->arg, 0), ADL_STEP_MOVED);
        assert_int_equal(req.task->step(req.task->arg, 0), ADL_STEP_IDLE);
        assert_int_equal(world.said + req.completed, 0);
        world.can_mpi = 1;
        assert_int_equal(req.task->step(req.task->arg, 1), ADL_STEP_DONE);
        req.task->done(req.task->arg);
        assert_int_equal(world.said, 1);
        request_end(rc < 0 ? CODE - rc : MPI_SUCCESS);
    }
}

/* MPI polls a request from MPI_Test too, which must not sleep. */
static void test_poll(void **state)
{
    MPI_Status status;

    (void)state;
    request_begin(0, 0);
    req.waiting = 0;
    req.steps = 0;
    for (int i = 0; i < 10; i++)
        assert_int_equal(req.poll(req.state, &status), MPI_SUCCESS);
    assert_int_equal(req.naps, 0);
    assert_int_equal(req.steps, 10);
    req.waiting = 3;
    assert_int_equal(req.poll(req.state, &status), MPI_SUCCESS);
    assert_int_equal(req.naps, 1);
    assert_int_equal(req.longest, ADL_WAIT_POLL_NAP);
    req.free(req.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),   cmocka_unit_test(test_settings),
        cmocka_unit_test(test_error),   cmocka_unit_test(test_promise),
        cmocka_unit_test(test_tangled), cmocka_unit_test(test_near),
        cmocka_unit_test(test_serving), cmocka_unit_test(test_request),
        cmocka_unit_test(test_poll),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    rng = rng_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
