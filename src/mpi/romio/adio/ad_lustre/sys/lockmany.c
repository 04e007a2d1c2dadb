/* lockmany.c - asks for several locks at the same time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lockmany.h"

#include "../core/text/minmax.h"
#include "clock.h"
#include "iothread.h"

/* What one thread asks for. */
struct share {
    struct adl_iotask task;
    struct adl_iothread *thread; /* NULL: the caller's */
    int fd, n, rc;
    struct adl_lock_ahead *locks;
    int64_t ns;
};

static void ask_share(struct adl_iotask *task)
{
    struct share *s = (struct share *)task;
    int64_t began = adl_clock_ns();

    s->rc = adl_lustre_lock_now(s->fd, 1, s->locks, s->n);
    s->ns = adl_clock_ns() - began;
}

static void begin_share(struct share *s)
{
    if (adl_iothread_create(&s->thread) < 0)
        s->thread = NULL;
    else
        adl_iothread_submit(s->thread, &s->task);
}

static void end_share(struct share *s)
{
    if (!s->thread) {
        ask_share(&s->task);
        return;
    }
    adl_iothread_wait(s->thread, &s->task);
    adl_iothread_destroy(s->thread);
}

int adl_lockmany(int fd, struct adl_lock_ahead *locks, int n, int threads,
                 int64_t *ns)
{
    struct share share[ADL_LOCKMANY];
    int m = (int)adl_min(adl_min(threads, ADL_LOCKMANY), n), rc = 0;

    for (int i = 0; i < m; i++) {
        int first = n * i / m;

        share[i] = (struct share){.task = {.run = ask_share},
                                  .fd = fd,
                                  .n = n * (i + 1) / m - first,
                                  .locks = locks + first};
        if (i > 0)
            begin_share(&share[i]);
    }
    *ns = 0;
    for (int i = 0; i < m; i++) {
        end_share(&share[i]); /* the first one is the caller's */
        *ns += share[i].ns;
        rc = rc < 0 ? rc : share[i].rc;
    }
    return rc;
}
