/* open.c - opening and closing a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "open.h"

#include "../../sys/calls.h"
#include "../../sys/inode.h"
#include "../coll/engine.h"
#include "connect.h"
#include "create.h"
#include "../file/descriptor.h"
#include "../file/failure.h"
#include "../file/file.h"
#include "../file/job.h"
#include "../file/info.h"
#include "../locks/lockmode.h"
#include "../../node/prefetch.h"
#include "aggregators.h"
#include "../report/prof_report.h"
#include "../indep/sync.h"
#include "broadcast.h"
#include "early.h"
#include "pointer.h"

/* Local. For the next time it is opened. */
static void remember_gathered(ADIO_File fd, const struct adl_file *f)
{
    struct adl_inode inode;

    if (f->rank == 0 && f->gathered && fd->fd_sys >= 0 &&
        adl_inode_look(fd->fd_sys, 0, &inode) == 0)
        adl_job_add_gathered(adl_job(), &inode);
}

/* Local. All are closed; the first error is returned. */
static int close_all(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int *fds[] = {&fd->fd_sys, &fd->fd_direct, &f->retired_fd};
    int flushed, rc = 0;

    adl_prefetch_wait(f->prefetch);
    flushed = adl_sync_to_close(fd);
    if (fd->fd_sys >= 0)
        adl_lockmode_leave(fd);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        int closed = adl_call_close(fds[i]);

        rc = rc ? rc : closed;
    }
    if (flushed < 0)
        return flushed;
    return adl_failure_note(f, "close", ADL_NO_OFFSET, rc);
}

int adl_open_end(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int64_t rc;

    remember_gathered(fd, f);
    rc = close_all(fd);
    adl_engine_least(f, &rc, 1);
    return (int)rc;
}

static int group_of(int fd)
{
    struct adl_inode inode;

    return adl_lockmode_gid(adl_inode_look(fd, 0, &inode) ? 0 : inode.number);
}

/* Local, rank 0. What is not available is said, and no rank tries it again. */
static void settle_direct(ADIO_File fd, struct adl_file *f, int amode)
{
    struct adl_hints *h = &f->hints;

    adl_descriptor_direct(fd, adl_descriptor_flags(amode));
    if (!(h->direct_read || h->direct_write) || fd->fd_direct >= 0)
        return;
    adl_notes_add(&f->notes, "direct I/O does not work here; using the "
                             "page cache");
    adl_hints_adjust(h, ADL_HINT_direct_io, 0, ADL_ADJUSTED);
    adl_hints_adjust(h, ADL_HINT_direct_read, 0, ADL_ADJUSTED);
    adl_hints_adjust(h, ADL_HINT_direct_write, 0, ADL_ADJUSTED);
}

/* Local, rank 0. Owners of one object on different nodes would take its locks
 * from each other at every write. If no lock mode was asked for, the owners
 * lock ahead where that works; where it does not, there are fewer owners. */
static int settle_owners(ADIO_File fd, struct adl_file *f, int amode,
                         const struct adl_nodemap *map)
{
    struct adl_hints *h = &f->hints;

    if (!f->aggs.split || (amode & ADIO_RDONLY) || h->lock_mode != 0 ||
        h->direct_write || h->state[ADL_HINT_lock_mode].asked ||
        h->state[ADL_HINT_lock_ahead_write].asked)
        return 0;
    if (adl_lockmode_works(fd->fd_sys)) {
        adl_hints_adjust(h, ADL_HINT_lock_mode, 2, ADL_ADJUSTED);
        adl_hints_adjust(h, ADL_HINT_lock_ahead_write, 1, ADL_ADJUSTED);
    } else {
        adl_hints_adjust(h, ADL_HINT_cb_nodes_multiplier, 1, ADL_ADJUSTED);
        if (!h->state[ADL_HINT_cb_nodes].asked) /* counted anew */
            adl_hints_adjust(h, ADL_HINT_cb_nodes, 0, ADL_FROM_DEFAULT);
    }
    return adl_aggregators_place(f, map);
}

