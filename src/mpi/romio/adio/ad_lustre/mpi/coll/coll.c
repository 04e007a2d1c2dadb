/* coll.c - entry of blocking collective reads and writes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "coll.h"

#include <errno.h>

#include "../locks/lockmode.h"
#include "../progress/progress.h"

/* The first call makes the engine. A rank that comes late to that must not
 * look like one that takes long. */
static int make_engine(ADIO_File fd, struct adl_timing *t,
                       struct adl_engine **eng)
{
    struct adl_prof *prof = adl_file_of(fd)->prof;
    int64_t began = adl_prof_now(prof);
    int rc;

    adl_prof_mark(prof, t, ADL_BEGAN);
    adl_overdue_in("the first collective read or write");
    if (prof && prof->timers)
        PMPI_Barrier(fd->comm);
    t->setup_wait = adl_prof_now(prof) - began;
    rc = adl_engine_get(fd, eng);
    adl_overdue_in(NULL);
    t->setup = adl_prof_now(prof) - began - t->setup_wait;
    return rc;
}

/* Without memory for an engine every rank moves its own bytes. */
static void move_without(ADIO_File fd, struct adl_call *call, int write)
{
    struct adl_pause pause;

    call->rc = 0;
    adl_call_at_once(call, fd, write);
    adl_pause_begin(&pause, fd->comm);
    while (!adl_call_step(call))
        adl_pause(&pause, NULL, 0);
}

void adl_coll_move(ADIO_File fd, struct adl_call *call, int write)
{
    struct adl_engine *eng = adl_file_of(fd)->engine;

    if (!eng)
        call->rc = make_engine(fd, &call->acc.time, &eng);
    if (call->rc == -ENOMEM) {
        move_without(fd, call, write);
        return;
    }
    if (call->rc < 0) {
        call->outcome = (struct adl_outcome){.error = call->rc, .offset = -1};
        return;
    }
    adl_call_start(call, fd, eng, write);
    adl_call_wait(call);
    adl_lockmode_say(fd);
}

void adl_coll_ready(ADIO_File fd)
{
    const struct adl_file *f = adl_file_of(fd);
    struct adl_engine *eng;

    if (f->nprocs > 1 &&
        (f->hints.cb_write != ADL_DISABLE || f->hints.cb_read != ADL_DISABLE))
        adl_engine_get(fd, &eng);
}
