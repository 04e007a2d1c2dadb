/* ioctl.c - Lustre's ioctls on a descriptor of the simulated file system */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ioctl.h"

#include <errno.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <stdlib.h>
#include <string.h>
#include "abi.h"
#include "inquiry.h"
#include "io.h"
#include "ladvise.h"
#include "mds.h"
#include "store.h"
#include "../tools/layask.h"

/* Newer programs' numbers of the two, with the size of what is passed. */
#define SETSTRIPE_SIZED _IOWR('f', 154, struct adl_lov_user)
#define GETSTRIPE_SIZED _IOR('f', 155, struct adl_lov_user)

int sim_ioctl_ours(unsigned long request)
{
    return request == ADL_IOC_LOV_SETSTRIPE ||
           request == ADL_IOC_LOV_GETSTRIPE || request == ADL_IOC_GROUP_LOCK ||
           request == ADL_IOC_GROUP_UNLOCK || request == ADL_IOC_LADVISE ||
           request == GETSTRIPE_SIZED || request == SETSTRIPE_SIZED ||
           sim_inquiry_ours(request);
}

enum sim_ioctl_kind sim_ioctl_kind(unsigned long request)
{
    static const unsigned long pass[] = {
        TCGETS,       TCSETS,    TIOCGWINSZ,      TIOCGPGRP,        FIONREAD,
        FIONBIO,      FIOASYNC,  FIOCLEX,         FIONCLEX,         FIOQSIZE,
        BLKGETSIZE64, BLKSSZGET, FS_IOC_GETFLAGS, FS_IOC_GETVERSION};
    static const unsigned long refuse[] = {FICLONE, FICLONERANGE, FIDEDUPERANGE,
                                           FS_IOC_FIEMAP};

    for (size_t i = 0; i < sizeof(pass) / sizeof(pass[0]); i++)
        if (request == pass[i])
            return SIM_IOCTL_PASS;
    for (size_t i = 0; i < sizeof(refuse) / sizeof(refuse[0]); i++)
        if (request == refuse[i])
            return SIM_IOCTL_REFUSE;
    return SIM_IOCTL_SERVE;
}

/* ---- striping ---- */

/* How long the caller's request must be, by its own account. 0: unknown. */
static size_t request_length(const unsigned char *arg)
{
    struct adl_lov_comp_head h;
    struct adl_lov_foreign f;
    struct adl_lov_user u;

    memcpy(&u.magic, arg, sizeof(u.magic));
    switch (u.magic) {
    case ADL_LOV_MAGIC_V1:
        return sizeof(u);
    case ADL_LOV_MAGIC_V3:
        return sizeof(u) + ADL_LOV_POOL_SIZE;
    case ADL_LOV_MAGIC_SPECIFIC:
        memcpy(&u, arg, sizeof(u));
        return sizeof(u) + ADL_LOV_POOL_SIZE +
               u.stripe_count * sizeof(struct adl_lov_entry);
    case ADL_LOV_MAGIC_COMP_V1:
    case ADL_LOV_MAGIC_SEL:
        memcpy(&h, arg, sizeof(h));
        return h.size;
    case ADL_LOV_MAGIC_FOREIGN:
        memcpy(&f, arg, sizeof(f));
        return sizeof(f) + f.length;
    default:
        return 0;
    }
}

/* In a plain answer of the ioctl the offset field is the generation, which
 * the xattr does not show: 0. A template keeps "any OST". */
static void put_plain(const struct adl_component *c, int inited,
                      struct adl_lov_user *u)
{
    *u = (struct adl_lov_user){.magic = c->pool[0] ? ADL_LOV_MAGIC_V3
                                                   : ADL_LOV_MAGIC_V1,
                               .pattern = c->pattern,
                               .object_id = c->file_id,
                               .object_seq = c->file_seq,
                               .stripe_size = c->stripe_size,
                               .stripe_count = c->stripe_count,
                               .stripe_offset = inited ? 0 : c->stripe_offset};
    if (c->flags & ADL_LCME_FL_EXTENSION)
        u->stripe_size = c->stripe_size / ADL_LOV_EXT_UNIT;
}

static void copy_out(unsigned char **to, const void *what, size_t n)
{
    memcpy(*to, what, n);
    *to += n;
}