/* Local, rank 0: create or open, find the layout, place aggregators. */
static int lead(ADIO_File fd, struct adl_file *f, int amode,
                const struct adl_nodemap *map)
{
    int rc = adl_create_open(fd, f, amode);

    if (rc < 0)
        return adl_failure_note(f, "open", ADL_NO_OFFSET, rc);
    if (adl_descriptor_reads_soon(f))
        adl_descriptor_ready(fd, 1); /* not allowed: do without */
    f->gid = group_of(fd->fd_sys);
    f->fill_gid = f->on_lustre && !f->hidden ? adl_lockmode_own_gid() : 0;
    settle_direct(fd, f, amode);
    f->ahead = f->on_lustre && !f->hidden && !(amode & ADIO_RDONLY) &&
               f->nodes.count > 1 && adl_lockmode_works(fd->fd_sys);
    rc = adl_aggregators_place(f, map);
    return rc ? rc : settle_owners(fd, f, amode, map);
}

/* Collective. The worst error; on rank 0 also: does a rank's MPI_Info differ
 * from rank 0's? The engine that the team has kept is used if all ranks can. */
static int agree(struct adl_file *f, int rc, int differs, int *any)
{
    int64_t word[3] = {rc, -differs, rc ? rc : adl_engine_offer(f)};

    adl_engine_least(f, word, 3);
    adl_engine_settle(f, (int)word[2]);
    *any = (int)-word[1];
    return (int)word[0];
}

/* Local. Leave everything as ROMIO's common code wants it. */
static void take_over(ADIO_File fd, struct adl_file *f, int64_t end)
{
    int64_t size;
    int count;

    adl_lockmode_begin(f);
    fd->is_open = 1; /* also where the descriptor comes later: all close */
    fd->is_agg = f->aggs.mine >= 0;
    fd->my_cb_nodes_index = f->aggs.mine;
    fd->dirty_write = 0;
    fd->fp_sys_posn = -1;
    adl_layout_stripe(f->layout, 0, &size, &count);
    fd->blksize = size > 0 ? size : 4 << 20;
    if (fd->access_mode & ADIO_APPEND)
        fd->fp_ind = end;
}

/* Collective. */
static int open_all(ADIO_File fd, struct adl_file *f, int amode)
{
    int64_t began = adl_clock_ns();
    struct adl_verdict verdict = {.digest = f->info_digest};
    const struct adl_nodemap *map = f->rank == 0 ? f->team->map : NULL;
    int any_differs, rc;

    if (f->rank == 0) {
        f->nodes = f->team->nodes;
        verdict.rc = map ? lead(fd, f, amode, map) : f->team->rc;
        verdict.end = f->end;
        verdict.pointer = adl_pointer_number(f, amode);
    }
    rc = adl_broadcast_bcast(f, &verdict);
    /* All ranks know this verdict: no need to agree. */
    if (verdict.rc)
        return verdict.rc;
    if (rc == 0 && f->rank != 0 && f->aggs.mine >= 0)
        rc = adl_descriptor_open(fd);
    rc = rc ? rc : adl_info_publish(fd, f);
    rc = rc ? rc : adl_pointer_name(fd, verdict.pointer);
    rc = agree(f, rc, verdict.digest != f->info_digest, &any_differs);
    if (rc < 0)
        return rc;
    take_over(fd, f, verdict.end);
    adl_info_report(f, map, any_differs);
    adl_prof_begin(fd, map, began);
    if (f->env.startup_connect)
        adl_connect_all(fd);
    return 0;
}

int adl_open_coll(ADIO_File fd, int amode)
{
    struct adl_file *f = adl_file_of(fd);
    int rc;

    fd->fd_sys = fd->fd_direct = -1;
    fd->access_mode = amode;
    f->team = adl_early_team(f->comm);
    rc = open_all(fd, f, amode);
    /* After an error ROMIO does not call Close. */
    if (rc < 0) {
        close_all(fd);
        adl_pointer_forget(fd);
        adl_info_report(f, NULL, 0);
    }
    return rc;
}
