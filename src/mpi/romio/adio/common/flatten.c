/* flatten.c - the bytes of a datatype as a list of offsets and lengths
 *
 * Takes the place of ROMIO's own file of this name, with the same functions.
 * ROMIO 4.0.2 gets some nested types wrong: blocks of several subarrays or
 * resized types in an indexed type, resized types with a lower bound that is
 * not 0, empty blocks. The file then gets the wrong bytes, or MPI_File_set_view
 * refuses a valid type.
 *
 * One rule covers all constructors here: the bytes of a type are the bytes of
 * the types it is made of, moved to their places. A piece that continues the
 * one before is joined to it, so that the list is as short as the order of the
 * bytes allows. There are no entries for lower and upper bound: all of ROMIO
 * asks MPI for the extent.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "adio.h"
#include "adio_extern.h"

#include <stdlib.h>
#include <string.h>

#include "../ad_lustre/ad_lustre_compat.h"
#include "../ad_lustre/front/contents.h"

/* A list under construction. */
struct list {
    ADIO_Offset *off, *len;
    MPI_Count n, room;
    MPI_Count extent; /* of the type it stands for */
};

static void add(struct list *list, ADIO_Offset off, ADIO_Offset len)
{
    MPI_Count last = list->n - 1;

    if (len == 0)
        return;
    if (last >= 0 && list->off[last] + list->len[last] == off) {
        list->len[last] += len;
        return;
    }
    if (list->n == list->room) {
        list->room = list->room ? 2 * list->room : 8;
        list->off = ADIOI_Realloc(list->off, list->room * sizeof(ADIO_Offset));
        list->len = ADIOI_Realloc(list->len, list->room * sizeof(ADIO_Offset));
    }
    list->off[list->n] = off;
    list->len[list->n++] = len;
}

static void list_free(struct list *list)
{
    /* ADIOI_Free does not take NULL */
    if (list->room > 0) {
        ADIOI_Free(list->off);
        ADIOI_Free(list->len);
    }
}

/* `n` children one after the other, the first one at `disp` */
static void place_entry(struct list *list, const struct list *child,
                        ADIO_Offset disp, MPI_Count n)
{
    if (child->n == 1 && child->len[0] == child->extent) {
        add(list, disp + child->off[0], n * child->extent);
        return;
    }
    for (; n > 0; n--, disp += child->extent)
        for (MPI_Count i = 0; i < child->n; i++)
            add(list, disp + child->off[i], child->len[i]);
}

static void flatten(MPI_Datatype type, struct list *list);

/* Pairs such as MPI_DOUBLE_INT have a gap at the end, MPI_SHORT_INT one in the
 * middle. */
static void flatten_named(MPI_Datatype type, struct list *list)
{
    MPI_Count size;

    PMPI_Type_size_x(type, &size);
    if (type == MPI_SHORT_INT) {
        struct {
            short a;
            int b;
        } pair;

        add(list, 0, sizeof(pair.a));
        add(list, (char *)&pair.b - (char *)&pair, sizeof(pair.b));
    } else {
        add(list, 0, size);
    }
}

static void flatten_struct(const struct adl_contents *c, struct list *list)
{
    for (MPI_Count i = 0; i < c->ints[0]; i++) {
        struct list child;

        if (c->ints[1 + i] == 0)
            continue;
        flatten(c->types[i], &child);
        place_entry(list, &child, c->addrs[i], c->ints[1 + i]);
        list_free(&child);
    }
}

/* ---- arrays ---- */

/* What a process has of one dimension: blocks of `block` elements from `first`
 * on, `step` apart, up to `end`. */
struct axis {
    MPI_Count size; /* of the whole dimension */
    MPI_Count first, block, step, end;
};

static void subarray_axes(const struct adl_contents *c, struct axis *axis)
{
    int dims = (int)c->ints[0];
    const MPI_Count *size = c->ints + 1, *sub = size + dims;
    const MPI_Count *start = sub + dims;

    for (int d = 0; d < dims; d++) {
        axis[d].size = size[d];
        axis[d].first = start[d];
        axis[d].block = axis[d].step = sub[d];
        axis[d].end = start[d] + sub[d];
    }
}

