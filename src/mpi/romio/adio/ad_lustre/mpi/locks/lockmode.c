/* lockmode.c - how the aggregators get their Lustre locks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lockmode.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../../core/coll/claim.h"
#include "../../core/coll/outcome.h"
#include "../../sys/clock.h"
#include "../../sys/inode.h"
#include "../../sys/llite.h"
#include "../../sys/lustre.h"
#include "../../sys/lustre_abi.h"
#include "../file/descriptor.h"
#include "../file/file.h"
#include "../file/info.h"
#include "../file/job.h"

#define FEW 8 /* unused locks that are not given back */

int adl_lockmode_gid(uint64_t inode)
{
    uint64_t h = inode * UINT64_C(0x9e3779b97f4a7c15);

    return (int)(h >> 33) | 1;
}

int adl_lockmode_own_gid(void)
{
    uint64_t seed = 0;

    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
        seed = (uint64_t)adl_clock_ns() ^ ((uint64_t)getpid() << 40);
    return adl_lockmode_gid(seed);
}

static struct adl_locks *locks_of(ADIO_File fd)
{
    return &adl_file_of(fd)->locks;
}

/* ---- whether lockahead works ---- */

int adl_lockmode_works(int fd)
{
    struct adl_filesystem *fs;
    struct adl_inode inode;

    if (adl_inode_look(fd, 0, &inode) < 0)
        return 0;
    fs = adl_job_filesystem(inode.dev);
    if (!fs->lockahead_asked)
        fs->lockahead_works = adl_lustre_lock_noexpand(fd, 1) == 0 &&
                              adl_lustre_lock_noexpand(fd, 0) == 0;
    fs->lockahead_asked = 1;
    return fs->lockahead_works;
}

/* Not for the next file either, if it is the file system that has it not. */
static void note_failure(int fd, int why)
{
    struct adl_filesystem *fs;
    struct adl_inode inode;

    if ((why == EOPNOTSUPP || why == ENOTTY || why == EINVAL) && fd >= 0 &&
        adl_inode_look(fd, 0, &inode) == 0) {
        fs = adl_job_filesystem(inode.dev);
        fs->lockahead_asked = 1;
        fs->lockahead_works = 0;
    }
}

/* ---- giving up ---- */

static void say_why(struct adl_file *f, int mode, int why)
{
    static const char *const name[] = {"", "group lock", "lockahead"};

    adl_notes_add(&f->notes,
                  "cray_cb_write_lock_mode=%d does not work here (%s: %s); "
                  "using 0",
                  mode, name[mode], strerror(why));
    adl_info_report(f, NULL, 0);
}

/* Local, on all ranks: from now on mode 0. No MPI here: a step of a nonblocking
 * call may be where MPI must not be called. */
static void turn_off(ADIO_File fd, int why)
{
    struct adl_locks *lm = locks_of(fd);

    lm->unsaid_mode = lm->mode ? lm->mode : 2;
    lm->unsaid_why = why;
    lm->mode = lm->ahead_read = 0;
    lm->counts.turned_off = why;
    if (lm->exact == fd->fd_sys + 1)
        adl_lustre_lock_noexpand(fd->fd_sys, 0);
    lm->exact = 0;
    for (int w = 0; w < 2; w++) {
        adl_lockwindow_destroy(lm->window[w]);
        lm->window[w] = NULL;
    }
}

void adl_lockmode_say(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int mode = f->locks.unsaid_mode, why = f->locks.unsaid_why;

    if (!mode)
        return;
    f->locks.unsaid_mode = 0;
    adl_info_publish(fd, f);
    if (mode != 1)
        note_failure(fd->fd_sys, why);
    say_why(f, mode, why);
}

void adl_lockmode_begin(struct adl_file *f)
{
    f->locks.mode = (int)f->hints.lock_mode;
    f->locks.ahead_read = (int)f->hints.lock_ahead_read;
}

/* ---- mode 1 ---- */

static int take_group(ADIO_File fd)
{
    struct adl_locks *lm = locks_of(fd);
    int64_t t = adl_clock_ns();
    int rc = adl_lustre_group_lock(fd->fd_sys, adl_file_of(fd)->gid);

    lm->counts.ns += adl_clock_ns() - t;
    lm->mine = rc == 0;
    return rc;
}

/* If the lock cannot be given back, all other processes would wait until the
 * file is closed: then close this descriptor. */
static void drop_group(ADIO_File fd)
{
    struct adl_locks *lm = locks_of(fd);
    int64_t t = adl_clock_ns();

    if (lm->mine &&
        adl_lustre_group_unlock(fd->fd_sys, adl_file_of(fd)->gid) < 0)
        adl_descriptor_renew(fd);
    lm->counts.ns += lm->mine ? adl_clock_ns() - t : 0;
    lm->mine = 0;
}

