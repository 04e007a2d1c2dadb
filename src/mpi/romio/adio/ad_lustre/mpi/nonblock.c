/* nonblock.c - collective calls that return at once */
#include "nonblock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "../ad_lustre.h"
#include "coll.h"
#include "engine.h"
#include "exchange.h"
#include "exchange_read.h"
#include "indep.h"

enum phase {
    WAITING, /* an earlier call is not through */
    START,   /* the start agreement is under way */
    MOVE,
    END, /* the end agreement is under way */
    DONE,
};

struct call {
    ADIO_File fd;
    struct adl_engine *eng;
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
    struct call *next;
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

static void finish(struct call *c)
{
    c->phase = DONE;
    c->rc = c->claim.error;
    adl_coll_ended(c->fd, c->eng, &c->acc, &c->claim);
    adl_prof_collective(c->eng->file->prof, c->write ? ADL_WRITES : ADL_READS,
                        &c->acc.time, c->bytes, &c->claim);
    c->fd->async_count--;
    PMPI_Grequest_complete(c->request);
}

/* Take a call as far as it goes without waiting. */
static void step(struct call *c)
{
    if (c->phase == WAITING)
        begin(c);
    if (c->phase == START && agreed(c))
        start_moving(c);
    if (c->phase == MOVE && step_moving(c))
        begin_end(c);
    if (c->phase == END && agreed(c))
        finish(c);
}

/* Step the first call in the line, and those behind it as it finishes. */
static void step_all(struct adl_engine *eng)
{
    struct call *c;

    while ((c = eng->first)) {
        step(c);
        if (c->phase != DONE)
            return;
        eng->first = c->next;
        if (!eng->first)
            eng->last = &eng->first;
    }
}

static int query(void *state, MPI_Status *status)
{
    struct call *c = state;

    PMPI_Status_set_elements_x(status, MPI_BYTE, c->bytes);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return adl_error_code(c->fd, "nonblocking collective", c->rc);
}

static int release(void *state)
{
    struct call *c = state;

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

    (void)status;
    if (c->phase != DONE)
        step_all(c->eng);
    return MPI_SUCCESS;
}

static int wait_all(int count, void **states, double timeout,
                    MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++) {
        struct call *c = states[i];

        while (c->phase != DONE) {
            step_all(c->eng);
            if (c->phase != DONE)
                sched_yield();
        }
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
        c->phase = DONE;
        c->fd->async_count--;
        PMPI_Grequest_complete(c->request);
        return;
    }
    *eng->last = c;
    eng->last = &c->next;
    step_all(eng);
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

    while (eng && eng->first) {
        step_all(eng);
        if (eng->first)
            sched_yield();
    }
}
