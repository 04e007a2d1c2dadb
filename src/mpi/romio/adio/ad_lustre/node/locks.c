/* locks.c - an aggregator's Lustre locks: those it has, and those it asks for
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "locks.h"

#include <errno.h>
#include <stdlib.h>

#include "../sys/clock.h"
#include "../sys/lustre.h"
#include <string.h>

void adl_locks_init(struct adl_locks *lk)
{
    memset(lk, 0, sizeof(*lk));
    lk->fd = -1;
    lk->lo = INT64_MAX;
}

void adl_locks_fini(struct adl_locks *lk)
{
    adl_lockwindow_destroy(lk->window[0]);
    adl_lockwindow_destroy(lk->window[1]);
    free(lk->ask);
    adl_locks_init(lk);
}

int adl_locks_exact(struct adl_locks *lk, int fd, int want)
{
    int64_t t;
    int rc;

    if ((lk->exact == fd + 1) == want)
        return 0;
    t = adl_clock_ns();
    rc = adl_lustre_lock_noexpand(fd, want);
    lk->counts.ns += adl_clock_ns() - t;
    if (rc == 0)
        lk->exact = want ? fd + 1 : 0;
    return rc;
}

/* An error means no lock: the write then gets its own. Nothing is lost but
 * time; still, what fails once will fail again. */
static void ask_for(struct adl_locks *lk, int write,
                    const struct adl_lockwish *wish, int n)
{
    int64_t t = adl_clock_ns();
    int rc;

    for (int i = 0; i < n; i++)
        lk->ask[i] =
            (struct adl_lock_ahead){.start = wish[i].start, .end = wish[i].end};
    rc = adl_lustre_lock_ahead(lk->fd, write, lk->ask, n);
    if (rc < 0)
        lk->trouble = -rc;
    lk->counts.ns += adl_clock_ns() - t;
}

void adl_locks_begin(struct adl_locks *lk, int write)
{
    const struct adl_lockwish *wish;
    int n;

    if (!lk->window[write] || lk->trouble)
        return;
    n = adl_lockwindow_begin(lk->window[write], &wish);
    if (n > 0)
        ask_for(lk, write, wish, n);
}

void adl_locks_access(struct adl_locks *lk, int write, int64_t off)
{
    const struct adl_lockwish *wish;
    int n;

    if (!lk->window[write] || lk->trouble)
        return;
    n = adl_lockwindow_access(lk->window[write], off, &wish);
    if (n > 0)
        ask_for(lk, write, wish, n);
    if (write)
        lk->counts.ahead = *adl_lockwindow_counts(lk->window[1]);
}
