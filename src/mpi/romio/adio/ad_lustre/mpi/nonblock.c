/* nonblock.c - collective calls that return at once */
#include "nonblock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../ad_lustre.h"
#include "../sys/clock.h"
#include "coll.h"
#include "engine.h"
#include "exchange.h"
#include "exchange_read.h"
#include "indep.h"
#include "progress.h"
#include "requests.h"

enum phase {
    WAITING, /* an earlier call is not through */
    START,   /* the start agreement is under way */
    MOVE,
    END,   /* the end agreement is under way */
    ENDED, /* the request can be completed, where MPI may be called */
};

/* Who looks again within a microsecond, a hundred times running, does nothing
 * but wait (MPI_Wait of MPICH 4.0 does), and may as well sleep a little. */
enum { RAPID_NS = 1000, RAPID_LOOKS = 100, RAPID_NAP_NS = 500000 };

struct call {
    struct adl_task task;
    ADIO_File fd;
    struct adl_engine *eng;
    int64_t number; /* among the file's nonblocking calls */
    struct adl_access acc;
    int write;
    enum phase phase;
    struct adl_claim claim; /* mine, then everybody's */
    union {
        struct adl_exchange put;
        struct adl_fetching get;
    } x;
    int alone, aggregated;
    int64_t stepping; /* ns */
    int64_t bytes;
    int rc;
    MPI_Request request; /* the user's */
    int completed;       /* ... and is, or about to be */
    struct adl_pause pause;
    int64_t looked; /* when the application did last, ns */
    int rapid;      /* looks that came at once after the one before */
};

static void begin(struct call *c)
{
    struct adl_engine *eng = c->eng;

    adl_prof_mark(eng->file->prof, &c->acc.time, ADL_BEGAN);
    adl_access_claim(&c->acc, &eng->plan, &c->claim);
    c->alone = adl_coll_alone(c->fd, eng, c->write);
    adl_lockmode_prepare(c->fd, c->write, c->alone, &c->claim);
    if (c->write)
        adl_exchange_prepare(eng, &c->acc);
    else
        adl_fetching_prepare(eng, &c->acc);
    adl_prof_mark(eng->file->prof, &c->acc.time, ADL_ASKED);
    adl_agree_begin(eng->agree, &c->claim);
    c->phase = START;
}

/* Not aggregated: this rank's part is done at once. */
static void move_alone(struct call *c)
{
    if (c->write) {
        c->rc = adl_indep_write_access(c->fd, &c->acc);
        c->bytes = c->rc ? 0 : c->acc.bytes;
    } else {
        c->rc = adl_indep_read_access(c->fd, &c->acc, &c->bytes);
    }
}

static void start_moving(struct call *c)
{
    c->phase = MOVE;
    adl_prof_mark(c->eng->file->prof, &c->acc.time, ADL_AGREED);
    adl_lockmode_start(c->fd, c->write, c->alone, &c->claim);
    c->rc = adl_coll_verdict(c->eng, &c->acc, &c->claim);
    if (c->rc < 0)
        return;
    c->aggregated = adl_coll_aggregates(c->fd, c->eng, &c->claim, c->write);
    if (!c->aggregated) {
        move_alone(c);
    } else if (c->write) {
        if (c->eng->file->aggs.mine >= 0)
            c->fd->dirty_write = 1;
        adl_exchange_start(&c->x.put, c->eng, &c->acc, &c->claim, c->fd);
    } else {
        adl_fetching_start(&c->x.get, c->eng, &c->acc, &c->claim, c->fd);
    }
}

static int step_moving(struct call *c)
{
    int64_t t = adl_prof_now(c->eng->file->prof);
    int done;

    if (!c->aggregated)
        return 1;
    done =
        c->write ? adl_exchange_step(&c->x.put) : adl_fetching_step(&c->x.get);
    c->stepping += adl_prof_now(c->eng->file->prof) - t;
    if (!done)
        return 0;
    if (c->write) {
        c->rc = adl_exchange_end(&c->x.put);
        c->bytes = c->rc ? 0 : c->acc.bytes;
    } else {
        c->rc = adl_fetching_end(&c->x.get);
        c->bytes = c->x.get.bytes;
    }
    return 1;
}

static int agreed(struct call *c)
{
    return adl_agree_test(c->eng->agree, &c->claim);
}

static void begin_end(struct call *c)
{
    struct adl_claim claim;
    struct adl_timing *t = &c->acc.time;

    adl_coll_ending(c->eng, &c->acc, c->rc, &claim);
    t->idle = t->at[ADL_MOVED] - t->at[ADL_AGREED] - c->stepping;
    adl_agree_begin(c->eng->agree, &claim);
    c->phase = END;
}

/* Nobody's bytes count when the call failed for anybody. */
static void finish(struct call *c)
{
    c->phase = ENDED;
    c->rc = c->claim.error;
    if (c->rc < 0)
        c->bytes = 0;
    adl_coll_ended(c->fd, c->eng, &c->acc, &c->claim);
    adl_prof_collective(c->eng->file->prof, c->write ? ADL_WRITES : ADL_READS,
                        &c->acc.time, c->bytes, &c->claim);
    c->eng->finished++;
}

