/* recipe.h - how a datatype is made, for MPI and for the model
 *
 * A recipe is a tree. recipe_build() makes the MPI datatype; recipe_flatten()
 * lists its bytes by the rules of the MPI standard alone, without a look at
 * what MPI made of it. recipe_agrees() compares the two (size, extent, and the
 * order of bytes by MPI_Pack), so that a wrong model is not taken for a wrong
 * file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_RECIPE_H
#define ORACLE_RECIPE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"

#define RECIPE_DIMS 4

enum recipe_kind {
    RECIPE_BASIC,
    RECIPE_CONTIG,
    RECIPE_VECTOR,
    RECIPE_HVECTOR,
    RECIPE_INDEXED,
    RECIPE_HINDEXED,
    RECIPE_BLOCK, /* indexed_block */
    RECIPE_STRUCT,
    RECIPE_SUBARRAY,
    RECIPE_DARRAY,
    RECIPE_RESIZED,
};

/* For subarray and darray. */
struct recipe_array {
    int dims, order;
    int size[RECIPE_DIMS];
    int sub[RECIPE_DIMS], start[RECIPE_DIMS];
    int distrib[RECIPE_DIMS], darg[RECIPE_DIMS], grid[RECIPE_DIMS];
    int nprocs, rank;
};

struct recipe {
    enum recipe_kind kind;
    MPI_Datatype basic; /* BASIC */
    int n;              /* copies or blocks */
    int block;          /* VECTOR, HVECTOR, BLOCK: children in a block */
    int64_t stride;     /* VECTOR: in children; HVECTOR: in bytes */
    int *blocks;        /* [n] INDEXED, HINDEXED, STRUCT */
    int64_t *disp;      /* [n] INDEXED, BLOCK: in children; else in bytes */
    struct recipe_array *array;
    int64_t lb, extent;    /* RESIZED */
    struct recipe **child; /* [n] STRUCT, else [1]; BASIC: NULL */
};

/* The bytes of a type in its own order; neighbours are joined. */
struct flat {
    int64_t *off, *len;
    int64_t n, room;
    int64_t size, lb, ub;
    int placed; /* something was, so that lb and ub count */
};

struct recipe *recipe_basic(struct arena *a, MPI_Datatype basic);
struct recipe *recipe_contig(struct arena *a, int n, struct recipe *child);
struct recipe *recipe_vector(struct arena *a, int n, int block, int64_t stride,
                             struct recipe *child);
struct recipe *recipe_hvector(struct arena *a, int n, int block, int64_t stride,
                              struct recipe *child);
/* INDEXED, HINDEXED, BLOCK or STRUCT with `n` blocks, to be filled in */
struct recipe *recipe_list(struct arena *a, enum recipe_kind kind, int n);
/* SUBARRAY or DARRAY, `array` to be filled in */
struct recipe *recipe_array(struct arena *a, enum recipe_kind kind, int dims,
                            struct recipe *child);
struct recipe *recipe_resized(struct arena *a, int64_t lb, int64_t extent,
                              struct recipe *child);

int64_t recipe_size(const struct recipe *r);
/* Do `count` of them reach over more bytes than fit into memory, where the
 * model has its files? Arrays in arrays can spread a few bytes that far. */
int recipe_too_wide(const struct recipe *r, int64_t count);
/* Free with flat_free. */
void recipe_flatten(const struct recipe *r, struct flat *out);
void flat_free(struct flat *flat);
static inline int64_t flat_extent(const struct flat *flat)
{
    return flat->ub - flat->lb;
}

/* Add a run to a list of runs. */
void flat_add(struct flat *flat, int64_t off, int64_t len);

/* Committed; the caller frees it. */
MPI_Datatype recipe_build(const struct recipe *r);
/* 1: MPI and the model mean the same by it. Open MPI 4.1 is wrong about some
 * nested types; there such a type becomes another one with the same bytes. */
int recipe_agrees(const struct recipe *r, MPI_Datatype *type);
void recipe_print(const struct recipe *r, FILE *to);

#endif
