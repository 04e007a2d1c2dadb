/* open.c - opening and closing a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sys/calls.h"
#include "../sys/inode.h"
#include "connect.h"
#include "create.h"
#include "file.h"
#include "info.h"
#include "place.h"
#include "prof.h"
#include "wire.h"

/* ---- one rank's descriptor ---- */

static int base_flags(int amode)
{
    if (amode & ADIO_RDWR)
        return O_RDWR;
    return amode & ADIO_WRONLY ? O_WRONLY : O_RDONLY;
}

/* O_DIRECT wants aligned memory, offset and length, so it has a descriptor of
 * its own beside the ordinary one. Not to be had: do without. */
static void open_direct(ADIO_File fd, const struct adl_file *f, int flags)
{
    fd->fd_direct = -1;
    fd->direct_read = f->hints.direct_read && flags != O_WRONLY;
    fd->direct_write = f->hints.direct_write && flags != O_RDONLY;
    if (f->hints.direct_read || f->hints.direct_write)
        fd->fd_direct = adl_call_open(fd->filename, flags | O_DIRECT, 0);
    if (fd->fd_direct < 0) {
        fd->fd_direct = -1;
        fd->direct_read = fd->direct_write = 0;
    }
}

/* Holding a group lock, a second descriptor could not be read any more; and
 * who says "enable" will need to read. */
static int reads_soon(const struct adl_file *f)
{
    return f->hints.ds_write == ADL_ENABLE ||
           f->hints.ds_in_coll == ADL_ENABLE || f->hints.lock_mode == 1;
}

int adl_open_fd(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int rc = -EACCES, flags = base_flags(fd->access_mode);

    if (flags == O_WRONLY && reads_soon(f))
        rc = adl_call_open(fd->filename, O_RDWR, 0);
    f->readable = rc >= 0 || flags != O_WRONLY;
    if (rc < 0)
        rc = adl_call_open(fd->filename, flags, 0);
    fd->fd_sys = rc < 0 ? -1 : rc;
    if (rc < 0)
        return adl_failure_note(f, "open", ADL_NO_OFFSET, rc);
    open_direct(fd, f, flags);
    return 0;
}

/* fcntl locks are the process's and go with the first descriptor of the file
 * that is closed, and a read-modify-write asks for this inside its lock: the
 * write-only descriptor stays open. */
static int make_readable(ADIO_File fd, struct adl_file *f)
{
    int rc = adl_call_open(fd->filename, O_RDWR, 0);

    if (rc < 0)
        return adl_failure_note(f, "open", ADL_NO_OFFSET, rc);
    f->retired_fd = fd->fd_sys;
    fd->fd_sys = rc;
    f->readable = 1;
    return 0;
}

int adl_open_ready(ADIO_File fd, int for_reading)
{
    struct adl_file *f = adl_file_of(fd);
    int rc = 0;

    if (fd->fd_sys < 0)
        rc = adl_open_fd(fd);
    if (!rc && for_reading && !f->readable)
        rc = make_readable(fd, f);
    return rc;
}

int adl_open_renew(ADIO_File fd)
{
    int flags = fcntl(fd->fd_sys, F_GETFL) & O_ACCMODE, again, rc;

    again = adl_call_open(fd->filename, flags, 0);
    if (again < 0)
        return again;
    rc = dup3(again, fd->fd_sys, O_CLOEXEC) < 0 ? -errno : 0;
    close(again);
    return rc;
}

/* Local. All are closed; the first error is the one that is told. */
static int close_all(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int *fds[] = {&fd->fd_sys, &fd->fd_direct, &f->retired_fd};
    int rc = 0;

    if (fd->fd_sys >= 0)
        adl_lockmode_leave(fd);
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        int closed = adl_call_close(fds[i]);

        rc = rc ? rc : closed;
    }
    return adl_failure_note(f, "close", ADL_NO_OFFSET, rc);
}

int adl_open_end(ADIO_File fd)
{
    int rc = close_all(fd), worst;

    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, fd->comm);
    return worst;
}

/* ---- all ranks together ---- */

