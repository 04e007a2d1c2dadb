/* ladvise.c - LL_IOC_LADVISE: lockahead and other advice */
#include "ladvise.h"

#include <errno.h>
#include <string.h>
#include "abi.h"
#include "io.h"

#define PAGE UINT64_C(4096)

/* Lockahead on the part of an advice that is on one object. */
static int ahead_object(struct sim_file *f, struct lsim *ls,
                        const struct sim_extent *e, const struct adl_ladvise *a)
{
    struct lsim_object obj;
    int rc = sim_file_object(f, ls, e->number, &obj);

    if (rc)
        return rc;
    rc = lsim_lockahead(
        ls, &obj, a->mode == ADL_LADVISE_MODE_READ ? LSIM_READ : LSIM_WRITE,
        a->flags & ADL_LADVISE_F_ASYNC, e->start, e->end);
    sim_file_object_put(f, e->number, &obj);
    return rc;
}

/* Result: 0 if any part was sent, else how all of it is held already. */
static int ahead(struct sim_proc *p, struct sim_open *o, int fd,
                 const struct adl_ladvise *a)
{
    struct lsim *ls = sim_server(p);
    struct sim_extents ex;
    int rc, result = -1, one;

    if (a->mode != ADL_LADVISE_MODE_READ && a->mode != ADL_LADVISE_MODE_WRITE)
        return -EINVAL;
    if (a->start >= a->end || a->end >= INT64_MAX)
        return -EINVAL;
    rc = sim_file_ready(o->file, &p->conf, fd, a->end + 1);
    if (rc)
        return rc;
    rc = sim_file_map(o->file, a->start & ~(PAGE - 1),
                      (a->end | (PAGE - 1)) + 1, &ex);
    for (int i = 0; rc == 0 && ls && i < ex.n; i++) {
        one = ahead_object(o->file, ls, &ex.list[i], a);
        if (one < 0)
            rc = one;
        else if (result < 0 || one < result)
            result = one;
    }
    sim_extents_clear(&ex);
    return rc ? rc : result < 0 ? 0 : result;
}

static int one_advice(struct sim_proc *p, struct sim_open *o, int fd,
                      const struct adl_ladvise *a)
{
    switch (a->advice) {
    case ADL_LADVISE_WILLREAD:
    case ADL_LADVISE_DONTNEED:
        return a->start > a->end ? -EINVAL : 0;
    case ADL_LADVISE_LOCKNOEXPAND:
        o->noexpand = !(a->flags & ADL_LADVISE_F_UNSET);
        return 0;
    case ADL_LADVISE_LOCKAHEAD:
        return ahead(p, o, fd, a);
    default:
        return -EINVAL;
    }
}

int sim_ladvise(struct sim_proc *p, struct sim_open *o, int fd, void *arg)
{
    unsigned char *at = arg;
    struct adl_ladvise_head h;
    struct adl_ladvise a;
    int rc = 0, one;

    if (!o->file)
        return -ENOTTY;
    if (!arg)
        return -EFAULT;
    memcpy(&h, at, sizeof(h));
    if (h.magic != ADL_LADVISE_MAGIC || h.count == 0 ||
        h.count > ADL_LADVISE_MAX)
        return -EINVAL;
    at += sizeof(h);
    for (uint32_t i = 0; i < h.count; i++, at += sizeof(a)) {
        memcpy(&a, at, sizeof(a));
        one = one_advice(p, o, fd, &a);
        /* LOCKNOEXPAND leaves the result alone, as the real one does. */
        if (a.advice == ADL_LADVISE_LOCKAHEAD) {
            a.result = one;
            memcpy(at, &a, sizeof(a));
        }
        if (one < 0 && rc == 0)
            rc = one;
    }
    return rc;
}
