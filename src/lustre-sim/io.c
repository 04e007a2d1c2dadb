/* io.c - faults, layouts, locks, RPCs and time of reads, writes and other
 * calls */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "path.h"
#include "reader.h"

static const char *name_of_call(struct sim_proc *p, const struct sim_file *f)
{
    return sim_path_below(&p->conf, f->path);
}

static void evict_by_fault(void *arg, long ost)
{
    struct sim_proc *p = arg;
    struct lsim *ls = sim_server(p);

    for (uint32_t i = 0; ls && i < p->conf.osts; i++)
        if (ost < 0 || ost == (long)i)
            lsim_evict(ls, i);
}

int sim_io_fault(struct sim_proc *p, enum sim_call call, const char *path)
{
    struct sim_fault_call c = {
        .call = call, .client = p->client, .evict = evict_by_fault, .arg = p};

    if (!sim_faults_any(p->faults))
        return 0;
    c.path = path ? sim_path_below(&p->conf, path) : "";
    return sim_faults_call(p->faults, &c, NULL);
}

/* Faults on the n-th call. May shorten the access. */
static int fault_by_call(struct sim_proc *p, struct sim_io *io,
                         const struct sim_extents *ex)
{
    struct sim_fault_call c = {.call = io->call,
                               .client = p->client,
                               .path = name_of_call(p, io->open->file),
                               .evict = evict_by_fault,
                               .arg = p};
    uint32_t *osts = malloc((ex->n + 1) * sizeof(*osts));
    int rc;

    if (!osts)
        return -ENOMEM;
    for (int i = 0; i < ex->n; i++)
        osts[i] = ex->list[i].ost;
    c.osts = osts;
    c.nosts = ex->n;
    rc = sim_faults_call(p->faults, &c, &io->len);
    free(osts);
    return rc;
}

/* Full and dead OSTs: the access ends before the first byte on one. */
static int fault_by_ost(struct sim_proc *p, struct sim_io *io,
                        const struct sim_extents *ex)
{
    uint64_t end = io->off + io->len;
    int rc = 0, bad;

    for (int i = 0; i < ex->n; i++) {
        bad = sim_faults_ost(p->faults, io->call, ex->list[i].ost);
        if (bad && ex->list[i].file_off < end) {
            end = ex->list[i].file_off;
            rc = bad;
        }
    }
    io->len = end - io->off;
    return io->len ? 0 : rc;
}

static int apply_faults(struct sim_proc *p, struct sim_io *io,
                        struct sim_extents *ex)
{
    size_t before = io->len;
    int rc = fault_by_call(p, io, ex);

    if (rc == 0)
        rc = fault_by_ost(p, io, ex);
    if (rc || io->len == before)
        return rc;
    sim_extents_clear(ex);
    return sim_file_map(io->open->file, io->off, io->off + io->len, ex);
}

/* The layout of a file with data on the MDT has changed: the client writes
 * back what it has of that, and its pages go; a lock that it had no use for
 * goes too. */
static void layout_changed(struct sim_proc *p, struct sim_file *f)
{
    struct lsim *ls = sim_server(p);
    struct lsim_object obj;

    if (!ls || !sim_file_on_mdt(f, ls, &obj))
        return;
    if (lsim_has_dirty(ls, &obj) == 1)
        lsim_drop_pages(ls, &obj, 1);
    else
        lsim_drop_cache(ls, &obj);
}

/* A write needs its components; it cannot go past the last one. */
static int prepare_write(struct sim_proc *p, struct sim_io *io)
{
    struct sim_file *f = io->open->file;
    uint64_t end = io->off + io->len, ready = f->layout ? f->ready : end;
    int rc = sim_file_ready(f, &p->conf, io->fd, end);

    if (rc)
        return rc;
    if (end > ready)
        layout_changed(p, f);
    sim_file_wait_solid(f);
    if (io->off >= f->end)
        return -ENODATA;
    if (io->len > f->end - io->off)
        io->len = f->end - io->off;
    io->open->written = 1;
    io->open->file->known = 1;
    return 0;
}

/* A read ends at the end of the file. The layout may have grown since. */
static int prepare_read(struct sim_proc *p, struct sim_io *io, uint64_t *end,
                        uint64_t *size)
{
    struct sim_file *f = io->open->file;
    struct stat st;

    if (fstat(io->fd, &st) != 0)
        return -errno;
    *end = io->off + io->len;
    *size = st.st_size;
    if (*end > *size)
        *end = *size;
    if (*end > io->off && (!f->layout || *end > f->ready))
        sim_file_load(f, &p->conf, io->fd);
    return 0;
}

