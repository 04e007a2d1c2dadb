/* blocklock.c - a rank's locks for blocks that it writes itself */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "blocklock.h"

#include <errno.h>

#include "../../core/coll/blockreach.h"
#include "../../core/coll/choice.h"
#include "../../sys/lockmany.h"
#include "../file/descriptor.h"
#include "../file/job.h"
#include "lockmode.h"

#define BATCH 64 /* extents that are asked for at a time */

/* Shorter than that a lock is not worth a thread, ns. */
#define SHORT 200000

/* Extents that wait to be asked for. */
struct asking {
    ADIO_File fd;
    int rc;
    int64_t locks;   /* that are asked for, of all objects */
    int64_t ns;      /* the time of the requests, one after the other */
    int64_t extents; /* all of them */
    struct adl_blockreach last;
    int n;
    struct adl_lock_ahead list[BATCH];
};

/* Threads that ask; how long a lock takes is known, or not yet. */
static int asking_threads(void)
{
    int64_t known = adl_job()->lock_time;

    return known > 0 && known < SHORT ? 1 : ADL_CHOICE_LOCKS;
}

static void ask_now(struct asking *a)
{
    int64_t ns;

    if (a->n > 0 && a->rc == 0) {
        a->rc =
            adl_lockmany(a->fd->fd_sys, a->list, a->n, asking_threads(), &ns);
        a->ns += ns;
    }
    a->n = 0;
}

/* One part of an extent, and the number of its locks. */
static void add_part(struct asking *a, const struct adl_blockreach *part,
                     int64_t locks)
{
    if (a->n == BATCH)
        ask_now(a);
    a->list[a->n++] =
        (struct adl_lock_ahead){.start = part->start, .end = part->end};
    a->locks += locks;
}

static void add_extent(struct asking *a, struct adl_blockreach *r,
                       const struct adl_claim *all)
{
    struct adl_blockreach rest, part;
    int64_t stripe;
    int objects;

    if (r->start < r->end)
        adl_blockreach_whole(r, all);
    if (r->start >= r->end)
        return;
    a->extents++;
    a->last = rest = *r;
    adl_layout_stripe(adl_file_of(a->fd)->layout, r->start, &stripe, &objects);
    while (adl_blockreach_part(&rest, stripe, objects, &part))
        add_part(a, &part,
                 part.end - part.start <= stripe || stripe <= 0 ? 1 : objects);
}

/* Pieces that follow each other in the file are one extent. */
static void add_pieces(struct asking *a, const struct adl_access *acc,
                       const struct adl_claim *all)
{
    struct adl_extents ext = acc->sel.ext;
    struct adl_blockreach r = {0};
    struct adl_piece piece;

    while (a->rc == 0 && adl_extents_next(&ext, INT64_MAX, &piece)) {
        if (r.end > r.start && piece.off == r.end) {
            r.end += piece.len;
            continue;
        }
        add_extent(a, &r, all);
        r = (struct adl_blockreach){piece.off, piece.off + piece.len};
    }
    add_extent(a, &r, all);
}

/* The extent of the last ones that were asked for has this access in it? */
static int is_known(const struct adl_file *f, const struct adl_access *acc)
{
    return adl_extents_low(&acc->sel.ext) >= f->blocks.start &&
           adl_extents_end(&acc->sel.ext) <= f->blocks.end;
}

void adl_blocklock_claim(ADIO_File fd, const struct adl_access *acc,
                         struct adl_claim *claim)
{
    if (acc->sel.bytes > 0 && !is_known(adl_file_of(fd), acc))
        claim->flags |= ADL_CLAIM_UNLOCKED;
    claim->lock_time = adl_job()->lock_time;
}

/* A longer time says less of the server: others may have kept this rank from
 * its lock. */
static void remember_time(const struct asking *a)
{
    struct adl_job *job = adl_job();
    int64_t each = a->locks > 0 && a->rc == 0 ? a->ns / a->locks : 0;

    if (each > 0 && (job->lock_time == 0 || each < job->lock_time))
        job->lock_time = each;
}

void adl_blocklock_take(ADIO_File fd, const struct adl_access *acc,
                        const struct adl_claim *all)
{
    struct adl_file *f = adl_file_of(fd);
    struct asking a = {.fd = fd};

    if (!f->ahead || f->refused || f->nodes.count == 1 || acc->sel.bytes == 0 ||
        is_known(f, acc) || all->bytes / all->pieces >= adl_lockmode_from(fd) ||
        adl_descriptor_ready(fd, 0) < 0)
        return;
    add_pieces(&a, acc, all);
    if (a.extents == 1) /* all of it in one extent: worth remembering */
        f->blocks = a.last;
    ask_now(&a);
    remember_time(&a);
    if (a.rc < 0)
        adl_blocklock_forget(f);
    f->refused = a.rc == -ENOTTY || a.rc == -EOPNOTSUPP || a.rc == -EINVAL;
}

void adl_blocklock_forget(struct adl_file *f)
{
    f->blocks = (struct adl_blockreach){0, 0};
}