int adl_lockmode_join(ADIO_File fd)
{
    struct adl_locks *lm = locks_of(fd);

    return lm->held && !lm->mine && adl_descriptor_ready(fd, 1) == 0 &&
           take_group(fd) == 0;
}

void adl_lockmode_leave_group(ADIO_File fd, int joined)
{
    if (joined)
        drop_group(fd);
}

static void prepare_group(ADIO_File fd, int write, int alone,
                          struct adl_claim *claim)
{
    struct adl_file *f = adl_file_of(fd);

    if (alone) {
        drop_group(fd);
        f->locks.held = 0;
    } else if (write && f->aggs.mine >= 0 && !f->locks.mine) {
        claim->lock_trouble = -take_group(fd);
    }
}

static void start_group(ADIO_File fd, int write, int alone,
                        const struct adl_claim *all)
{
    struct adl_locks *lm = locks_of(fd);

    if (all->lock_trouble) {
        drop_group(fd);
        lm->held = 0;
        turn_off(fd, (int)all->lock_trouble);
    } else if (write && !alone) {
        lm->held = 1;
        if (all->end > lm->end)
            lm->end = all->end;
    }
}

int adl_lockmode_direct(ADIO_File fd, int wanted)
{
    return wanted && !locks_of(fd)->held ? fd->fd_direct : -1;
}

int64_t adl_lockmode_size(ADIO_File fd, int64_t size)
{
    const struct adl_locks *lm = locks_of(fd);

    return lm->held && lm->end > size ? lm->end : size;
}

int adl_lockmode_allows(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);

    if (f->locks.mode != 1)
        return 0;
    if (!f->locks.said)
        fprintf(stderr,
                "romio-lustre: %s: independent access refused on rank %d: "
                "romio_no_indep_rw=true was promised, and with "
                "cray_cb_write_lock_mode=1 it could wait for ever\n",
                f->name, f->rank);
    f->locks.said = 1;
    return -EPERM;
}

/* ---- mode 2 ---- */

/* Where the OSTs begin: a first component on the MDT has other locks. */
static int64_t after_mdt(const struct adl_layout *layout)
{
    const struct adl_component *c;

    if (adl_layout_ncomponents(layout) < 1)
        return 0;
    c = adl_layout_component(layout, 0);
    return c->pattern & ADL_LOV_PATTERN_MDT ? c->end : 0;
}

static int make_window(struct adl_file *f, int write)
{
    struct adl_locks *lm = &f->locks;
    int n = (int)f->hints.lock_ahead_num_extents;

    if (lm->window[write])
        return 0;
    if (!lm->ask)
        lm->ask = malloc(n * sizeof(*lm->ask));
    if (!lm->ask)
        return -ENOMEM;
    return adl_lockwindow_create(f->owner, f->aggs.mine, n,
                                 after_mdt(f->layout), &lm->window[write]);
}

/* ---- writes that take no lock of the client's ---- */

/* Asked once a file. */
int64_t adl_lockmode_from(ADIO_File fd)
{
    struct adl_locks *lm = locks_of(fd);
    char dir[PATH_MAX], *slash;

    if (lm->from)
        return lm->from;
    snprintf(dir, sizeof(dir), "%s", fd->filename);
    slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    lm->from = adl_llite_direct_from(slash ? dir : ".");
    return lm->from;
}

/* The size of our writes where stripes are whole: one stripe, or all of a
 * buffer where one aggregator has the file to itself. */
static int64_t write_size(const struct adl_file *f, int64_t off)
{
    int64_t size;
    int count;

    if (f->aggs.count == 1)
        return f->hints.cb_buffer_size;
    adl_layout_stripe(f->layout, off, &size, &count);
    return size;
}

/* Why locks ahead would be called back by our own writes, or NULL. */
static const char *writes_direct(ADIO_File fd, struct adl_file *f, int64_t off)
{
    if (fd->direct_write && fd->fd_direct >= 0)
        return "nothing locked: direct writes need no lock and would call "
               "locks back";
    if (write_size(f, off) >= adl_lockmode_from(fd))
        return "nothing locked: hybrid I/O writes stripes of this size "
               "directly";
    return NULL;
}

static int wants_ahead(const struct adl_file *f, int write)
{
    return write ? f->locks.mode == 2 : f->locks.ahead_read;
}

/* If only one aggregator writes an object, the lock of the first write covers
 * all of the object, by one request, and later writes need none. Independent
 * accesses of other ranks would take that lock away. */
