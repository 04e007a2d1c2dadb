/* mds.c - what the metadata server does with layouts */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "mds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "alloc.h"
#include "store.h"

#define SIM_LCME_NEG 0x80000000u /* a request: not these flags */
#define FIRST_FID_SEQ UINT64_C(0x200000401)

/* A layout under construction: components and room for their objects. */
struct draft {
    struct adl_layout_head head;
    struct adl_component *comps;
    struct adl_object *objects; /* ADL_LOV_MAX_STRIPES a component */
    int n;
};

int sim_mds_decode(const struct sim_conf *c, const void *lov, size_t len,
                   struct adl_layout **out)
{
    struct adl_layout_defaults def = {.ost_count = c->osts,
                                      .stripe_count = c->stripe_count,
                                      .stripe_size = c->stripe_size};

    return adl_layout_decode(lov, len, &def, out, NULL);
}

void sim_mds_fid(uint64_t inode, uint64_t *seq, uint64_t *oid)
{
    *seq = FIRST_FID_SEQ + (inode >> 32);
    *oid = inode & 0xffffffffu;
}

uint64_t sim_mds_inode(uint64_t seq, uint64_t oid)
{
    return (seq - FIRST_FID_SEQ) << 32 | (oid & 0xffffffffu);
}

int sim_mds_get(const struct sim_conf *c, int fd, void **lov, size_t *len)
{
    int rc = sim_store_get(c, fd, lov, len);

    if (rc || *len)
        return rc;
    free(*lov);
    return -ENODATA;
}

/* Whether a file has a layout: its length, 0 if it waits for one, -errno. */
static ssize_t layout_length(const struct sim_conf *c, int fd)
{
    size_t len;
    void *lov;
    int rc = sim_store_get(c, fd, &lov, &len);

    if (rc)
        return rc;
    free(lov);
    return len;
}

static int get_decoded(const struct sim_conf *c, int fd,
                       struct adl_layout **out)
{
    size_t len;
    void *lov;
    int rc = sim_mds_get(c, fd, &lov, &len);

    if (rc)
        return rc;
    rc = sim_mds_decode(c, lov, len, out);
    free(lov);
    return rc;
}

static void draft_clear(struct draft *d)
{
    free(d->comps);
    free(d->objects);
}

/* Start from a layout; objects of its components stay where they are. */
static int draft_from(const struct adl_layout *l, struct draft *d)
{
    memset(d, 0, sizeof(*d));
    d->head = *adl_layout_head(l);
    d->n = adl_layout_ncomponents(l);
    d->comps = calloc(d->n, sizeof(*d->comps));
    d->objects =
        calloc((size_t)d->n * ADL_LOV_MAX_STRIPES, sizeof(*d->objects));
    if (!d->comps || !d->objects) {
        draft_clear(d);
        return -ENOMEM;
    }
    for (int i = 0; i < d->n; i++)
        d->comps[i] = *adl_layout_component(l, i);
    return 0;
}

/* Encode the draft and keep it with the file. */
static int draft_put(const struct sim_conf *c, int fd, const struct draft *d)
{
    struct adl_layout *l;
    void *blob;
    size_t len;
    int rc = adl_layout_create(&d->head, d->comps, d->n, NULL, &l, NULL);

    if (rc)
        return rc;
    rc = adl_layout_encode(l, &blob, &len);
    adl_layout_destroy(l);
    if (rc)
        return rc;
    rc = sim_store_put(c, fd, blob, len);
    free(blob);
    return rc;
}

/* Objects for all components that begin below `end` and have none. Returns
 * how many got some, or -errno. */
static int draft_instantiate(const struct sim_conf *c, struct draft *d,
                             uint64_t end)
{
    struct sim_alloc a;
    int rc = sim_alloc_begin(c, &a), got = 0;

    if (rc)
        return rc;
    for (int i = 0; i < d->n; i++) {
        struct adl_component *comp = &d->comps[i];

        if ((uint64_t)comp->start >= end || comp->start == comp->end ||
            (comp->flags & (ADL_LCME_FL_INIT | ADL_LCME_FL_EXTENSION)))
            continue;
        sim_alloc_objects(c, &a, comp,
                          d->objects + (size_t)i * ADL_LOV_MAX_STRIPES);
        got++;
    }
    rc = sim_alloc_end(&a);
    return rc ? rc : got;
}

