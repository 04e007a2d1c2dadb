/* shape.c - which bytes of a file one rank has in one call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "shape.h"

struct shape shape_span(int64_t at, int64_t len)
{
    struct shape s = {.kind = SHAPE_SPAN, .at = at, .elem = len};

    return s;
}

struct shape shape_box(int64_t at, int64_t elem, int ndims,
                       const struct shape_dim *dim)
{
    struct shape s = {
        .kind = SHAPE_BOX, .at = at, .elem = elem, .ndims = ndims};

    for (int d = 0; d < ndims; d++)
        s.dim[d] = dim[d];
    return s;
}

struct shape shape_pieces(int64_t at, const struct shape_list *list)
{
    struct shape s = {.kind = SHAPE_LIST, .at = at, .list = list};

    return s;
}

struct shape_dim shape_cut(int64_t full, int n, int i)
{
    int64_t rest = full % n;
    struct shape_dim d = {full, full / n + (i < rest),
                          full / n * i + (i < rest ? i : rest)};

    return d;
}

static void add_len(void *arg, int64_t off, int64_t len)
{
    (void)off;
    *(int64_t *)arg += len;
}

int64_t shape_bytes(const struct shape *s)
{
    int64_t bytes = s->elem;

    if (s->kind == SHAPE_LIST) {
        bytes = 0;
        shape_each(s, add_len, &bytes);
    }
    for (int d = 0; d < s->ndims; d++)
        bytes *= s->dim[d].part;
    return bytes;
}

static void keep_end(void *arg, int64_t off, int64_t len)
{
    *(int64_t *)arg = off + len;
}

int64_t shape_end(const struct shape *s)
{
    int64_t end = 0;

    shape_each(s, keep_end, &end);
    return end;
}

/* Rows are contiguous along the last dimension; `row` counts through the
 * others like the digits of a number. */
static void each_row(const struct shape *s, shape_fn *fn, void *arg)
{
    const struct shape_dim *last = &s->dim[s->ndims - 1];
    int64_t rows = 1;

    for (int d = 0; d < s->ndims - 1; d++)
        rows *= s->dim[d].part;
    for (int64_t row = 0; row < rows; row++) {
        int64_t index = last->from, stride = last->full, rest = row;

        for (int d = s->ndims - 2; d >= 0; d--) {
            index += (s->dim[d].from + rest % s->dim[d].part) * stride;
            rest /= s->dim[d].part;
            stride *= s->dim[d].full;
        }
        fn(arg, s->at + index * s->elem, last->part * s->elem);
    }
}

void shape_each(const struct shape *s, shape_fn *fn, void *arg)
{
    switch (s->kind) {
    case SHAPE_SPAN:
        if (s->elem > 0)
            fn(arg, s->at, s->elem);
        break;
    case SHAPE_BOX:
        if (shape_bytes(s) > 0)
            each_row(s, fn, arg);
        break;
    case SHAPE_LIST:
        for (int i = 0; i < s->list->count; i++)
            fn(arg, s->at + s->list->at[i], s->list->len[i]);
        break;
    }
}

static int box_type(const struct shape *s, MPI_Datatype *type)
{
    int full[SHAPE_DIMS], part[SHAPE_DIMS], from[SHAPE_DIMS], rc;
    MPI_Datatype elem;

    for (int d = 0; d < s->ndims; d++) {
        full[d] = (int)s->dim[d].full;
        part[d] = (int)s->dim[d].part;
        from[d] = (int)s->dim[d].from;
    }
    rc = MPI_Type_contiguous((int)s->elem, MPI_BYTE, &elem);
    if (rc)
        return rc;
    rc = MPI_Type_create_subarray(s->ndims, full, part, from, MPI_ORDER_C, elem,
                                  type);
    MPI_Type_free(&elem);
    return rc;
}

int shape_type(const struct shape *s, MPI_Datatype *type)
{
    int rc = s->kind == SHAPE_BOX
                 ? box_type(s, type)
                 : MPI_Type_create_hindexed(s->list->count, s->list->len,
                                            s->list->at, MPI_BYTE, type);

    return rc ? rc : MPI_Type_commit(type);
}
