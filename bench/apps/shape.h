/* shape.h - which bytes of a file one rank has in one call
 *
 * A span (contiguous), a box (a block of a row-major array of up to 4
 * dimensions, which lies at some place of the file) or a list of pieces. One
 * description gives both the extents, to make and compare data, and the MPI
 * datatype, to make the file view. Reading the file in another way shows
 * whether the two agree.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_SHAPE_H
#define APPS_SHAPE_H

#include <mpi.h>
#include <stdint.h>

#define SHAPE_DIMS 4

/* One dimension of an array: its length, this rank's part, where that starts */
struct shape_dim {
    int64_t full, part, from;
};

/* Pieces in the file's order, not overlapping; owned by its creator */
struct shape_list {
    int count;
    MPI_Aint *at; /* from the shape's place on */
    int *len;
};

struct shape {
    enum { SHAPE_SPAN, SHAPE_BOX, SHAPE_LIST } kind;
    int64_t at;   /* place in the file */
    int64_t elem; /* span: its length; box: bytes of an element */
    int ndims;
    struct shape_dim dim[SHAPE_DIMS];
    const struct shape_list *list;
};

struct shape shape_span(int64_t at, int64_t len);

/* Dimension 0 varies slowest. A part may be 0. */
struct shape shape_box(int64_t at, int64_t elem, int ndims,
                       const struct shape_dim *dim);
struct shape shape_pieces(int64_t at, const struct shape_list *list);

/* Part number `i` of n nearly equal parts of `full`; the first parts are
 * larger. */
struct shape_dim shape_cut(int64_t full, int n, int i);

/* Bytes of this rank, and the offset after its last byte (0: none). */
int64_t shape_bytes(const struct shape *s);
int64_t shape_end(const struct shape *s);

/* Call fn for every contiguous piece, in the file's order. */
typedef void shape_fn(void *arg, int64_t off, int64_t len);
void shape_each(const struct shape *s, shape_fn *fn, void *arg);

/* A committed file type of a box or list that is not empty, for a view at
 * s->at; the caller frees it. MPI_SUCCESS or an MPI error. */
int shape_type(const struct shape *s, MPI_Datatype *type);

#endif