static unsigned access_flags(const struct sim_open *o)
{
    return (o->noexpand ? LSIM_NOEXPAND : 0) |
           (o->flags & O_NONBLOCK ? LSIM_NONBLOCK : 0) |
           (o->flags & O_DIRECT ? LSIM_DIRECT : 0);
}

/* Large buffered accesses go past the cache where hybrid I/O is on (D8). */
static unsigned flags_of(const struct sim_proc *p, const struct sim_io *io)
{
    size_t from =
        io->call == SIM_CALL_READ ? SIM_HYBRID_READ : SIM_HYBRID_WRITE;

    return access_flags(io->open) |
           (p->conf.hybrid_io && io->len >= from ? LSIM_DIRECT : 0);
}

static uint32_t group_of(const struct sim_open *o)
{
    return o->hollow ? 0 : o->gid;
}

static int access_object(struct lsim *ls, const struct sim_io *io,
                         const struct sim_extent *e, unsigned flags,
                         uint64_t *wake)
{
    struct lsim_access a = {.op = io->call == SIM_CALL_READ ? LSIM_READ
                                                            : LSIM_WRITE,
                            .flags = flags | (e->on_mdt ? LSIM_WHOLE : 0),
                            .start = e->start,
                            .end = e->end,
                            .gid = group_of(io->open),
                            .wake = wake};
    struct sim_file *f = io->open->file;
    struct lsim_object obj;
    int rc = sim_file_object(f, ls, e->number, &obj);

    if (rc)
        return rc;
    rc = lsim_io(ls, &obj, &a);
    sim_file_object_put(f, e->number, &obj);
    return rc;
}

/* Only what has a meaning for the program may stop it; that the server's
 * tables are full, say, must not. */
static int passes_on(int rc)
{
    return rc == -EAGAIN || rc == -EINTR || rc == -EIO || rc == -EOPNOTSUPP ||
           rc == -ESHUTDOWN;
}

/* ---- evictions ---- */

unsigned sim_io_evictions(struct sim_proc *p)
{
    struct lsim *ls = p->server;

    return ls ? lsim_evictions(ls) : p->evictions;
}

/* Bytes that never reached the servers are not in the file: zeros. */
static void wipe_range(struct sim_file *f, int fd, int number,
                       struct lsim_range lost)
{
    static const char zeros[65536];
    struct sim_extent e;
    uint64_t at, end;

    while (lost.start < lost.end) {
        at = sim_file_offset(f, number, lost.start);
        if (sim_file_stripe(f, at, at + (lost.end - lost.start), &e, &end) != 1)
            return;
        lost.start += end - at;
        for (; at < end; at += sizeof(zeros))
            if (pwrite(fd, zeros,
                       end - at < sizeof(zeros) ? end - at : sizeof(zeros),
                       (off_t)at) < 0)
                return;
    }
}

/* What evictions lost of a file goes from it. */
static void wipe_lost(struct sim_proc *p, struct sim_file *f, int fd)
{
    struct lsim *ls = sim_server(p);
    struct lsim_object obj;
    struct lsim_range lost;
    char path[64];
    int own;

    if (!ls || lsim_evictions(ls) == 0)
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = open(path, O_WRONLY | O_CLOEXEC);
    for (int i = 0; own >= 0 && i < f->nobjects; i++)
        while (sim_file_object(f, ls, i, &obj) == 0 &&
               lsim_lost(ls, &obj, &lost) == 1)
            wipe_range(f, own, i, lost);
    if (own >= 0)
        close(own);
}

static int access_all(struct lsim *ls, const struct sim_io *io,
                      const struct sim_extents *ex, unsigned flags)
{
    uint64_t wake = 0;
    int rc = 0;

    for (int i = 0; i < ex->n && !passes_on(rc); i++)
        rc = access_object(ls, io, &ex->list[i], flags, &wake);
    lsim_wait(wake);
    return rc;
}

/* Do something with the objects of a file, or with those on OSTs. */
typedef int (*objects_fn)(struct lsim *ls, struct lsim_object *objs, size_t n);

static int for_objects(struct sim_proc *p, struct sim_file *f, objects_fn fn,
                       int on_osts)
{
    struct lsim *ls = sim_server(p);
    struct lsim_object *objs;
    size_t n, osts = 0;
    int rc;

    if (!ls || sim_file_objects(f, ls, &objs, &n, &osts) != 0)
        return 0;
    rc = fn(ls, objs, on_osts ? osts : n);
    free(objs);
    return rc;
}

/* A buffered write goes stripe by stripe, each with its lock: another client
 * may take that away in the middle. */
