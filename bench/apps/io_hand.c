/* io_hand.c - collective calls by hand: MPI_Alltoallv and pwrite
 *
 * What users write when MPI-IO is too slow. The span of a call, from the first
 * to the last byte of any rank, is cut into one domain for each rank. Alltoallv
 * moves the pieces. The owner of a domain sorts its pieces into an image of the
 * domain and writes the image. The ranks exchange once for a shape which rank
 * has which bytes, as a program would that writes the same arrays again and
 * again.
 *
 *   buffer of rank 0   [ for domain 0 | for domain 1 | ... ]   file order
 *                            \________________\___ alltoallv
 *   wire of domain 1   [ from rank 0 | from rank 1 | ... ] -> image -> pwrite
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "io.h"
#include "posix.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct run {
    int64_t off, len;
};

struct runs {
    struct run *run;
    int count, room;
};

/* Counts and displacements of an alltoallv, for `size` peers. */
struct lanes {
    int *count, *at;
};

struct io_file {
    int fd, write, collective, rank, size;
    MPI_Comm comm;
    char *path;
    const struct shape *last; /* the plan is this one's */
    int64_t start, len;       /* the domain */
    struct lanes mine, theirs;
    struct runs sorted;  /* of others, by rank, in the domain */
    struct runs written; /* the same, merged: what the file gets */
    char *wire, *image;
};

/* ---- lists ---- */

static int add_run(struct runs *r, int64_t off, int64_t len)
{
    if (r->count == r->room) {
        int room = r->room ? 2 * r->room : 1024;
        struct run *more = realloc(r->run, room * sizeof(*more));

        if (!more)
            return -ENOMEM;
        r->run = more;
        r->room = room;
    }
    r->run[r->count++] = (struct run){off, len};
    return 0;
}

static int by_offset(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    return (x->off > y->off) - (x->off < y->off);
}

/* What several ranks have, as stretches without a hole. */
static int merge(const struct runs *from, struct runs *to)
{
    struct run *all = malloc((from->count + 1) * sizeof(*all));
    int rc = 0;

    to->count = 0;
    if (!all)
        return -ENOMEM;
    if (from->count)
        memcpy(all, from->run, from->count * sizeof(*all));
    qsort(all, from->count, sizeof(*all), by_offset);
    for (int i = 0; i < from->count && !rc; i++) {
        struct run *last = to->count ? &to->run[to->count - 1] : NULL;

        if (!last || all[i].off > last->off + last->len)
            rc = add_run(to, all[i].off, all[i].len);
        else if (all[i].off + all[i].len > last->off + last->len)
            last->len = all[i].off + all[i].len - last->off;
    }
    free(all);
    return rc;
}

/* ---- the plan of a shape ---- */

struct cutting {
    struct io_file *f;
    int64_t start, part; /* of all domains, but for the last one's rest */
    struct runs runs;    /* by domain: the file's order */
    int *nruns;          /* of each domain */
    int rc;
};

static void cut_piece(void *arg, int64_t off, int64_t len)
{
    struct cutting *c = arg;

    while (len > 0 && !c->rc) {
        int64_t nr = (off - c->start) / c->part;
        int d = nr < c->f->size ? (int)nr : c->f->size - 1;
        int64_t end = c->start + (d + 1) * c->part;
        int64_t n = d == c->f->size - 1 || off + len <= end ? len : end - off;

        c->rc = add_run(&c->runs, off, n);
        c->nruns[d]++;
        c->f->mine.count[d] += (int)n;
        off += n;
        len -= n;
    }
}

static void first_byte(void *arg, int64_t off, int64_t len)
{
    int64_t *first = arg;

    (void)len;
    if (off < *first)
        *first = off;
}

/* Collective: the domains, from the first byte of any rank to the last. */
static void cut_domains(struct io_file *f, const struct shape *s,
                        struct cutting *c)
{
    int64_t range[2] = {INT64_MAX, -shape_end(s)};

    shape_each(s, first_byte, &range[0]);
    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT64_T, MPI_MIN, f->comm);
    if (range[0] > -range[1])
        range[0] = -range[1];
    c->start = range[0];
    c->part = (-range[1] - range[0]) / f->size;
    if (c->part < 1)
        c->part = 1;
    f->start = c->start + f->rank * c->part;
    f->len = f->rank == f->size - 1 ? -range[1] - f->start : c->part;
    if (f->len < 0)
        f->len = 0;
}

static int sum_lanes(struct lanes *l, int size)
{
    int at = 0;

    for (int i = 0; i < size; i++) {
        l->at[i] = at;
        at += l->count[i];
    }
    return at;
}