static void darray_axis(struct axis *axis, MPI_Count distrib, MPI_Count darg,
                        MPI_Count procs, MPI_Count coord)
{
    MPI_Count block = darg;

    if (distrib == MPI_DISTRIBUTE_NONE)
        block = axis->size;
    else if (darg == MPI_DISTRIBUTE_DFLT_DARG)
        block = distrib == MPI_DISTRIBUTE_CYCLIC
                    ? 1
                    : (axis->size + procs - 1) / procs;
    axis->block = block;
    axis->first = coord * block;
    axis->step = procs * block;
    axis->end = axis->size;
}

/* Processes are numbered row-major, whatever the order of the array. */
static void darray_axes(const struct adl_contents *c, struct axis *axis)
{
    MPI_Count rank = c->ints[1];
    int dims = (int)c->ints[2];
    const MPI_Count *size = c->ints + 3, *distrib = size + dims;
    const MPI_Count *darg = distrib + dims, *procs = darg + dims;

    for (int d = dims - 1; d >= 0; d--) {
        axis[d].size = size[d];
        darray_axis(&axis[d], distrib[d], darg[d], procs[d],
                    distrib[d] == MPI_DISTRIBUTE_NONE ? 0 : rank % procs[d]);
        rank /= procs[d];
    }
}

/* Axes from the slowest on; `at` is the linear index of what was chosen of the
 * slower ones. Elements of the last axis are placed a block at a time. */
static void place_axes(struct list *list, const struct list *child,
                       const struct axis *axis, int dims, MPI_Count at)
{
    at *= axis->size;
    for (MPI_Count b = axis->first; b < axis->end; b += axis->step) {
        MPI_Count end =
            b + axis->block < axis->end ? b + axis->block : axis->end;

        if (dims == 1)
            place_entry(list, child, (at + b) * child->extent, end - b);
        for (MPI_Count i = b; dims > 1 && i < end; i++)
            place_axes(list, child, axis + 1, dims - 1, at + i);
        if (axis->step == 0)
            break;
    }
}

static void reverse(struct axis *axis, int dims)
{
    for (int d = 0; d < dims / 2; d++) {
        struct axis other = axis[d];

        axis[d] = axis[dims - 1 - d];
        axis[dims - 1 - d] = other;
    }
}

static void flatten_array(const struct adl_contents *c,
                          const struct list *child, struct list *list)
{
    int sub = c->combiner == MPI_COMBINER_SUBARRAY;
    int dims = (int)c->ints[sub ? 0 : 2];
    struct axis *axis = ADIOI_Malloc((dims + 1) * sizeof(*axis));

    if (sub)
        subarray_axes(c, axis);
    else
        darray_axes(c, axis);
    if (c->ints[c->nints - 1] == MPI_ORDER_FORTRAN)
        reverse(axis, dims);
    place_axes(list, child, axis, dims, 0);
    ADIOI_Free(axis);
}

/* ---- lists of blocks ---- */

/* Block length and displacement of block `i`, in bytes. */
static void block_at(const struct adl_contents *c, MPI_Count i,
                     MPI_Count extent, MPI_Count *length, ADIO_Offset *disp)
{
    MPI_Count n = c->ints[0];

    switch (c->combiner) {
    case MPI_COMBINER_VECTOR:
        *length = c->ints[1];
        *disp = (ADIO_Offset)i * c->ints[2] * extent;
        break;
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HVECTOR_INTEGER:
        *length = c->ints[1];
        *disp = i * (ADIO_Offset)(c->naddrs ? c->addrs[0] : c->ints[2]);
        break;
    case MPI_COMBINER_INDEXED:
        *length = c->ints[1 + i];
        *disp = c->ints[1 + n + i] * extent;
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        *length = c->ints[1];
        *disp = c->ints[2 + i] * extent;
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        *length = c->ints[1];
        *disp = c->addrs[i];
        break;
    default: /* HINDEXED */
        *length = c->ints[1 + i];
        *disp = c->naddrs ? c->addrs[i] : c->ints[1 + n + i];
        break;
    }
}

static void flatten_blocks(const struct adl_contents *c,
                           const struct list *child, struct list *list)
{
    for (MPI_Count i = 0; i < c->ints[0]; i++) {
        MPI_Count length;
        ADIO_Offset disp;

        block_at(c, i, child->extent, &length, &disp);
        place_entry(list, child, disp, length);
    }
}

