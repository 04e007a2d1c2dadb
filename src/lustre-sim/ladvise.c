/* ladvise.c - LL_IOC_LADVISE: lockahead and other advice
 *
 * What is refused, and with what: rules M3, M4 and L5 of test/locks-2.md.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ladvise.h"

#include <errno.h>
#include <string.h>
#include "abi.h"
#include "io.h"

#define PAGE UINT64_C(4096)
#define TO_THE_END (UINT64_C(1) << 62) /* an end from here on means EOF */

/* Lockahead on the part of an advice that is on one object. */
static int ahead_object(struct sim_file *f, struct lsim *ls,
                        const struct sim_extent *e, const struct adl_ladvise *a)
{
    uint64_t end = a->end >= TO_THE_END ? LSIM_EOF : e->end;
    struct lsim_object obj;
    int rc = sim_file_object(f, ls, e->number, &obj);

    if (rc)
        return rc;
    rc = lsim_lockahead(
        ls, &obj, a->mode == ADL_LADVISE_MODE_READ ? LSIM_READ : LSIM_WRITE,
        a->flags & ADL_LADVISE_F_ASYNC, e->start, end);
    sim_file_object_put(f, e->number, &obj);
    return rc;
}

/* The extents of an advice; one to the end of file meets every object in the
 * first rounds over the stripes. What has no objects yet is left out. */
static int map_advice(struct sim_file *f, const struct adl_ladvise *a,
                      struct sim_extents *ex)
{
    uint64_t start = a->start & ~(PAGE - 1), end = a->end;

    if (end >= TO_THE_END)
        end = start + (UINT64_C(1) << 36);
    return sim_file_map(f, start, (end | (PAGE - 1)) + 1, ex);
}

/* Result: 0 if any part was sent, else how all of it is held already. */
static int ahead(struct sim_proc *p, struct sim_open *o, int fd,
                 const struct adl_ladvise *a)
{
    struct lsim *ls = sim_server(p);
    int async = a->flags & ADL_LADVISE_F_ASYNC;
    struct sim_extents ex;
    int rc, one, result = -1;

    if (a->mode != ADL_LADVISE_MODE_READ && a->mode != ADL_LADVISE_MODE_WRITE)
        return -EINVAL;
    /* Others may have made objects since the layout was read. */
    if (!o->file->layout || a->end >= o->file->ready)
        sim_file_load(o->file, &p->conf, fd);
    rc = map_advice(o->file, a, &ex);
    if (rc == -ENODATA) /* no layout: nothing to lock, and no error */
        rc = 0;
    for (int i = 0; i < ex.n && rc == 0; i++)
        rc = ex.list[i].on_mdt && !async ? -EOPNOTSUPP : 0;
    for (int i = 0; rc == 0 && ls && i < ex.n; i++) {
        one = ex.list[i].on_mdt ? 0 : ahead_object(o->file, ls, &ex.list[i], a);
        rc = one < 0 ? one : 0;
        result = result < 0 || one < result ? one : result;
    }
    sim_extents_clear(&ex);
    return rc || result < 0 ? rc : result;
}

static int check_advice(const struct adl_ladvise *a)
{
    uint32_t may = a->advice == ADL_LADVISE_LOCKNOEXPAND ? ADL_LADVISE_F_UNSET
                                                         : ADL_LADVISE_F_ASYNC;

    switch (a->advice) {
    case ADL_LADVISE_LOCKNOEXPAND:
        return a->flags & ~may ? -EINVAL : 0;
    case ADL_LADVISE_WILLREAD:
    case ADL_LADVISE_DONTNEED:
    case ADL_LADVISE_LOCKAHEAD:
        return a->flags & ~may || a->start >= a->end ? -EINVAL : 0;
    default:
        return -EOPNOTSUPP;
    }
}

static int one_advice(struct sim_proc *p, struct sim_open *o, int fd,
                      const struct adl_ladvise *a)
{
    int rc = check_advice(a);

    if (rc)
        return rc;
    switch (a->advice) {
    case ADL_LADVISE_LOCKNOEXPAND:
        o->noexpand = !(a->flags & ADL_LADVISE_F_UNSET);
        return 0;
    case ADL_LADVISE_LOCKAHEAD:
        return ahead(p, o, fd, a);
    case ADL_LADVISE_DONTNEED: /* the recorded servers could not either */
        return -EOPNOTSUPP;
    default:
        return 0;
    }
}

int sim_ladvise(struct sim_proc *p, struct sim_open *o, int fd, void *arg)
{
    unsigned char *at = arg;
    struct adl_ladvise_head h;
    struct adl_ladvise a;
    int rc = 0;

    if (!o->file)
        return -ENOTTY;
    if (!arg)
        return -EFAULT;
    memcpy(&h, at, sizeof(h));
    if (h.magic != ADL_LADVISE_MAGIC || h.count == 0)
        return -EINVAL;
    if (h.count > ADL_LADVISE_MAX)
        return -EFBIG;
    at += sizeof(h);
    /* LOCKNOEXPAND ends the call, done, as a refusal does. */
    for (uint32_t i = 0; i < h.count; i++, at += sizeof(a)) {
        memcpy(&a, at, sizeof(a));
        rc = one_advice(p, o, fd, &a);
        if (rc < 0 || a.advice == ADL_LADVISE_LOCKNOEXPAND)
            break;
        if (a.advice == ADL_LADVISE_LOCKAHEAD) {
            a.result = rc;
            memcpy(at, &a, sizeof(a));
        }
    }
    return rc;
}