/* Calls of one file are done one after the other. */
static void advance(struct call *c)
{
    if (c->phase == WAITING && c->eng->finished == c->number)
        begin(c);
    if (c->phase == START && agreed(c))
        start_moving(c);
    if (c->phase == MOVE && step_moving(c))
        begin_end(c);
    if (c->phase == END && agreed(c))
        finish(c);
}

static enum adl_step step(void *arg, int mpi)
{
    struct call *c = arg;
    enum phase before = c->phase;

    advance(c);
    if (c->phase == ENDED && mpi)
        return ADL_STEP_DONE;
    return c->phase == before ? ADL_STEP_IDLE : ADL_STEP_MOVED;
}

/* The request is the application's from here on, and `c` may be gone. */
static void complete(void *arg)
{
    struct call *c = arg;
    MPI_Request request = c->request;

    c->fd->async_count--;
    __atomic_store_n(&c->completed, 1, __ATOMIC_RELEASE);
    PMPI_Grequest_complete(request);
}

static int query(void *state, MPI_Status *status)
{
    struct call *c = state;

    PMPI_Status_set_elements_x(status, MPI_BYTE, c->bytes);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    if (c->rc < 0)
        adl_requests_mark(status);
    return MPI_SUCCESS;
}

/* MPI may hold its lock: no call of MPI's here. */
static int release(void *state)
{
    struct call *c = state;

    if (c->rc < 0)
        adl_requests_note(c->fd, c->rc);
    adl_access_fini(&c->acc);
    free(c);
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static int poll(void *state, MPI_Status *status)
{
    struct call *c = state;
    int64_t now = adl_clock_ns();

    (void)status;
    c->rapid = now - c->looked < RAPID_NS ? c->rapid + 1 : 0;
    if (c->rapid == 0) {
        adl_pause_begin(&c->pause, c->fd->comm, 1);
        c->pause.longest = RAPID_NAP_NS;
    }
    c->pause.spin = c->rapid < RAPID_LOOKS ? INT64_MAX : 0;
    adl_pause(&c->pause, NULL, 0);
    c->looked = adl_clock_ns();
    return MPI_SUCCESS;
}

static int wait_all(int count, void **states, double timeout,
                    MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++) {
        struct call *c = states[i];
        struct adl_pause pause;

        adl_pause_begin(&pause, c->fd->comm, adl_file_of(c->fd)->nodes.size);
        while (!__atomic_load_n(&c->completed, __ATOMIC_ACQUIRE))
            adl_pause(&pause, NULL, 0);
    }
    return MPI_SUCCESS;
}

/* A class of requests can be made but not freed in MPI: one a process. */
static pthread_once_t class_once = PTHREAD_ONCE_INIT;
static MPIX_Grequest_class request_class;

static void make_class(void)
{
    PMPIX_Grequest_class_create(query, release, cancel, poll, wait_all,
                                &request_class);
}

static void move_at_once(struct call *c)
{
    struct adl_prof *prof = adl_file_of(c->fd)->prof;
    struct adl_timing *t = &c->acc.time;
    const struct adl_claim nobody = {0};

    for (int m = ADL_BEGAN; m <= ADL_AGREED; m++)
        adl_prof_mark(prof, t, m);
    move_alone(c);
    adl_prof_mark(prof, t, ADL_MOVED);
    adl_prof_collective(prof, c->write ? ADL_WRITES : ADL_READS, t, c->bytes,
                        &nobody);
}

/* Without an engine (no view was set, no collective call came before) making
 * one would wait for the other ranks; the rank's part is done at once. */
static void enlist(struct call *c)
{
    struct adl_engine *eng = c->eng;

    if (!eng) {
        move_at_once(c);
        complete(c);
        return;
    }
    c->number = eng->issued++;
    c->task.step = step;
    c->task.done = complete;
    c->task.arg = c;
    c->task.needs_mpi = eng->file->nodes.count > 1;
    adl_progress_add(&c->task);
    adl_progress_step();
}

static int launch(ADIO_File fd, struct adl_access *acc, int write,
                  MPI_Request *request)
{
    struct call *c = calloc(1, sizeof(*c));

    if (!c || adl_access_own(acc) < 0) {
        free(c);
        return -ENOMEM;
    }
    c->fd = fd;
    c->eng = adl_file_of(fd)->engine;
    c->write = write;
    c->acc = *acc;
    adl_access_rebase(&c->acc);
    pthread_once(&class_once, make_class);
    PMPIX_Grequest_class_allocate(request_class, c, &c->request);
    fd->async_count++;
    *request = c->request;
    enlist(c);
    return 0;
}

int adl_nonblock_write(ADIO_File fd, struct adl_access *acc,
                       MPI_Request *request)
{
    return launch(fd, acc, 1, request);
}

int adl_nonblock_read(ADIO_File fd, struct adl_access *acc,
                      MPI_Request *request)
{
    return launch(fd, acc, 0, request);
}

void adl_nonblock_drain(struct adl_file *f)
{
    struct adl_engine *eng = f->engine;
    struct adl_pause pause;

    if (!eng)
        return;
    adl_pause_begin(&pause, eng->comm, eng->seg->size);
    while (eng->finished < eng->issued)
        adl_pause(&pause, NULL, 0);
}
