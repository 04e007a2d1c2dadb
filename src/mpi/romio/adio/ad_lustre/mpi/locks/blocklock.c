/* blocklock.c - a rank's locks for blocks that it writes itself */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "blocklock.h"

#include <errno.h>

#include "../../core/coll/blockreach.h"
#include "../../core/text/minmax.h"
#include "../../sys/clock.h"
#include "../../sys/lustre.h"
#include "../file/descriptor.h"
#include "../file/job.h"
#include "lockmode.h"

#define BATCH 64 /* extents that are asked for at a time */

/* Extents that wait to be asked for. */
struct asking {
    ADIO_File fd;
    int rc;
    int64_t locks; /* that are asked for, of all objects */
    int n;
    struct adl_lock_ahead list[BATCH];
};

static void ask_now(struct asking *a)
{
    if (a->n > 0 && a->rc == 0)
        a->rc = adl_lustre_lock_now(a->fd->fd_sys, 1, a->list, a->n);
    a->n = 0;
}

static int64_t blocklock_count(const struct adl_file *f,
                               const struct adl_blockreach *r)
{
    int64_t stripe;
    int objects;

    adl_layout_stripe(f->layout, r->start, &stripe, &objects);
    if (stripe <= 0)
        return 1;
    return adl_min((r->end - 1) / stripe - r->start / stripe + 1, objects);
}

static void add_extent(struct asking *a, struct adl_blockreach *r,
                       const struct adl_claim *all)
{
    if (r->start < r->end)
        adl_blockreach_whole(r, all);
    if (r->start >= r->end)
        return;
    if (a->n == BATCH)
        ask_now(a);
    a->list[a->n++] = (struct adl_lock_ahead){.start = r->start, .end = r->end};
    a->locks += blocklock_count(adl_file_of(a->fd), r);
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
static void remember_time(const struct asking *a, int64_t ns)
{
    struct adl_job *job = adl_job();
    int64_t each = a->locks > 0 && a->rc == 0 ? ns / a->locks : 0;

    if (each > 0 && (job->lock_time == 0 || each < job->lock_time))
        job->lock_time = each;
}

void adl_blocklock_take(ADIO_File fd, const struct adl_access *acc,
                        const struct adl_claim *all)
{
    struct adl_file *f = adl_file_of(fd);
    struct asking a = {.fd = fd};
    int64_t began;

    if (!f->ahead || f->refused || f->nodes.count == 1 || acc->sel.bytes == 0 ||
        is_known(f, acc) || all->bytes / all->pieces >= adl_lockmode_from(fd) ||
        adl_descriptor_ready(fd, 0) < 0)
        return;
    began = adl_clock_ns();
    add_pieces(&a, acc, all);
    if (a.n == 1) /* all of it in one extent: worth remembering */
        f->blocks = (struct adl_blockreach){a.list[0].start, a.list[0].end};
    ask_now(&a);
    remember_time(&a, adl_clock_ns() - began);
    if (a.rc < 0)
        adl_blocklock_forget(f);
    f->refused = a.rc == -ENOTTY || a.rc == -EOPNOTSUPP || a.rc == -EINVAL;
}

void adl_blocklock_forget(struct adl_file *f)
{
    f->blocks = (struct adl_blockreach){0, 0};
}