static int group_of(int fd)
{
    struct adl_inode inode;

    return adl_lockmode_gid(adl_inode_look(fd, 0, &inode) ? 0 : inode.number);
}

/* Local, rank 0. What could not be had is said, and no rank tries it again. */
static void settle_direct(ADIO_File fd, struct adl_file *f, int amode)
{
    struct adl_hints *h = &f->hints;

    open_direct(fd, f, base_flags(amode));
    if (!(h->direct_read || h->direct_write) || fd->fd_direct >= 0)
        return;
    adl_notes_add(&f->notes, "direct I/O is not to be had here; using the "
                             "page cache");
    adl_hints_adjust(h, ADL_HINT_direct_io, 0, ADL_ADJUSTED);
    adl_hints_adjust(h, ADL_HINT_direct_read, 0, ADL_ADJUSTED);
    adl_hints_adjust(h, ADL_HINT_direct_write, 0, ADL_ADJUSTED);
}

/* Local, rank 0. Owners of one object on different nodes would take its locks
 * from each other at every write. Nobody having asked for a lock mode, they
 * lock ahead where that works, and are fewer where it does not. */
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
    return adl_place_aggregators(f, map);
}

/* Local, rank 0: create or open, find the layout, place aggregators. */
static int lead(ADIO_File fd, struct adl_file *f, int amode,
                const struct adl_nodemap *map)
{
    int rc = adl_create_open(fd, f, amode);

    if (rc)
        return adl_failure_note(f, "open", ADL_NO_OFFSET, rc);
    if (reads_soon(f))
        adl_open_ready(fd, 1); /* not allowed: do without */
    f->gid = group_of(fd->fd_sys);
    settle_direct(fd, f, amode);
    rc = adl_place_aggregators(f, map);
    return rc ? rc : settle_owners(fd, f, amode, map);
}

/* Local. Others than rank 0 that aggregate. */
static int follow(ADIO_File fd, const struct adl_file *f)
{
    return f->rank != 0 && f->aggs.mine >= 0 ? adl_open_fd(fd) : 0;
}

/* Collective. The worst error; on rank 0 also: does somebody's MPI_Info differ
 * from rank 0's? */
static int agree(const struct adl_file *f, int rc, int differs, int *somebody)
{
    int mine[2] = {rc, -differs}, all[2];

    PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, f->comm);
    *somebody = -all[1];
    return all[0];
}

/* Local. Leave everything as ROMIO's common code wants it. */
static void take_over(ADIO_File fd, const struct adl_file *f, int64_t end)
{
    int64_t size;
    int count;

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

/* Collective. `rc`: on rank 0, whether there is a map. */
static int open_all(ADIO_File fd, struct adl_file *f, int amode,
                    const struct adl_nodemap *map, int rc)
{
    int64_t began = adl_clock_ns();
    struct adl_verdict verdict = {rc, 0, f->info_digest};
    int somebody;

    if (f->rank == 0 && !rc) {
        verdict.rc = lead(fd, f, amode, map);
        verdict.end = f->end;
    }
    rc = adl_wire_bcast(f, &verdict);
    /* All ranks know this verdict: no need to agree. */
    if (verdict.rc)
        return verdict.rc;
    rc = rc ? rc : follow(fd, f);
    rc = rc ? rc : adl_info_publish(fd, f);
    rc = agree(f, rc, verdict.digest != f->info_digest, &somebody);
    if (rc)
        return rc;
    take_over(fd, f, verdict.end);
    adl_info_report(f, map, somebody);
    adl_prof_begin(f, map, began);
    if (f->env.startup_connect)
        adl_connect_all(fd);
    return 0;
}

int adl_open_coll(ADIO_File fd, int amode)
{
    struct adl_file *f = adl_file_of(fd);
    const struct adl_nodemap *map;
    int rc;

    fd->fd_sys = fd->fd_direct = -1;
    fd->access_mode = amode;
    rc = adl_place_nodes(f, &map);
    rc = open_all(fd, f, amode, map, rc);
    /* After an error ROMIO does not call Close. */
    if (rc) {
        close_all(fd);
        adl_info_report(f, NULL, 0);
    }
    return rc;
}