/* Header, pool and up to `room` objects. */
static void answer_plain(unsigned char *to, const struct adl_component *c,
                         int inited, int room)
{
    struct adl_lov_user u;

    put_plain(c, inited, &u);
    copy_out(&to, &u, sizeof(u));
    if (u.magic == ADL_LOV_MAGIC_V3)
        copy_out(&to, c->pool, ADL_LOV_POOL_SIZE);
    for (int i = 0; i < c->nobjects && i < room; i++) {
        const struct adl_object *obj = &c->objects[i];
        struct adl_lov_entry e = {.seq = obj->seq,
                                  .oid = obj->oid,
                                  .ver = obj->ver,
                                  .gen = obj->gen,
                                  .ost = obj->ost};

        copy_out(&to, &e, sizeof(e));
    }
}

/* As the real one, SETSTRIPE on a file leaves the header of what it made in
 * the caller's buffer; here no more than the caller surely has room for. */
static void write_back(struct sim_file *f, void *arg)
{
    struct adl_lov_user in, out;
    const struct adl_component *c;

    memcpy(&in, arg, sizeof(in.magic));
    if (in.magic != ADL_LOV_MAGIC_V1 && in.magic != ADL_LOV_MAGIC_V3)
        return;
    pthread_mutex_lock(&f->lock);
    if (f->layout && adl_layout_ncomponents(f->layout) == 1) {
        c = adl_layout_component(f->layout, 0);
        put_plain(c, 1, &out);
        memcpy(arg, &out, sizeof(out));
    }
    pthread_mutex_unlock(&f->lock);
}

static int set_stripe(struct sim_proc *p, struct sim_open *o, int fd, void *arg)
{
    size_t len;
    int rc;

    if (!arg)
        return -EFAULT;
    len = request_length(arg);
    if (len == 0 || len > SIM_LOV_MAX)
        return -EINVAL;
    if (o->file)
        sim_file_wait_solid(o->file);
    rc = sim_mds_set(&p->conf, fd, arg, len);
    if (rc == 0 && o->file) {
        rc = sim_file_load(o->file, &p->conf, fd);
        write_back(o->file, arg);
    }
    return rc;
}

/* The one component that a program which knows only plain layouts is shown:
 * the last one if the file is empty, else the last that has objects. */
static int shown_component(const struct adl_layout *l, int empty)
{
    int last = adl_layout_ncomponents(l) - 1;

    for (int i = last; i >= 0 && !empty; i--)
        if (adl_layask_instantiated(l, i))
            return i;
    return last;
}

/* A legacy answer about a file: all objects of a component whatever room the
 * caller said there was, of a plain file only as many as fit. */
static void answer_file(void *arg, const struct adl_layout *l, int empty,
                        int room)
{
    int i = 0, composite = adl_layout_head(l)->composite;

    if (composite) {
        i = shown_component(l, empty);
        room = ADL_LOV_MAX_STRIPES;
    }
    answer_plain(arg, adl_layout_component(l, i), adl_layask_instantiated(l, i),
                 room);
}

/* The blob itself, with the generation where it belongs. */
static void answer_blob(void *arg, const struct adl_layout *l, const void *lov,
                        size_t len, int is_dir)
{
    struct adl_lov_user u;

    memcpy(arg, lov, len);
    if (is_dir || adl_layout_ncomponents(l) != 1 ||
        adl_layout_head(l)->composite)
        return;
    memcpy(&u, lov, sizeof(u));
    u.stripe_offset = 0;
    memcpy(arg, &u, sizeof(u));
}

static int get_stripe(struct sim_proc *p, struct sim_open *o, int fd, void *arg)
{
    struct adl_lov_user in;
    struct adl_layout *l;
    struct stat st;
    size_t len;
    void *lov;
    int rc;

    if (!arg)
        return -EFAULT;
    rc = sim_mds_get(&p->conf, fd, &lov, &len);
    if (rc)
        return rc;
    rc = sim_mds_decode(&p->conf, lov, len, &l);
    if (rc)
        goto out;
    memcpy(&in.magic, arg, sizeof(in.magic));
    if (!o->file || in.magic == 0 || adl_layout_ncomponents(l) == 0) {
        answer_blob(arg, l, lov, len, !o->file);
    } else if (fstat(fd, &st) == 0) {
        memcpy(&in, arg, sizeof(in));
        answer_file(arg, l, st.st_size == 0, in.stripe_count);
    }
    adl_layout_destroy(l);
out:
    free(lov);
    return rc;
}