/* Collective: runs go to the owners of their domains, which sort by them. */
static void exchange_runs(struct io_file *f, struct cutting *c)
{
    struct lanes out, in;
    int all;

    out.count = c->nruns;
    out.at = calloc(3 * f->size, sizeof(int));
    in.count = out.at + f->size;
    in.at = in.count + f->size;
    MPI_Alltoall(out.count, 1, MPI_INT, in.count, 1, MPI_INT, f->comm);
    for (int i = 0; i < f->size; i++) {
        out.count[i] *= (int)sizeof(struct run);
        in.count[i] *= (int)sizeof(struct run);
    }
    sum_lanes(&out, f->size);
    all = sum_lanes(&in, f->size);
    free(f->sorted.run);
    f->sorted.run = malloc(all + 1);
    f->sorted.count = f->sorted.room = all / (int)sizeof(struct run);
    MPI_Alltoallv(c->runs.run, out.count, out.at, MPI_BYTE, f->sorted.run,
                  in.count, in.at, MPI_BYTE, f->comm);
    free(out.at);
}

/* Collective: which rank has what of this shape. A failed malloc ends the
 * program: this is a yardstick, not a library. */
static void make_plan(struct io_file *f, const struct shape *s)
{
    struct cutting c = {.f = f, .nruns = calloc(f->size, sizeof(int))};
    int wire;

    memset(f->mine.count, 0, f->size * sizeof(int));
    cut_domains(f, s, &c);
    shape_each(s, cut_piece, &c);
    MPI_Alltoall(f->mine.count, 1, MPI_INT, f->theirs.count, 1, MPI_INT,
                 f->comm);
    sum_lanes(&f->mine, f->size);
    wire = sum_lanes(&f->theirs, f->size);
    exchange_runs(f, &c);
    free(f->wire);
    free(f->image);
    f->wire = malloc(wire + 1);
    f->image = calloc(1, f->len + 1);
    if (c.rc || !f->wire || !f->image || merge(&f->sorted, &f->written) < 0)
        MPI_Abort(f->comm, APP_FAILED);
    free(c.runs.run);
    free(c.nruns);
    f->last = s;
}

/* ---- calls ---- */

/* From the wire into the image (writing), or back. */
static void sort_domain(struct io_file *f)
{
    char *wire = f->wire;

    for (int i = 0; i < f->sorted.count; i++) {
        const struct run *r = &f->sorted.run[i];
        char *image = f->image + (r->off - f->start);

        memcpy(f->write ? image : wire, f->write ? wire : image, r->len);
        wire += r->len;
    }
}

static void move_domain(struct io_file *f, struct verdict *v)
{
    for (int i = 0; i < f->written.count; i++) {
        const struct run *r = &f->written.run[i];
        int rc = posix_move(f->fd, f->write, f->image + (r->off - f->start),
                            r->len, r->off);

        if (rc < 0)
            verdict_set(v, APP_FAILED, "%s: by hand: %s", f->path,
                        strerror(-rc));
    }
}

static void hand_call(struct io_file *f, const struct shape *s, int alone,
                      void *buf, struct verdict *v)
{
    if (alone || !f->collective) {
        posix_pieces(f->fd, f->write, s, buf, f->path, v);
        return;
    }
    if (s != f->last)
        make_plan(f, s);
    if (f->write) {
        MPI_Alltoallv(buf, f->mine.count, f->mine.at, MPI_BYTE, f->wire,
                      f->theirs.count, f->theirs.at, MPI_BYTE, f->comm);
        sort_domain(f);
        move_domain(f, v);
        return;
    }
    move_domain(f, v);
    sort_domain(f);
    MPI_Alltoallv(f->wire, f->theirs.count, f->theirs.at, MPI_BYTE, buf,
                  f->mine.count, f->mine.at, MPI_BYTE, f->comm);
}

/* ---- files ---- */

static struct io_file *hand_open(const char *path, const struct io_mode *mode,
                                 MPI_Comm comm, struct verdict *v)
{
    int fd = posix_open(path, mode->write, comm, v);
    struct io_file *f = fd < 0 ? NULL : calloc(1, sizeof(*f));

    if (!f)
        return NULL;
    f->fd = fd;
    f->write = mode->write;
    f->collective = mode->collective;
    f->comm = comm;
    f->path = strdup(path);
    MPI_Comm_rank(comm, &f->rank);
    MPI_Comm_size(comm, &f->size);
    f->mine.count = calloc(4 * f->size, sizeof(int));
    if (!f->mine.count || !f->path)
        MPI_Abort(comm, APP_FAILED);
    f->mine.at = f->mine.count + f->size;
    f->theirs.count = f->mine.at + f->size;
    f->theirs.at = f->theirs.count + f->size;
    return f;
}

static int64_t hand_size(struct io_file *f, struct verdict *v)
{
    return posix_size(f->fd, f->path, v);
}

static void hand_close(struct io_file *f, int sync, struct verdict *v)
{
    posix_close(f->fd, sync && f->write, f->path, v);
    free(f->mine.count);
    free(f->sorted.run);
    free(f->written.run);
    free(f->wire);
    free(f->image);
    free(f->path);
    free(f);
}

const struct io_api io_hand = {
    .name = "by hand",
    .open = hand_open,
    .call = hand_call,
    .size = hand_size,
    .close = hand_close,
    .remove = posix_remove,
};