static int write_stripes(struct lsim *ls, const struct sim_io *io, uint64_t end,
                         unsigned flags)
{
    uint64_t pos = io->off, wake = 0;
    struct sim_extent e;
    int rc = 0;

    while (pos < end && !passes_on(rc)) {
        rc = sim_file_stripe(io->open->file, pos, end, &e, &pos);
        if (rc == 1)
            rc = access_object(ls, io, &e, flags, &wake);
        else if (rc < 0)
            break;
    }
    lsim_wait(wake);
    return rc;
}

/* The lock on data at the MDT cannot be an exact extent, and the client does
 * not look whether it has one before it refuses (M2). */
static int check_exact_write(const struct sim_io *io,
                             const struct sim_extents *ex, unsigned flags)
{
    if (io->call != SIM_CALL_WRITE || !(flags & LSIM_NOEXPAND) ||
        (flags & LSIM_DIRECT))
        return 0;
    for (int i = 0; i < ex->n; i++)
        if (ex->list[i].on_mdt)
            return -EOPNOTSUPP;
    return 0;
}

/* The same of a read: what is in the cache is read without a lock, and ends the
 * read. A read of more bytes, or of bytes behind the end of the file, asks for
 * a lock first. */
static int check_exact_read(struct sim_proc *p, struct sim_io *io,
                            uint64_t size)
{
    struct sim_file *f = io->open->file;
    uint64_t mdt = sim_file_mdt_end(f), end = io->off + io->len, cached = 0;
    unsigned flags = flags_of(p, io);
    struct lsim *ls = sim_server(p);
    struct lsim_object obj;

    if (io->off >= mdt || !(flags & LSIM_NOEXPAND) || (flags & LSIM_DIRECT))
        return 0;
    if (ls && sim_file_on_mdt(f, ls, &obj))
        lsim_cached(ls, &obj, io->off, &cached);
    cached = cached < size ? cached : size;
    if (cached >= (end < mdt ? end : mdt))
        return 0;
    if (cached <= io->off)
        return -EOPNOTSUPP;
    io->len = cached - io->off;
    return 0;
}

/* A reader without a lock asks for the size: of direct I/O (D4), and of data
 * on the MDT unless the client knows more than that. */
static int asks_size(const struct sim_io *io, const struct sim_extents *ex,
                     unsigned flags)
{
    if (flags & LSIM_DIRECT)
        return 1;
    return ex->n && ex->list[0].on_mdt &&
           !atomic_exchange(&io->open->file->known, 1);
}

static int serve(struct sim_proc *p, const struct sim_io *io,
                 const struct sim_extents *ex, uint64_t end, uint64_t size)
{
    struct lsim *ls = sim_server(p);
    unsigned flags = flags_of(p, io);
    int rc = check_exact_write(io, ex, flags);

    if (rc || !ls || ex->n == 0)
        return rc;
    if (io->call == SIM_CALL_READ && asks_size(io, ex, flags)) {
        if (io->open->file->ready != UINT64_MAX)
            sim_file_load(io->open->file, &p->conf, io->fd);
        for_objects(p, io->open->file, lsim_glimpse,
                    !(flags & LSIM_DIRECT) || !ex->list[0].on_mdt);
    }
    if (io->call == SIM_CALL_READ && !(flags & LSIM_DIRECT))
        rc = sim_reader_read(ls, io, end, size, flags);
    else if (flags & LSIM_DIRECT)
        rc = access_all(ls, io, ex, flags);
    else
        rc = write_stripes(ls, io, end, flags);
    return passes_on(rc) ? rc : 0;
}

int sim_io_begin(struct sim_proc *p, struct sim_io *io)
{
    struct sim_file *f = io->open->file;
    struct sim_extents ex;
    uint64_t end = 0, size = 0;
    int rc;

    if (io->len == 0 || io->off > INT64_MAX || io->len > INT64_MAX - io->off)
        return 0; /* the kernel knows what to answer */
    if (io->call == SIM_CALL_WRITE) {
        rc = prepare_write(p, io);
        end = io->off + io->len;
    } else {
        rc = prepare_read(p, io, &end, &size);
        if (rc == 0)
            rc = check_exact_read(p, io, size);
        if (end > io->off + io->len)
            end = io->off + io->len;
    }
    if (rc)
        return rc;
    rc = sim_file_map(f, io->off, end, &ex);
    if (rc == -ENODATA) /* a file without objects reads as empty */
        rc = 0;
    if (rc == 0 && sim_faults_any(p->faults)) {
        rc = apply_faults(p, io, &ex);
        end = io->off + io->len < end ? io->off + io->len : end;
    }
    if (rc == 0) {
        rc = serve(p, io, &ex, end, size);
        if (rc == -EIO)
            wipe_lost(p, f, io->fd);
    }
    sim_extents_clear(&ex);
    return rc;
}

