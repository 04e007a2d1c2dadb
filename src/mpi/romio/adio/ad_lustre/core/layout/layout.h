/* layout.h - a file's Lustre layout: which byte lives in which object
 *
 * A layout is a list of components; each covers an extent of the file and
 * deals its stripes round robin over its objects, stripes being counted from
 * byte 0 of the FILE. A plain layout is one component [0, EOF). Mirrors are
 * whole copies, one after the other in the list; all mapping is done in one
 * of them, the first without a stale component.
 *
 *   file     |0    4M|4M                   64M|64M          EOF
 *   comp.    |   0   |           1            |      2
 *   objects  |   0   |  1   2   1   2   ...   | 3 4 5 6 3 4 ...
 *
 * Objects are numbered densely over the mapped mirror, as drawn. Immutable
 * after creation; every create has its adl_layout_destroy.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LAYOUT_H
#define ADL_LAYOUT_H

#include "../text/err.h"
#include "lov_format.h"
#include "stripes.h"

#include <stddef.h>
#include <stdint.h>

#define ADL_LAYOUT_EOF INT64_MAX
/* No layout blob the kernel returns is longer than this (an xattr's limit). */
#define ADL_LAYOUT_BLOB_MAX 65536

struct adl_layout;

/* One object of a component. seq, oid, ver: its FID; an object of the old
 * numbering has its id in seq and 0, 0. */
struct adl_object {
    uint64_t seq;
    uint32_t oid;
    uint32_t ver;
    uint32_t gen;
    uint32_t ost; /* index, or ADL_LOV_HOLE_OST */
};

/* One component, with the values of the decoded layout; `objects` is NULL if no
 * object exists yet. `magic` is the form it is written in: V1, V3 or SPECIFIC.
 */
struct adl_component {
    uint32_t id;    /* 0 in a plain layout and in templates */
    uint32_t flags; /* ADL_LCME_FL_* */
    int64_t start;  /* first byte */
    int64_t end;    /* one past the last, or ADL_LAYOUT_EOF */
    uint32_t magic;
    uint32_t pattern; /* ADL_LOV_PATTERN_* */
    uint64_t file_id; /* object id field: the file's FID, if known */
    uint64_t file_seq;
    int64_t stripe_size; /* 0: default. Extension: the step it grows by */
    int stripe_count;    /* 0: default, 0xffff: all OSTs, 0xffe0..: -n each */
    /* in a layout to set: first OST or 0xffff; in one that was read:
     * generation */
    int stripe_offset;
    char pool[ADL_LOV_POOL_SIZE]; /* "" if none */
    uint32_t layout_gen;
    uint64_t timestamp;
    uint8_t tail[4]; /* erasure coding and compression, kept unchanged */
    int nobjects;    /* 0 or stripe_count */
    const struct adl_object *objects;
};

/* The part of a layout that is not in its components. */
struct adl_layout_head {
    int composite;       /* 0: exactly one component, written without head */
    uint32_t layout_gen; /* composite only */
    unsigned flags;      /* ADL_LCM_FL_* */
    int mirrors;         /* as recorded, 1 or more */
};

/* What 0 ("default") and -1 ("all") mean on this file system; a field of 0 is
 * unknown. */
struct adl_layout_defaults {
    int ost_count;       /* not known: 1 */
    int stripe_count;    /* not known: 1 */
    int64_t stripe_size; /* not known: 1 MiB */
};

/* ---- creation ---- */

/* Decode a layout in any binary form, as an xattr or ioctl returns it or as it
 * is set; a FOREIGN layout has no components. `def` (may be NULL) resolves
 * counts and sizes that the layout leaves open. -EINVAL with a text for a
 * layout that is truncated or inconsistent, -ENOMEM. */
int adl_layout_decode(const void *blob, size_t len,
                      const struct adl_layout_defaults *def,
                      struct adl_layout **out, struct adl_err *err);

/* From components (copied, objects too), under the same checks. */
int adl_layout_create(const struct adl_layout_head *head,
                      const struct adl_component *comps, int ncomps,
                      const struct adl_layout_defaults *def,
                      struct adl_layout **out, struct adl_err *err);

/* One component [0, EOF) whose objects are on no known OST: for file systems
 * without layouts. Needs 1 <= count <= 2000 and any size > 0. */
int adl_layout_plain(int64_t stripe_size, int stripe_count,
                     struct adl_layout **out);

/* Accepts NULL. */
void adl_layout_destroy(struct adl_layout *layout);

/* The binary form as the kernel would return it. The caller frees the memory.
 */
int adl_layout_encode(const struct adl_layout *layout, void **blob,
                      size_t *len);

/* ---- questions ---- */

const struct adl_layout_head *adl_layout_head(const struct adl_layout *layout);
/* What it was created with. */
const struct adl_layout_defaults *
adl_layout_defaults(const struct adl_layout *layout);

/* All mirrors together. */
int adl_layout_ncomponents(const struct adl_layout *layout);
/* 0 <= i < number of components; lives as long as the layout. */
const struct adl_component *
adl_layout_component(const struct adl_layout *layout, int i);
int adl_layout_nmirrors(const struct adl_layout *layout);

/* The value of a foreign layout (not terminated), or NULL for any other layout;
 * `head` may be NULL. */
const void *adl_layout_foreign(const struct adl_layout *layout,
                               struct adl_lov_foreign *head);

int adl_component_mirror(const struct adl_component *comp);

/* ---- mapping ---- */

/* Where a byte is. */
struct adl_place {
    int comp;    /* component; an extension counts as the one before */
    int object;  /* within the component */
    int number;  /* dense object number over the mapped mirror */
    int64_t row; /* stripe within the object, from 0 of the FILE */
    int64_t off; /* the offset asked for */
    int64_t end; /* the stripe ends, or the component */
    int seg;     /* private: segment */
};

/* 0: the layout has no mapping (foreign), and the functions below must not
 * be called. */
int adl_layout_mapped(const struct adl_layout *layout);

/* Objects in the mapped mirror: the bound of adl_place.number. An MDT
 * component is one object; components of no extent have none. */
int adl_layout_objects(const struct adl_layout *layout);

/* Find the place of `offset` >= 0. An offset past the end of a layout that does
 * not reach EOF belongs to the last component; a write there fails. */
void adl_layout_locate(const struct adl_layout *layout, int64_t offset,
                       struct adl_place *place);

/* Move `place` to the stripe that starts where it ends; not past
 * ADL_LAYOUT_EOF. It needs a division only where a component begins. */
void adl_layout_next_stripe(const struct adl_layout *layout,
                            struct adl_place *place);

/* The component of a dense object number, the component's stripe size and count
 * as resolved, and the object's OST (-1: unknown yet, or on an MDT). */
struct adl_home {
    int comp;
    int object;
    int64_t stripe_size;
    int stripe_count;
    int ost;
};
void adl_layout_home(const struct adl_layout *layout, int number,
                     struct adl_home *home);

/* The file divided into parts, each with one striping, in order and without
 * gaps; `first` is the dense number of the part's first object. 0 <= i <
 * nstripings. */
int adl_layout_nstripings(const struct adl_layout *layout);
const struct adl_stripes *adl_layout_striping(const struct adl_layout *layout,
                                              int i, int *first);

/* The stripe size and count that the mapping uses for the byte at `offset`. */
void adl_layout_stripe(const struct adl_layout *layout, int64_t offset,
                       int64_t *size, int *count);

#endif
