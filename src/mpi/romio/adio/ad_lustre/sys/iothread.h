/* iothread.h - a thread for file I/O beside the thread that calls MPI
 *
 * The thread runs tasks in the order in which they were submitted. Tasks never
 * call MPI, so that any MPI thread level is enough.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_IOTHREAD_H
#define ADL_IOTHREAD_H

#include "futex.h"

struct adl_iothread;

/* A task. The caller embeds it in a struct of its own, which must exist until
 * the task is done. */
struct adl_iotask {
    void (*run)(struct adl_iotask *task);
    struct adl_iotask *next;
    int done;
};

/* 0 or -errno; -ENOMEM also where the process may have no more threads. */
int adl_iothread_create(struct adl_iothread **out);
/* Finishes what was submitted. Accepts NULL. */
void adl_iothread_destroy(struct adl_iothread *thread);

void adl_iothread_submit(struct adl_iothread *thread, struct adl_iotask *task);
int adl_iothread_done(struct adl_iothread *thread, struct adl_iotask *task);
void adl_iothread_wait(struct adl_iothread *thread, struct adl_iotask *task);
/* Rings when a task is done. */
struct adl_bell *adl_iothread_bell(struct adl_iothread *thread);

#endif
