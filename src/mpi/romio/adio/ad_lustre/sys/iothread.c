/* iothread.c - a thread for file I/O beside the thread that calls MPI */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "iothread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct adl_iothread {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* a task came, a task ended, or quit */
    struct adl_iotask *first, **last;
    struct adl_bell ended;
    int quit;
};

/* The next task; NULL if the thread must end and no task is left. Mutex held.
 */
static struct adl_iotask *take(struct adl_iothread *t)
{
    struct adl_iotask *task;

    while (!t->first && !t->quit)
        pthread_cond_wait(&t->changed, &t->mutex);
    task = t->first;
    if (task) {
        t->first = task->next;
        if (!t->first)
            t->last = &t->first;
    }
    return task;
}

static void *work(void *arg)
{
    struct adl_iothread *t = arg;
    struct adl_iotask *task;

    pthread_mutex_lock(&t->mutex);
    while ((task = take(t))) {
        pthread_mutex_unlock(&t->mutex);
        task->run(task);
        pthread_mutex_lock(&t->mutex);
        task->done = 1;
        pthread_cond_broadcast(&t->changed);
        adl_bell_ring(&t->ended);
    }
    pthread_mutex_unlock(&t->mutex);
    return NULL;
}

/* Signals are the application's: its threads must get them, not ours. */
static int start(struct adl_iothread *t)
{
    sigset_t all, old;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&t->thread, NULL, work, t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc == EAGAIN ? -ENOMEM : -rc;
}

int adl_iothread_create(struct adl_iothread **out)
{
    struct adl_iothread *t = calloc(1, sizeof(*t));
    int rc;

    if (!t)
        return -ENOMEM;
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->last = &t->first;
    rc = start(t);
    if (rc < 0)
        free(t);
    else
        *out = t;
    return rc;
}

void adl_iothread_destroy(struct adl_iothread *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->mutex);
    t->quit = 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->mutex);
    free(t);
}

void adl_iothread_submit(struct adl_iothread *t, struct adl_iotask *task)
{
    task->done = 0;
    task->next = NULL;
    pthread_mutex_lock(&t->mutex);
    *t->last = task;
    t->last = &task->next;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

int adl_iothread_done(struct adl_iothread *t, struct adl_iotask *task)
{
    int done;

    pthread_mutex_lock(&t->mutex);
    done = task->done;
    pthread_mutex_unlock(&t->mutex);
    return done;
}

void adl_iothread_wait(struct adl_iothread *t, struct adl_iotask *task)
{
    pthread_mutex_lock(&t->mutex);
    while (!task->done)
        pthread_cond_wait(&t->changed, &t->mutex);
    pthread_mutex_unlock(&t->mutex);
}

struct adl_bell *adl_iothread_bell(struct adl_iothread *t)
{
    return &t->ended;
}