int64_t sim_io_position(const struct sim_open *o, int fd, enum sim_call call)
{
    struct stat st;
    off_t at;

    if (call == SIM_CALL_WRITE && (o->flags & O_APPEND))
        return fstat(fd, &st) == 0 ? st.st_size : -errno;
    at = lseek(fd, 0, SEEK_CUR);
    return at < 0 ? -errno : at;
}

static int sync_by(struct sim_proc *p, struct sim_open *o, int fd,
                   enum sim_call call)
{
    int rc = sim_io_fault(p, call, o->file->path);

    if (rc)
        return rc;
    rc = for_objects(p, o->file,
                     call == SIM_CALL_FSYNC ? lsim_fsync : lsim_flush, 0);
    if (rc)
        wipe_lost(p, o->file, fd);
    return passes_on(rc) ? rc : 0;
}

int sim_io_sync(struct sim_proc *p, struct sim_open *o, int fd)
{
    return sync_by(p, o, fd, SIM_CALL_FSYNC);
}

int sim_io_flush(struct sim_proc *p, struct sim_open *o, int fd)
{
    return sync_by(p, o, fd, SIM_CALL_FLUSH);
}

int sim_io_closing(struct sim_proc *p, struct sim_open *o, int fd)
{
    struct lsim *ls = p->server;

    if (!ls || lsim_evictions(ls) == 0)
        return 0;
    wipe_lost(p, o->file, fd);
    /* Only a descriptor that was opened afterwards tells (E4). */
    if (o->evictions != lsim_evictions(ls))
        return 0;
    return for_objects(p, o->file, lsim_error, 0);
}

void sim_io_glimpse(struct sim_proc *p, struct sim_file *f)
{
    for_objects(p, f, lsim_glimpse, 1);
}

void sim_io_destroy(struct sim_proc *p, struct sim_file *f)
{
    for_objects(p, f, lsim_object_destroy, 0);
}

/* Objects of components that lie wholly below are kept. */
static void truncate_objects(struct sim_proc *p, struct sim_open *o,
                             const struct sim_tail *tail)
{
    struct lsim *ls = sim_server(p);
    struct sim_file *f = o->file;
    struct lsim_object obj;

    for (int i = tail->first; ls && i < tail->n; i++)
        if (sim_file_object(f, ls, i, &obj) == 0) {
            lsim_truncate(ls, &obj, tail->size[i], access_flags(o),
                          group_of(o));
            sim_file_object_put(f, i, &obj);
        }
}

int sim_io_truncate(struct sim_proc *p, struct sim_open *o, int fd,
                    uint64_t size)
{
    struct sim_file *f = o->file;
    struct sim_tail tail;
    int rc;

    /* Lengthening instantiates like a write; a file without objects keeps
     * its size at the metadata server. */
    if (size > f->ready && f->layout) {
        rc = sim_file_ready(f, &p->conf, fd, size);
        if (rc)
            return rc;
    }
    if (sim_file_tail(f, size, &tail) == 0)
        truncate_objects(p, o, &tail);
    sim_tail_clear(&tail);
    return 0;
}

void sim_io_opened(struct sim_proc *p, struct sim_open *o)
{
    struct lsim_access a = {.op = LSIM_WRITE,
                            .flags = LSIM_WHOLE | LSIM_LOCK_ONLY | LSIM_IF_FREE,
                            .end = 1};
    struct lsim_object obj;
    struct lsim *ls;

    /* A process that only opens files is not yet counted as the client's. */
    if ((o->flags & O_ACCMODE) == O_RDONLY || !sim_file_mdt_end(o->file))
        return;
    ls = sim_server(p);
    if (ls && sim_file_on_mdt(o->file, ls, &obj))
        lsim_io(ls, &obj, &a);
}

void sim_io_sizes(struct sim_proc *p, struct sim_file *f, uint64_t size)
{
    struct lsim *ls = sim_server(p);
    struct lsim_object obj;
    struct sim_tail tail;

    if (ls && sim_file_tail(f, size, &tail) == 0)
        for (int i = 0; i < tail.n; i++)
            if (tail.size[i] && sim_file_object(f, ls, i, &obj) == 0)
                lsim_object_size(ls, &obj, tail.size[i]);
    if (ls)
        sim_tail_clear(&tail);
}

int sim_io_reserve(struct sim_proc *p, struct sim_open *o, int fd, uint64_t off,
                   uint64_t len)
{
    if (len == 0 || off > INT64_MAX || len > INT64_MAX - off)
        return 0;
    return sim_file_ready(o->file, &p->conf, fd, off + len);
}