/* Number the components as a new file has them: 1, 2, ..., and the mirror
 * above, if there is more than one. */
static void number_components(struct draft *d)
{
    uint32_t mirror = d->head.mirrors > 1;

    for (int i = 0; i < d->n; i++) {
        if (mirror && i > 0 && d->comps[i].start == 0)
            mirror++;
        d->comps[i].id = (mirror << ADL_LCME_MIRROR_SHIFT) | (i + 1);
        d->comps[i].file_id = d->comps[i].file_seq = 0;
        d->comps[i].flags &= ~(uint32_t)ADL_LCME_FL_INIT;
    }
    d->head.layout_gen = d->n;
    d->head.flags = mirror ? ADL_LCM_FL_RDONLY : ADL_LCM_FL_NONE;
}

/* A plain layout has no INIT flag on disk; drafts use it meanwhile. */
static int put_new(const struct sim_conf *c, int fd, struct draft *d)
{
    struct stat st;
    int rc;

    if (fstat(fd, &st) != 0)
        return -errno;
    if (d->head.composite)
        number_components(d);
    rc = draft_instantiate(c, d, 1);
    if (rc < 0)
        return rc;
    if (!d->head.composite) {
        d->comps[0].flags = 0;
        sim_mds_fid(st.st_ino, &d->comps[0].file_seq, &d->comps[0].file_id);
    }
    return draft_put(c, fd, d);
}

/* Form of components without objects: V1 or V3, never SPECIFIC unless it
 * names OSTs, and with a pattern. */
static void tidy_templates(struct draft *d)
{
    for (int i = 0; i < d->n; i++) {
        struct adl_component *comp = &d->comps[i];

        if (comp->pattern == 0)
            comp->pattern = ADL_LOV_PATTERN_RAID0;
        if (comp->nobjects == 0)
            comp->magic = comp->pool[0] ? ADL_LOV_MAGIC_V3 : ADL_LOV_MAGIC_V1;
    }
}

static int check_request(const struct sim_conf *c, const struct draft *d)
{
    int rc = 0;

    for (int i = 0; i < d->n && rc == 0; i++) {
        const struct adl_component *comp = &d->comps[i];

        if (!(comp->flags & ADL_LCME_FL_EXTENSION))
            rc = sim_alloc_check(c, comp);
        /* Objects of others: only SPECIFIC may name OSTs. */
        if (comp->nobjects && comp->magic != ADL_LOV_MAGIC_SPECIFIC)
            rc = -EINVAL;
    }
    return rc;
}

static int is_unset_field(const struct draft *d)
{
    const struct adl_component *t = d->comps;

    return !d->head.composite && t->stripe_count == 0 && t->stripe_size == 0 &&
           t->stripe_offset == (int)ADL_LOV_OFFSET_ANY && !t->pool[0] &&
           t->nobjects == 0;
}

static int set_dir(const struct sim_conf *c, int fd, struct draft *d)
{
    if (is_unset_field(d)) {
        sim_store_drop(c, fd);
        return 0;
    }
    tidy_templates(d);
    return draft_put(c, fd, d);
}

/* Has the file objects already? Under the lock. */
static int check_unset(const struct sim_conf *c, int fd)
{
    ssize_t len = layout_length(c, fd);

    if (len == -ENODATA)
        return 0;
    return len > 0 ? -EEXIST : (int)len;
}