static void flatten_derived(const struct adl_contents *c, struct list *list)
{
    struct list child;

    flatten(c->types[0], &child);
    switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        place_entry(list, &child, 0, 1);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        place_entry(list, &child, 0, c->ints[0]);
        break;
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        flatten_array(c, &child, list);
        break;
    default:
        flatten_blocks(c, &child, list);
        break;
    }
    list_free(&child);
}

static void flatten(MPI_Datatype type, struct list *list)
{
    struct adl_contents c;
    MPI_Count lb;

    memset(list, 0, sizeof(*list));
    PMPI_Type_get_extent_x(type, &lb, &list->extent);
    if (adl_contents_is_named(type)) {
        flatten_named(type, list);
        return;
    }
    adl_contents_get(type, &c);
    if (c.combiner == MPI_COMBINER_STRUCT ||
        c.combiner == MPI_COMBINER_STRUCT_INTEGER)
        flatten_struct(&c, list);
    else
        flatten_derived(&c, list);
    adl_contents_put(&c);
}

/* ---- what ROMIO asks for ---- */

int ADIOI_Flattened_type_keyval = MPI_KEYVAL_INVALID;

int ADIOI_Flattened_type_copy(MPI_Datatype oldtype, int keyval,
                              void *extra_state, void *in, void *out, int *flag)
{
    ADIOI_Flatlist_node *node = in;

    (void)oldtype;
    (void)keyval;
    (void)extra_state;
    node->refct++;
    *(ADIOI_Flatlist_node **)out = node;
    *flag = 1;
    return MPI_SUCCESS;
}

int ADIOI_Flattened_type_delete(MPI_Datatype type, int keyval, void *value,
                                void *extra_state)
{
    ADIOI_Flatlist_node *node = value;

    (void)type;
    (void)keyval;
    (void)extra_state;
    if (--node->refct > 0)
        return MPI_SUCCESS;
    ADIOI_Free(node->blocklens);
    ADIOI_Free(node->indices);
    ADIOI_Free(node);
    return MPI_SUCCESS;
}

/* What MPI_File_set_view must refuse in some cases. */
static int flags_of(const struct list *list)
{
    int flags = 0;

    for (MPI_Count i = 0; i < list->n; i++) {
        if (list->off[i] < 0)
            flags |= ADIOI_TYPE_NEGATIVE;
        if (i > 0 && list->off[i - 1] > list->off[i])
            flags |= ADIOI_TYPE_DECREASE;
        if (i > 0 && list->off[i - 1] + list->len[i - 1] > list->off[i])
            flags |= ADIOI_TYPE_OVERLAP;
    }
    return flags;
}

/* An empty type has one empty entry: ROMIO looks at the first without asking
 * whether there is one. */
static ADIOI_Flatlist_node *node_of(MPI_Datatype type)
{
    ADIOI_Flatlist_node *node = ADIOI_Malloc(sizeof(*node));
    struct list list;

    flatten(type, &list);
    if (list.n == 0) {
        add(&list, 0, 1);
        list.len[0] = 0;
    }
    memset(node, 0, sizeof(*node));
    node->type = type;
    node->count = list.n;
    node->indices = list.off;
    node->blocklens = list.len;
    node->lb_idx = node->ub_idx = -1;
    node->refct = 1;
    node->flag = flags_of(&list);
    return node;
}

/* The list hangs on the type, and on what is copied from it. ADIOI_End_call
 * frees the key. */
ADIOI_Flatlist_node *ADIOI_Flatten_datatype(MPI_Datatype type)
{
    ADIOI_Flatlist_node *node;
    int found = 0;

    if (ADIOI_Flattened_type_keyval == MPI_KEYVAL_INVALID)
        PMPI_Type_create_keyval(ADIOI_Flattened_type_copy,
                                ADIOI_Flattened_type_delete,
                                &ADIOI_Flattened_type_keyval, NULL);
    PMPI_Type_get_attr(type, ADIOI_Flattened_type_keyval, &node, &found);
    if (found)
        return node;
    node = node_of(type);
    PMPI_Type_set_attr(type, ADIOI_Flattened_type_keyval, node);
    return node;
}

ADIOI_Flatlist_node *ADIOI_Flatten_and_find(MPI_Datatype type)
{
    return ADIOI_Flatten_datatype(type);
}