/* ---- group lock ---- */

typedef int (*group_fn)(struct sim_open *o, struct lsim *ls,
                        struct lsim_object *objs, size_t n, uint32_t gid);

static int take_group(struct sim_open *o, struct lsim *ls,
                      struct lsim_object *objs, size_t n, uint32_t gid)
{
    int rc = lsim_group_lock(ls, objs, n, gid, o->flags & O_NONBLOCK);

    if (rc == 0)
        o->inherited = 0;
    return rc;
}

static int drop_group(struct sim_open *o, struct lsim *ls,
                      struct lsim_object *objs, size_t n, uint32_t gid)
{
    return o->inherited ? 0 : lsim_group_unlock(ls, objs, n, gid);
}

static int for_group(struct sim_proc *p, struct sim_open *o, uint32_t gid,
                     group_fn fn)
{
    struct lsim *ls = sim_server(p);
    struct lsim_object *objs;
    size_t n;
    int rc;

    if (!ls)
        return -EIO;
    rc = sim_file_objects(o->file, ls, &objs, &n, NULL);
    if (rc)
        return rc;
    rc = fn(o, ls, objs, n, gid);
    free(objs);
    return rc;
}

/* Without a layout there is nothing to lock, and yet the lock is held. */
static int lock_objects(struct sim_proc *p, struct sim_open *o, int fd,
                        uint32_t gid)
{
    /* Taking it makes the objects of all components. */
    int rc = sim_file_ready(o->file, &p->conf, fd, UINT64_MAX);

    if (rc == -EBADF) {
        sim_file_hollow(o->file, 1);
        o->hollow = 1;
        return 0;
    }
    return rc ? rc : for_group(p, o, gid, take_group);
}

static int lock_group(struct sim_proc *p, struct sim_open *o, int fd,
                      uint32_t gid)
{
    unsigned none = 0;
    int rc;

    if (!o->file)
        return -ENOTTY;
    /* Reserve first: two threads may ask at once on one descriptor. */
    if (gid == 0 || !atomic_compare_exchange_strong(&o->gid, &none, gid))
        return -EINVAL;
    rc = lock_objects(p, o, fd, gid);
    if (rc)
        o->gid = 0;
    return rc;
}

static int unlock_group(struct sim_proc *p, struct sim_open *o, uint32_t gid)
{
    int rc = 0;

    if (!o->file)
        return -ENOTTY;
    if (gid == 0 || o->gid != gid)
        return -EINVAL;
    if (o->hollow)
        sim_file_hollow(o->file, 0);
    else
        rc = for_group(p, o, gid, drop_group);
    o->hollow = 0;
    o->gid = 0;
    return rc;
}

/* ---- all ---- */

int sim_ioctl(struct sim_proc *p, struct sim_open *o, int fd,
              unsigned long request, void *arg)
{
    int rc = sim_io_fault(p, SIM_CALL_IOCTL, o->file ? o->file->path : NULL);

    if (rc)
        return rc;
    if (sim_inquiry_ours(request))
        return sim_inquiry(p, o, fd, request, arg);
    switch (request) {
    case ADL_IOC_LOV_SETSTRIPE:
    case SETSTRIPE_SIZED:
        return set_stripe(p, o, fd, arg);
    case ADL_IOC_LOV_GETSTRIPE:
    case GETSTRIPE_SIZED:
        return get_stripe(p, o, fd, arg);
    case ADL_IOC_GROUP_LOCK:
        return lock_group(p, o, fd, (uint32_t)(long)arg);
    case ADL_IOC_GROUP_UNLOCK:
        return unlock_group(p, o, (uint32_t)(long)arg);
    case ADL_IOC_LADVISE:
        return sim_ladvise(p, o, fd, arg);
    default:
        sim_complain(
            "ioctl 0x%lx ('%c' %lu): not known here", request,
            (int)(request >> 8 & 0x7f) < ' ' ? '?' : (int)(request >> 8 & 0x7f),
            request & 0xff);
        return -ENOTTY;
    }
}
