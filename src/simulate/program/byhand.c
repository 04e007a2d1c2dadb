/* byhand.c - a collective call by hand: messages in a group, and pwrite */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "byhand.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pieces.h"

#define STRETCH (1 << 20) /* a group's bytes lie in stretches of so many */
#define TAG 1

struct byhand {
    const struct job *job;
    int fd, me, n, first; /* my place in the group, its ranks, the first one */
    MPI_Comm group;
};

/* A piece of the group's ranks; a part of it in a share. */
struct part {
    int64_t off, len;
    int whose;
};

/* What a call moves. to, from: bytes for each rank of the group, and of it. */
struct plan {
    struct part *part; /* of this rank's share, in file order */
    int parts, room;
    int64_t *to, *from, bytes; /* bytes: of the share */
};

static void *need(size_t bytes)
{
    void *p = calloc(1, bytes + 1);

    if (!p)
        abort();
    return p;
}

static void must(const char *what, int right)
{
    if (right)
        return;
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- groups ---- */

static int ranks_of_group(const struct job *job)
{
    struct grid g;
    int64_t stretch;
    int ranks = 1;

    if (job->pattern.kind != PATTERN_LATTICE &&
        job->pattern.kind != PATTERN_LATTICE4)
        return job->ranks;
    pieces_grid(job, &g);
    stretch = g.size * g.element;
    for (int d = g.dims - 1; d > 0 && stretch < STRETCH; d--) {
        ranks *= g.sides[d];
        stretch *= g.sides[d] * g.size;
    }
    return ranks;
}

struct byhand *byhand_open(const struct job *job, int rank, const char *path)
{
    struct byhand *h = need(sizeof(*h));

    h->job = job;
    h->n = ranks_of_group(job);
    h->me = rank % h->n;
    h->first = rank - h->me;
    MPI_Comm_split(MPI_COMM_WORLD, rank / h->n, rank, &h->group);
    if (rank == 0)
        h->fd = open(path, O_RDWR | O_CREAT, 0644);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        h->fd = open(path, O_RDWR);
    must(path, h->fd >= 0);
    return h;
}

void byhand_sync(struct byhand *h)
{
    must("fsync", fsync(h->fd) == 0);
}

void byhand_close(struct byhand *h)
{
    if (!h)
        return;
    must("close", close(h->fd) == 0);
    MPI_Comm_free(&h->group);
    free(h);
}

/* ---- the plan of a call ---- */

static int by_offset(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return (x->off > y->off) - (x->off < y->off);
}

/* All pieces of the group, in file order; the caller frees them. */
static struct part *group_pieces(const struct byhand *h, int call, int write,
                                 int64_t *n, int64_t *bytes)
{
    struct part *all = NULL;
    int64_t room = 0;

    *n = *bytes = 0;
    for (int r = 0; r < h->n; r++) {
        struct pieces p;

        pieces_make(h->job, h->first + r, call, !write, &p);
        if (*n + p.n > room) {
            room = 2 * (*n + p.n);
            all = realloc(all, (size_t)room * sizeof(*all));
            must("realloc", all != NULL);
        }
        for (int64_t i = 0; i < p.n; i++)
            all[(*n)++] = (struct part){p.of[i].off, p.of[i].len, r};
        *bytes += p.bytes;
        pieces_free(&p);
    }
    if (*n)
        qsort(all, (size_t)*n, sizeof(*all), by_offset);
    return all;
}

static void add_part(struct plan *p, struct part part)
{
    if (p->parts == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->part = realloc(p->part, (size_t)p->room * sizeof(*p->part));
        must("realloc", p->part != NULL);
    }
    p->part[p->parts++] = part;
    p->from[part.whose] += part.len;
    p->bytes += part.len;
}

static void make_plan(const struct byhand *h, int call, int write,
                      struct plan *p)
{
    int64_t n, bytes, at = 0;
    struct part *all = group_pieces(h, call, write, &n, &bytes);
    int share = 0;

    *p = (struct plan){0};
    p->to = need((size_t)h->n * sizeof(*p->to));
    p->from = need((size_t)h->n * sizeof(*p->from));
    for (int64_t i = 0; i < n; i++)
        while (all[i].len > 0) {
            struct part part = all[i];
            int64_t end = bytes * (share + 1) / h->n;

            if (at == end) {
                share++;
                continue;
            }
            part.len = part.len < end - at ? part.len : end - at;
            if (part.whose == h->me)
                p->to[share] += part.len;
            if (share == h->me)
                add_part(p, part);
            all[i].off += part.len;
            all[i].len -= part.len;
            at += part.len;
        }
    free(all);
}

static void free_plan(struct plan *p)
{
    free(p->part);
    free(p->to);
    free(p->from);
}

/* ---- one call ---- */

/* MPI_Alltoallv in the group, by the messages that MPICH sends for it. */
static void exchange(struct byhand *h, const unsigned char *out,
                     const int64_t *to, unsigned char *in, const int64_t *from)
{
    MPI_Request *req = need(2 * (size_t)h->n * sizeof(*req));
    const unsigned char *own = NULL;
    unsigned char *own_place = NULL;
    int n = 0;

    for (int r = 0; r < h->n; in += from[r++]) {
        if (r == h->me)
            own_place = in;
        else if (from[r])
            MPI_Irecv(in, (int)from[r], MPI_BYTE, r, TAG, h->group, &req[n++]);
    }
    for (int r = 0; r < h->n; out += to[r++]) {
        if (r == h->me)
            own = out;
        else if (to[r])
            MPI_Isend(out, (int)to[r], MPI_BYTE, r, TAG, h->group, &req[n++]);
    }
    memcpy(own_place, own, (size_t)to[h->me]);
    for (int i = 0; i < n; i++)
        MPI_Wait(&req[i], MPI_STATUS_IGNORE);
    free(req);
}

/* Between what the ranks send, rank after rank, and the share in file order. */
static void sort_share(const struct byhand *h, const struct plan *p, int write,
                       unsigned char *wire, unsigned char *image)
{
    unsigned char **next = need((size_t)h->n * sizeof(*next));

    for (int r = 0; r < h->n; wire += p->from[r++])
        next[r] = wire;
    for (int i = 0; i < p->parts; i++) {
        const struct part *part = &p->part[i];
        unsigned char **at = &next[part->whose];

        memcpy(write ? image : *at, write ? *at : image, (size_t)part->len);
        *at += part->len;
        image += part->len;
    }
    free(next);
}

static void move_stretch(const struct byhand *h, int write,
                         unsigned char *image, int64_t len, int64_t off)
{
    ssize_t n = write ? pwrite(h->fd, image, (size_t)len, off)
                      : pread(h->fd, image, (size_t)len, off);

    must(write ? "pwrite" : "pread", n == len);
}

/* Parts that follow each other in the file are one stretch. */
static void move_share(const struct byhand *h, const struct plan *p, int write,
                       unsigned char *image)
{
    for (int i = 0, k; i < p->parts; i = k) {
        int64_t off = p->part[i].off, len = p->part[i].len;

        for (k = i + 1; k < p->parts && p->part[k].off == off + len; k++)
            len += p->part[k].len;
        move_stretch(h, write, image, len, off);
        image += len;
    }
}

void byhand_call(struct byhand *h, int call, int write, unsigned char *data)
{
    unsigned char *wire, *image;
    struct plan p;

    make_plan(h, call, write, &p);
    wire = need((size_t)p.bytes);
    image = need((size_t)p.bytes);
    if (write)
        exchange(h, data, p.to, wire, p.from);
    else
        move_share(h, &p, write, image);
    sort_share(h, &p, write, wire, image);
    if (write)
        move_share(h, &p, write, image);
    else
        exchange(h, wire, p.from, data, p.to);
    free(wire);
    free(image);
    free_plan(&p);
}
