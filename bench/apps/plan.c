/* plan.c - what a proxy does: files, and the calls on them in order */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plan.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* One element more; NULL when there is no memory. Room grows by doubling: it
 * is full when the number is 0 or a power of two. */
static void *grow(struct plan *p, void **array, int *n, size_t size)
{
    void *more = *array;

    if ((*n & (*n - 1)) == 0)
        more = realloc(*array, (*n ? (size_t)*n * 2 : 1) * size);
    if (!more) {
        p->failed = -ENOMEM;
        return NULL;
    }
    *array = more;
    return (char *)more + (size_t)(*n)++ * size;
}

int plan_file(struct plan *p, const char *format, ...)
{
    void *array = p->files;
    struct plan_file *f = grow(p, &array, &p->nfiles, sizeof(*f));
    char name[256];
    va_list args;

    p->files = array;
    if (!f)
        return 0;
    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    *f = (struct plan_file){.name = malloc(sizeof(name)), .first = -1};
    if (f->name)
        snprintf(f->name, sizeof(name), "%s", name);
    else
        p->failed = -ENOMEM;
    return p->nfiles - 1;
}

static struct plan_call *add(struct plan *p, int file, struct shape shape)
{
    void *array = p->calls;
    struct plan_call *c = grow(p, &array, &p->ncalls, sizeof(*c));

    p->calls = array;
    if (!c || p->failed)
        return NULL;
    *c = (struct plan_call){.file = file, .shape = shape};
    if (p->files[file].first < 0)
        p->files[file].first = p->ncalls - 1;
    p->files[file].last = p->ncalls - 1;
    return c;
}

void plan_call(struct plan *p, int file, struct shape shape)
{
    add(p, file, shape);
}

void plan_header(struct plan *p, int file, int64_t at, int64_t len)
{
    struct plan_call *c = add(p, file, shape_span(at, p->rank ? 0 : len));

    if (c)
        c->alone = 1;
}

int plan_list(struct plan *p, int count)
{
    p->list.at = calloc(count, sizeof(*p->list.at));
    p->list.len = calloc(count, sizeof(*p->list.len));
    return p->list.at && p->list.len ? 0 : -ENOMEM;
}

static int sum_up(struct plan *p)
{
    for (int i = 0; i < p->ncalls; i++) {
        const struct plan_call *c = &p->calls[i];
        struct plan_file *f = &p->files[c->file];
        int64_t bytes = shape_bytes(&c->shape), end = shape_end(&c->shape);

        p->bytes += bytes;
        if (bytes > p->largest)
            p->largest = bytes;
        if (end > f->size)
            f->size = end;
    }
    return p->largest > INT_MAX ? -E2BIG : 0;
}

int plan_finish(struct plan *p, MPI_Comm comm)
{
    int rc = p->failed ? p->failed : sum_up(p);

    MPI_Allreduce(MPI_IN_PLACE, &rc, 1, MPI_INT, MPI_MIN, comm);
    if (rc)
        return rc;
    for (int i = 0; i < p->nfiles; i++)
        MPI_Allreduce(MPI_IN_PLACE, &p->files[i].size, 1, MPI_INT64_T, MPI_MAX,
                      comm);
    MPI_Allreduce(MPI_IN_PLACE, &p->bytes, 1, MPI_INT64_T, MPI_SUM, comm);
    return p->bytes > 0 ? 0 : -ENODATA;
}

void plan_destroy(struct plan *p)
{
    for (int i = 0; i < p->nfiles; i++)
        free(p->files[i].name);
    free(p->files);
    free(p->calls);
    free(p->list.at);
    free(p->list.len);
}