static int lets_expand(const struct adl_file *f, const struct adl_claim *all)
{
    int64_t size;
    int count;

    adl_layout_stripe(f->layout, all->start, &size, &count);
    return f->aggs.count <= count && all->alone_lo >= all->alone_hi;
}

static int has_own(const struct adl_file *f, const struct adl_claim *all)
{
    struct adl_stripe s;

    return !adl_owner_first_at(f->owner, f->aggs.mine, all->start, &s) &&
           s.start < all->end;
}

static void start_ahead(ADIO_File fd, int write, const struct adl_claim *all)
{
    struct adl_file *f = adl_file_of(fd);
    struct adl_locks *lm = &f->locks;
    int rc;

    if (all->start >= all->end)
        return;
    if (write && (f->aggs.mine >= 0 || f->rank == 0)) /* 0 writes the report */
        lm->note = writes_direct(fd, f, all->start);
    if (f->aggs.mine < 0 || (write && lm->note))
        return;
    lm->fd = fd->fd_sys;
    if (write && !lm->begun && lets_expand(f, all)) {
        lm->begun = has_own(f, all);
        return;
    }
    rc = write ? adl_locks_exact(lm, lm->fd, 1) : 0;
    if (rc == 0)
        rc = make_window(f, write);
    if (rc < 0) {
        lm->trouble = -rc;
        return;
    }
    for (int w = 0; w < 2; w++)
        if (lm->window[w])
            adl_lockwindow_doubt(lm->window[w], all->alone_lo, all->alone_hi);
    adl_lockwindow_call(lm->window[write], all->start, all->end);
}

/* ---- a collective call ---- */

void adl_lockmode_prepare(ADIO_File fd, int write, int alone,
                          struct adl_claim *claim)
{
    struct adl_file *f = adl_file_of(fd);

    claim->alone_lo = f->locks.lo;
    claim->alone_hi = f->locks.hi;
    if (f->locks.mode == 1)
        prepare_group(fd, write, alone, claim);
}

void adl_lockmode_start(ADIO_File fd, int write, int alone,
                        const struct adl_claim *all)
{
    struct adl_file *f = adl_file_of(fd);

    f->locks.lo = INT64_MAX;
    f->locks.hi = 0;
    f->locks.written |= write;
    if (f->locks.mode == 1)
        start_group(fd, write, alone, all);
    else if (!alone && wants_ahead(f, write))
        start_ahead(fd, write, all);
}

void adl_lockmode_end(ADIO_File fd, const struct adl_outcome *end)
{
    struct adl_file *f = adl_file_of(fd);

    if (end->error < 0)
        adl_lockmode_release(fd, INT64_MAX);
    f->locks.trouble = 0;
    if (end->lock_trouble)
        turn_off(fd, (int)end->lock_trouble);
}

/* Mode 2: more than a few locks were not used. A group lock calls back all of
 * them at once, and is then released; it does not wait for another group. */
static void give_back(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    const struct adl_lockwindow_counts *ahead = &f->locks.counts.ahead;
    int flags;

    if (!f->locks.window[1] || ahead->extents - ahead->used <= FEW)
        return;
    flags = fcntl(fd->fd_sys, F_GETFL);
    fcntl(fd->fd_sys, F_SETFL, flags | O_NONBLOCK);
    if (adl_lustre_group_lock(fd->fd_sys, f->gid) == 0)
        adl_lustre_group_unlock(fd->fd_sys, f->gid);
    fcntl(fd->fd_sys, F_SETFL, flags);
}

void adl_lockmode_leave(ADIO_File fd)
{
    give_back(fd);
    adl_lockmode_release(fd, INT64_MAX);
}

void adl_lockmode_release(ADIO_File fd, int64_t size)
{
    struct adl_locks *lm = locks_of(fd);

    drop_group(fd);
    lm->held = 0;
    lm->end = 0;
    for (int w = 0; w < 2; w++)
        if (lm->window[w])
            adl_lockwindow_doubt(lm->window[w], size, INT64_MAX);
}

/* A reader's lock of the whole file would keep the aggregators from locking
 * ahead; while only reading is done, it saves the reader many small ones. */
void adl_lockmode_alone(ADIO_File fd, int write, int64_t off, int64_t len)
{
    struct adl_file *f = adl_file_of(fd);
    struct adl_locks *lm = &f->locks;

    if (lm->mode != 2 || len <= 0)
        return;
    if (write || lm->written)
        adl_locks_exact(lm, fd->fd_sys, off >= after_mdt(f->layout));
    if (off < lm->lo)
        lm->lo = off;
    if (len > INT64_MAX - off)
        len = INT64_MAX - off;
    if (off + len > lm->hi)
        lm->hi = off + len;
}