static int set_locked(const struct sim_conf *c, int fd, struct draft *d)
{
    struct stat st;
    int rc;

    if (fstat(fd, &st) != 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return set_dir(c, fd, d);
    rc = check_unset(c, fd);
    if (rc)
        return rc;
    tidy_templates(d);
    return put_new(c, fd, d);
}

/* A foreign layout is kept unchanged; the file never has objects. */
static int set_foreign(const struct sim_conf *c, int fd, const void *lum,
                       size_t len)
{
    int lock = sim_store_lock(c), rc;

    if (lock < 0)
        return lock;
    rc = check_unset(c, fd);
    if (rc == 0)
        rc = sim_store_put(c, fd, lum, len);
    sim_store_unlock(lock);
    return rc;
}

/* More stripes than there can be are quietly made fewer; the decoder would
 * refuse them. Works on the caller's copy. */
static void clamp_count(unsigned char *lum, size_t len)
{
    struct adl_lov_user u;

    if (len < sizeof(u))
        return;
    memcpy(&u, lum, sizeof(u));
    if ((u.magic == ADL_LOV_MAGIC_V1 || u.magic == ADL_LOV_MAGIC_V3) &&
        u.stripe_count > ADL_LOV_MAX_STRIPES &&
        u.stripe_count < ADL_LOV_ALL_OVERSTRIPED)
        u.stripe_count = ADL_LOV_MAX_STRIPES;
    memcpy(lum, &u, sizeof(u));
}

static int decode_request(const struct sim_conf *c, const void *lum, size_t len,
                          struct adl_layout **out)
{
    unsigned char *copy;
    int rc;

    if (len > SIM_LOV_MAX)
        return -EINVAL;
    copy = malloc(len + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, lum, len);
    clamp_count(copy, len);
    rc = sim_mds_decode(c, copy, len, out);
    free(copy);
    return rc;
}

/* The server checks for existing objects before it looks at the request. */
static int has_objects(const struct sim_conf *c, int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
           layout_length(c, fd) > 0;
}

int sim_mds_set(const struct sim_conf *c, int fd, const void *lum, size_t len)
{
    struct adl_layout *l = NULL;
    struct draft d;
    int rc, lock;

    if (has_objects(c, fd))
        return -EEXIST;
    rc = decode_request(c, lum, len, &l);
    if (rc)
        return rc;
    if (adl_layout_ncomponents(l) == 0) {
        adl_layout_destroy(l);
        return set_foreign(c, fd, lum, len);
    }
    rc = draft_from(l, &d);
    if (rc)
        goto out;
    rc = check_request(c, &d);
    if (rc)
        goto out_draft;
    lock = sim_store_lock(c);
    rc = lock < 0 ? lock : set_locked(c, fd, &d);
    sim_store_unlock(lock);
out_draft:
    draft_clear(&d);
out:
    adl_layout_destroy(l);
    return rc;
}

int sim_mds_unset(const struct sim_conf *c, int fd)
{
    int lock = sim_store_lock(c);

    if (lock < 0)
        return lock;
    sim_store_drop(c, fd);
    sim_store_unlock(lock);
    return 0;
}

static int get_at(const struct sim_conf *c, const char *path,
                  struct adl_layout **out)
{
    int fd = open(path, O_PATH | O_CLOEXEC), rc;

    if (fd < 0)
        return -errno;
    rc = get_decoded(c, fd, out);
    close(fd);
    return rc;
}

static int parent_of(const char *path, char parent[PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path || slash - path >= PATH_MAX)
        return -EINVAL;
    memcpy(parent, path, slash - path);
    parent[slash - path] = '\0';
    return 0;
}

/* The template for a new file: of its directory, else of the root, else of
 * the file system. Unreadable ones count as none. */
static int default_template(const struct sim_conf *c, const char *path,
                            struct adl_layout **out)
{
    struct adl_component t = {.end = ADL_LAYOUT_EOF,
                              .magic = ADL_LOV_MAGIC_V1,
                              .pattern = ADL_LOV_PATTERN_RAID0,
                              .stripe_offset = ADL_LOV_OFFSET_ANY};
    struct adl_layout_head head = {.mirrors = 1};
    char parent[PATH_MAX];

    if (parent_of(path, parent) == 0 && get_at(c, parent, out) == 0)
        return 0;
    if (get_at(c, c->root, out) == 0)
        return 0;
    return adl_layout_create(&head, &t, 1, NULL, out, NULL);
}

static int put_default(const struct sim_conf *c, int fd, const char *path)
{
    struct adl_layout *l;
    struct draft d;
    int rc = default_template(c, path, &l);

    if (rc)
        return rc;
    rc = draft_from(l, &d);
    if (rc == 0) {
        tidy_templates(&d);
        rc = put_new(c, fd, &d);
        draft_clear(&d);
    }
    adl_layout_destroy(l);
    return rc;
}

/* Under the lock. A file without a record was made outside or by mknod: it
 * has objects as soon as it has data or may get some. One with an empty
 * record was made with O_LOV_DELAY_CREATE and waits for its layout. */
static int open_locked(const struct sim_conf *c, int fd, const char *path,
                       int how)
{
    ssize_t len = layout_length(c, fd);
    int fresh = len == -ENODATA;
    struct stat st;

    if (len > 0)
        return 0;
    if (len < 0 && !fresh)
        return len;
    if (fstat(fd, &st) != 0)
        return -errno;
    if (how & SIM_MDS_DELAY) {
        if (!fresh)
            return 0;
        if ((how & SIM_MDS_CREATE) && st.st_size == 0)
            return sim_store_put(c, fd, NULL, 0);
    }
    if ((how & SIM_MDS_WRITE) || (fresh && st.st_size > 0))
        return put_default(c, fd, path);
    return 0;
}

int sim_mds_open(const struct sim_conf *c, int fd, const char *path, int how,
                 int *had)
{
    int lock, rc, has = layout_length(c, fd) > 0;

    if (had)
        *had = has;
    if (has) /* as nearly always: no lock */
        return 0;
    lock = sim_store_lock(c);
    if (lock < 0)
        return lock;
    rc = open_locked(c, fd, path, how);
    sim_store_unlock(lock);
    return rc;
}

static int instantiate_locked(const struct sim_conf *c, int fd, uint64_t end)
{
    struct adl_layout *l;
    struct draft d;
    int rc = get_decoded(c, fd, &l);

    if (rc)
        return rc;
    rc = adl_layout_head(l)->composite ? draft_from(l, &d) : -EALREADY;
    if (rc == 0) {
        rc = draft_instantiate(c, &d, end);
        if (rc > 0) {
            d.head.layout_gen++;
            rc = draft_put(c, fd, &d);
        }
        draft_clear(&d);
    }
    adl_layout_destroy(l);
    return rc == -EALREADY ? 0 : rc;
}

int sim_mds_instantiate(const struct sim_conf *c, int fd, uint64_t end)
{
    int lock = sim_store_lock(c), rc;

    if (lock < 0)
        return lock;
    rc = instantiate_locked(c, fd, end);
    sim_store_unlock(lock);
    return rc;
}

/* ---- components come and go ---- */

/* A request about components: the entries as they were sent, and, of those to
 * be added, the layouts, moved to begin at 0 as the decoder wants them. */
struct parts {
    uint16_t n;
    struct adl_lov_comp_entry *entry;
    struct adl_layout *layout; /* NULL: not asked for */
};

static void parts_clear(struct parts *p)
{
    free(p->entry);
    adl_layout_destroy(p->layout);
}

static int parts_entries(const void *lum, size_t len, struct parts *p)
{
    struct adl_lov_comp_head h;

    memset(p, 0, sizeof(*p));
    if (len < sizeof(h))
        return -EINVAL;
    memcpy(&h, lum, sizeof(h));
    if (h.magic != ADL_LOV_MAGIC_COMP_V1 || h.entry_count == 0 ||
        len < sizeof(h) + h.entry_count * sizeof(*p->entry))
        return -EINVAL;
    p->n = h.entry_count;
    p->entry = calloc(p->n, sizeof(*p->entry));
    if (!p->entry)
        return -ENOMEM;
    memcpy(p->entry, (const char *)lum + sizeof(h), p->n * sizeof(*p->entry));
    return 0;
}

static int parts_layout(const struct sim_conf *c, const void *lum, size_t len,
                        struct parts *p)
{
    unsigned char *copy = malloc(len);
    uint64_t base = p->entry[0].start;
    int rc;

    if (!copy)
        return -ENOMEM;
    memcpy(copy, lum, len);
    for (uint16_t i = 0; i < p->n; i++) {
        struct adl_lov_comp_entry e = p->entry[i];

        e.start -= base;
        e.end -= e.end == UINT64_MAX ? 0 : base;
        memcpy(copy + sizeof(struct adl_lov_comp_head) + i * sizeof(e), &e,
               sizeof(e));
    }
    rc = decode_request(c, copy, len, &p->layout);
    free(copy);
    if (rc == 0 && adl_layout_ncomponents(p->layout) != p->n)
        rc = -EINVAL;
    return rc;
}

/* Change the draft of a composite file; -errno. */
typedef int (*change_fn)(struct draft *d, const struct parts *p);

/* The new ones follow the last one without a gap. */
static int append_components(struct draft *d, const struct parts *p)
{
    int64_t base = d->comps[d->n - 1].end;
    struct adl_component *comps =
        realloc(d->comps, (d->n + p->n) * sizeof(*comps));

    if (!comps)
        return -ENOMEM;
    d->comps = comps;
    if (base == ADL_LAYOUT_EOF || p->entry[0].start != (uint64_t)base)
        return -EINVAL;
    for (int i = 0; i < p->n; i++) {
        struct adl_component *comp = &d->comps[d->n];

        *comp = *adl_layout_component(p->layout, i);
        comp->start += base;
        comp->end += comp->end == ADL_LAYOUT_EOF ? 0 : base;
        comp->id = d->comps[d->n - 1].id + 1;
        comp->flags &= ~(uint32_t)ADL_LCME_FL_INIT;
        d->n++;
    }
    tidy_templates(d);
    return 0;
}

/* Which component a request means: by its id, or, NEG, those that have not
 * got the flags. */
static int is_meant(const struct adl_component *comp,
                    const struct adl_lov_comp_entry *request)
{
    uint32_t flags = request->flags & ~SIM_LCME_NEG;

    if (request->id)
        return comp->id == request->id;
    if (request->flags & SIM_LCME_NEG)
        return !(comp->flags & flags);
    return flags && (comp->flags & flags) == flags;
}

/* Only from the end: a hole in the layout is refused. */
static int remove_components(struct draft *d, const struct parts *p)
{
    int n = d->n;

    while (n > 0 && is_meant(&d->comps[n - 1], &p->entry[0]))
        n--;
    if (n == d->n || n == 0)
        return -EINVAL;
    for (int i = 0; i < n; i++)
        if (is_meant(&d->comps[i], &p->entry[0]))
            return -EINVAL;
    d->n = n;
    return 0;
}

static int change_locked(const struct sim_conf *c, int fd,
                         const struct parts *p, change_fn change)
{
    struct adl_layout *l;
    struct draft d;
    int rc = get_decoded(c, fd, &l);

    if (rc)
        return rc;
    rc = adl_layout_head(l)->composite ? draft_from(l, &d) : -EINVAL;
    if (rc == 0) {
        rc = change(&d, p);
        d.head.layout_gen++;
        if (rc == 0)
            rc = draft_put(c, fd, &d);
        draft_clear(&d);
    }
    adl_layout_destroy(l);
    return rc;
}

static int change_components(const struct sim_conf *c, int fd,
                             const struct parts *p, change_fn change)
{
    int lock = sim_store_lock(c), rc;

    if (lock < 0)
        return lock;
    rc = change_locked(c, fd, p, change);
    sim_store_unlock(lock);
    return rc;
}

int sim_mds_add(const struct sim_conf *c, int fd, const void *lum, size_t len)
{
    struct parts p;
    int rc = parts_entries(lum, len, &p);

    if (rc == 0)
        rc = parts_layout(c, lum, len, &p);
    if (rc == 0)
        rc = change_components(c, fd, &p, append_components);
    parts_clear(&p);
    return rc;
}

int sim_mds_delete(const struct sim_conf *c, int fd, const void *lum,
                   size_t len)
{
    struct parts p;
    int rc = parts_entries(lum, len, &p);

    if (rc == 0)
        rc = change_components(c, fd, &p, remove_components);
    parts_clear(&p);
    return rc;
}

static int copy_default(const struct sim_conf *c, int from, int to)
{
    size_t len;
    void *lov;
    int rc = sim_mds_get(c, from, &lov, &len);

    if (rc)
        return rc == -ENODATA ? 0 : rc;
    rc = sim_mds_set(c, to, lov, len);
    free(lov);
    return rc;
}

int sim_mds_inherit(const struct sim_conf *c, const char *path)
{
    char parent[PATH_MAX];
    int from, to, rc = parent_of(path, parent);

    /* The root's default needs no copies: every file falls back on it. */
    if (rc || strcmp(parent, c->root) == 0)
        return rc;
    from = open(parent, O_PATH | O_CLOEXEC);
    to = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = from < 0 || to < 0 ? -errno : copy_default(c, from, to);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return rc;
}
