/* layspec.h - a layout to ask for, and lfs setstripe's options for it
 *
 * It describes the layout of a new file, before any object exists. The text
 * form is a subset of lfs setstripe's options:
 *
 *   -E, --component-end SIZE   the component ends here; -1 or EOF: open end
 *   -c, --stripe-count N       0: the default, -1: all OSTs
 *   -C, --overstripe-count N   several stripes an OST; -1 to -32: that many
 *                              on every OST
 *   -S, --stripe-size SIZE     a multiple of 64 KiB
 *   -i, --stripe-index N       the first OST, -1: any
 *   -o, --ost LIST             exactly these OSTs: 0,1,3-5
 *   -p, --pool NAME            of OSTs; "filesystem." before it is dropped;
 *                              none: not from a pool
 *   -L, --layout mdt|raid0     mdt: first component only, data on the MDT
 *   -z, --extension-size SIZE  the component grows in such steps
 *   -N, --mirror-count         a further copy of the file starts here
 *
 * in any order, separated by blanks: "-E 64M -c 1 -E -1 -c 8 -S 4M". Without -E
 * and -N the layout is plain. A component without -c (or -C), -S or -p has the
 * value of the component before it, as with lfs.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LAYSPEC_H
#define ADL_LAYSPEC_H

#include "layout.h"

struct adl_spec_comp {
    int mirror;       /* 0, 1, ... */
    int64_t end;      /* ADL_LAYOUT_EOF: open; 0: not said */
    int stripe_count; /* 0: default; -1: all; overstriped: -n an OST */
    int overstriped;
    int64_t stripe_size; /* 0: default */
    int64_t ext_size;    /* 0: no extension */
    int start_ost;       /* -1: any */
    int mdt;
    int nosts; /* with a list: stripe_count = 0 or nosts */
    uint16_t *osts;
    char pool[ADL_LOV_POOL_SIZE];
};

/* Start from {0}; free with adl_layout_spec_clear. */
struct adl_layout_spec {
    int composite; /* a plain layout has one component */
    int ncomps;
    struct adl_spec_comp *comps;
};

/* Ask for the striping and the pool of `from`; extent, mirror and OSTs stay. */
void adl_spec_comp_like(struct adl_spec_comp *comp,
                        const struct adl_component *from);

/* Append a component with default values; NULL: no memory. */
struct adl_spec_comp *adl_layout_spec_add(struct adl_layout_spec *spec);

/* Append "0,1,3-5" to a component's list of OSTs. A repeated OST makes it
 * overstriped. */
int adl_spec_comp_osts(struct adl_spec_comp *comp, const char *list,
                       struct adl_err *err);

/* Set the pool: 1 to 15 letters, digits, _ and - ("filesystem." is cut off),
 * or "" or "none" for no pool. */
int adl_spec_comp_pool(struct adl_spec_comp *comp, const char *name,
                       struct adl_err *err);

/* Read the text form. 0, -EINVAL with a text, -ENOMEM. */
int adl_layout_spec_parse(const char *text, struct adl_layout_spec *out,
                          struct adl_err *err);

/* Write a text that asks for the same layout; arguments and result as for
 * snprintf. */
int adl_layout_spec_format(const struct adl_layout_spec *spec, char *buf,
                           size_t size);

void adl_layout_spec_clear(struct adl_layout_spec *spec);

/* Check a spec as far as possible without a file system; adl_layout_spec_parse
 * does so. */
int adl_layout_spec_check(const struct adl_layout_spec *spec,
                          struct adl_err *err);

/* Check the spec and make the binary form to set (V1; V3 with a pool; SPECIFIC
 * with a list; COMP_V1). The caller frees the memory. */
int adl_layout_spec_encode(const struct adl_layout_spec *spec, void **blob,
                           size_t *len, struct adl_err *err);

#endif
