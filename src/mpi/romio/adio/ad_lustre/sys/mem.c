/* mem.c - finds out whether a buffer is device memory, and copies it */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../core/messages/usercopy.h"
#include "../core/text/wordlist.h"
#include "device.h"

static const struct adl_device *const devices[] = {
    &adl_device_cuda, &adl_device_hip, &adl_device_ze};

enum { DEVICES = sizeof(devices) / sizeof(devices[0]) };
/* Copies shorter than SMALL are merged, in buffers of MERGED bytes. */
enum { SMALL = 4096, MERGED = 65536, MOST_PITCH = 1 << 30 };

/* Device memory that some call holds. */
struct range {
    struct adl_device_range is;
    int holds;       /* how many calls */
    unsigned failed; /* copies, so far */
    struct range *next;
};

struct adl_mem_hold {
    struct range *range;
    unsigned failed; /* of the range, when the call began */
    struct adl_mem_hold *next;
};

/* What was copied from a device beyond what was asked for: [from, from + len);
 * and where the last short copy ended. */
struct ahead {
    char *buf;
    uintptr_t from, end;
    size_t len;
};

/* What is to be copied to a device: rows, the last of them may be longer than
 * the others as long as there is one only. */
struct behind {
    char *buf;
    struct range *range;
    uintptr_t at, last; /* the first row, the last one */
    struct adl_device_rows rows;
};

static struct {
    int loaded[DEVICES]; /* 1: yes, -1: it lacks something */
    int any;
    struct range *ranges; /* the one that was met last is the first */
    char kinds[64];
    struct ahead ahead;
    struct behind behind;
} mem;

/* Of the list of ranges: calls end in any thread. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- libraries ---- */

/* The last name of a device is how all names of its library begin. */
static const char *stem_of(const struct adl_device *d)
{
    const char *const *name = d->names;

    while (name[1])
        name++;
    return *name;
}

/* For each object of the process: is it the library of a device? */
static int note_object(struct dl_phdr_info *object, size_t size, void *there)
{
    const char *slash = strrchr(object->dlpi_name, '/');
    const char *file = slash ? slash + 1 : object->dlpi_name;

    (void)size;
    for (int i = 0; i < DEVICES; i++) {
        const char *stem = stem_of(devices[i]);

        if (strncmp(file, stem, strlen(stem)) == 0)
            ((int *)there)[i] = 1;
    }
    return 0;
}

static void *find_library(const char *const *name)
{
    void *lib = NULL;

    for (; !lib && *name; name++)
        lib = dlopen(*name, RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
    return lib;
}

/* dlopen searches all directories for a library that is not loaded: hundreds of
 * system calls. So it is asked only for those that are. */
void adl_mem_look(void)
{
    int there[DEVICES] = {0};

    dl_iterate_phdr(note_object, there);
    for (int i = 0; i < DEVICES; i++) {
        void *lib = NULL;

        if (there[i] && !mem.loaded[i])
            lib = find_library(devices[i]->names);
        if (!lib)
            continue;
        mem.loaded[i] = devices[i]->load(lib) == 0 ? 1 : -1;
        mem.any |= mem.loaded[i] > 0;
    }
}

/* ---- kinds ---- */

const char *adl_mem_kinds(void)
{
    strcpy(mem.kinds, "system,mpi");
    for (int i = 0; i < DEVICES; i++)
        if (mem.loaded[i] > 0) {
            strcat(mem.kinds, ",");
            strcat(mem.kinds, devices[i]->kind);
        }
    return mem.kinds;
}

/* One kind, perhaps with restrictors: "cuda:host:managed". Restricted to these
 * a device's memory is the processor's too. */
static int kind_host(char *kind)
{
    char *save, *part = strtok_r(kind, ":", &save);
    int host = part && adl_wordlist_find("system|mpi", part) >= 0;

    if (host || !part)
        return host;
    while ((part = strtok_r(NULL, ":", &save))) {
        host = adl_wordlist_find("host|managed|shared", part) >= 0;
        if (!host)
            return 0;
    }
    return host;
}

int adl_mem_kinds_host(const char *list)
{
    char *copy = strdup(list), *kind, *save;
    int host = 0;

    for (kind = copy ? strtok_r(copy, " ,", &save) : NULL; kind;
         kind = strtok_r(NULL, " ,", &save)) {
        host = kind_host(kind);
        if (!host)
            break;
    }
    free(copy);
    return host;
}

/* ---- ranges ---- */

static int range_has(const struct range *r, const void *p)
{
    return (uintptr_t)p - r->is.at < r->is.size;
}

/* The caller has the lock. */
static struct range *find_range(const void *p)
{
    struct range **link = &mem.ranges, *r;

    while (*link && !range_has(*link, p))
        link = &(*link)->next;
    r = *link;
    if (r && r != mem.ranges) {
        *link = r->next;
        r->next = mem.ranges;
        mem.ranges = r;
    }
    return r;
}

/* The range stays as long as the call that copies holds it. */
static struct range *range_of(const void *p)
{
    struct range *r;

    pthread_mutex_lock(&list_lock);
    r = find_range(p);
    pthread_mutex_unlock(&list_lock);
    return r;
}

int adl_mem_is_device(const void *p)
{
    return range_of(p) != NULL;
}

/* ---- copies from a device ---- */

static void note_error(struct range *r, int failed)
{
    r->failed += failed != 0;
}

static int is_ahead(const struct ahead *a, uintptr_t at, size_t n)
{
    return at - a->from < a->len && n <= a->len - (at - a->from);
}

/* Short runs come in crowds (a column of an array): one that follows another
 * closely brings what comes after it along. */
static int bring_along(struct range *r, uintptr_t at, size_t n)
{
    struct ahead *a = &mem.ahead;
    size_t left = r->is.at + r->is.size - at;
    int near = at >= a->end && at - a->end < SMALL;

    a->end = at + n;
    if (n >= SMALL || !near || n > left)
        return 0;
    if (!a->buf)
        a->buf = malloc(MERGED);
    if (!a->buf)
        return 0;
    a->from = at;
    a->len = left < MERGED ? left : MERGED;
    note_error(r, r->is.of->copy_in(&r->is, a->buf, (void *)at, a->len));
    return 1;
}

static void copy_from(struct range *r, void *to, const void *from, size_t n)
{
    uintptr_t at = (uintptr_t)from;
    struct ahead *a = &mem.ahead;

    if (is_ahead(a, at, n) || bring_along(r, at, n)) {
        memcpy(to, a->buf + (at - a->from), n);
        a->end = at + n;
    } else {
        note_error(r, r->is.of->copy_in(&r->is, to, from, n));
    }
}

/* ---- copies to a device ---- */

static void flush_behind(void)
{
    struct behind *b = &mem.behind;
    struct range *r = b->range;
    int failed;

    if (!r)
        return;
    if (b->rows.height == 1)
        failed =
            r->is.of->copy_out(&r->is, (void *)b->at, b->buf, b->rows.width);
    else
        failed =
            r->is.of->copy_rows_out(&r->is, (void *)b->at, b->buf, &b->rows);
    note_error(r, failed);
    b->range = NULL;
}

/* Does a run of n bytes at `at` go on with the rows? */
static int fits_behind(const struct behind *b, const struct range *r,
                       uintptr_t at, size_t n)
{
    size_t used = b->rows.width * b->rows.height;

    if (b->range != r || n > MERGED - used)
        return 0;
    if (b->rows.height == 1 && at == b->at + b->rows.width)
        return 1;
    if (n != b->rows.width || at <= b->last || at - b->last < n ||
        at - b->last >= MOST_PITCH)
        return 0;
    return b->rows.height == 1 || at - b->last == b->rows.pitch;
}

static void add_behind(struct behind *b, uintptr_t at, size_t n)
{
    if (b->rows.height == 1 && at == b->at + b->rows.width) {
        b->rows.width += n;
        return;
    }
    b->rows.pitch = at - b->last;
    b->rows.height++;
    b->last = at;
}

static void begin_behind(struct behind *b, struct range *r, uintptr_t at,
                         size_t n)
{
    flush_behind();
    b->range = r;
    b->at = b->last = at;
    b->rows = (struct adl_device_rows){n, 1, 0};
}

static void copy_to(struct range *r, void *to, const void *from, size_t n)
{
    struct behind *b = &mem.behind;
    uintptr_t at = (uintptr_t)to;

    if (n < SMALL && !b->buf)
        b->buf = malloc(MERGED);
    if (n >= SMALL || !b->buf) {
        flush_behind();
        note_error(r, r->is.of->copy_out(&r->is, to, from, n));
        return;
    }
    if (fits_behind(b, r, at, n)) {
        memcpy(b->buf + b->rows.width * b->rows.height, from, n);
        add_behind(b, at, n);
    } else {
        begin_behind(b, r, at, n);
        memcpy(b->buf, from, n);
    }
}

/* ---- the user's copies ---- */

static void copy_user_in(void *to, const void *user, size_t n)
{
    struct range *r = range_of(user);

    if (r && n > 0) {
        flush_behind();
        copy_from(r, to, user, n);
    } else {
        memcpy(to, user, n);
    }
}

static void copy_user_out(void *user, const void *from, size_t n)
{
    struct range *r = range_of(user);

    if (r && n > 0) {
        mem.ahead.len = 0;
        copy_to(r, user, from, n);
    } else {
        memcpy(user, from, n);
    }
}

static const struct adl_usercopy copies = {copy_user_in, copy_user_out};

/* ---- calls ---- */

static int ask_devices(const void *p, struct adl_device_range *out)
{
    for (int i = 0; i < DEVICES; i++)
        if (mem.loaded[i] > 0 && devices[i]->find(p, out) == 0) {
            out->of = devices[i];
            return 0;
        }
    return -ENOENT;
}

static int hold_has(const struct adl_mem_hold *hold, const void *p)
{
    while (hold && !range_has(hold->range, p))
        hold = hold->next;
    return hold != NULL;
}

/* The range of p; NULL: it is not a device's, or there is no memory (*rc).
 * Another call that holds it has asked. */
static struct range *take_range(const void *p, int *rc)
{
    struct adl_device_range found = {0};
    struct range *r = find_range(p);

    if (r || ask_devices(p, &found) < 0)
        return r;
    r = calloc(1, sizeof(*r));
    if (!r) {
        *rc = -ENOMEM;
        return NULL;
    }
    r->is = found;
    r->next = mem.ranges;
    mem.ranges = r;
    __atomic_store_n(&adl_usercopy_device, &copies, __ATOMIC_RELAXED);
    return r;
}

int adl_mem_hold(struct adl_mem_hold **hold, const void *p)
{
    struct adl_mem_hold *more;
    int rc = 0;

    if (!mem.any || !p || hold_has(*hold, p))
        return 0;
    mem.ahead.len = 0;
    more = malloc(sizeof(*more));
    if (!more)
        return -ENOMEM;
    pthread_mutex_lock(&list_lock);
    more->range = take_range(p, &rc);
    if (more->range) {
        more->range->holds++;
        more->failed = more->range->failed;
    }
    pthread_mutex_unlock(&list_lock);
    if (!more->range) {
        free(more);
        return rc;
    }
    more->next = *hold;
    *hold = more;
    return 0;
}

/* The caller has the lock. */
static void drop_range(struct range *r)
{
    struct range **link = &mem.ranges;

    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    if (mem.behind.range == r) /* of a call that gave up */
        mem.behind.range = NULL;
    free(r);
    if (!mem.ranges)
        __atomic_store_n(&adl_usercopy_device, NULL, __ATOMIC_RELAXED);
}

void adl_mem_release(struct adl_mem_hold *hold)
{
    if (!hold)
        return;
    pthread_mutex_lock(&list_lock);
    while (hold) {
        struct adl_mem_hold *next = hold->next;

        if (--hold->range->holds == 0)
            drop_range(hold->range);
        free(hold);
        hold = next;
    }
    pthread_mutex_unlock(&list_lock);
}

static unsigned count_failed(const struct range *r)
{
    if (mem.behind.range == r)
        flush_behind();
    return r->failed;
}

/* Calls that share an allocation cannot tell whose copy failed: all of them
 * fail. */
int adl_mem_finish(const struct adl_mem_hold *hold)
{
    int rc = 0;

    for (; hold; hold = hold->next)
        if (count_failed(hold->range) != hold->failed)
            rc = -EIO;
    return rc;
}

unsigned adl_mem_failed(const void *p)
{
    const struct range *r = range_of(p);

    return r ? count_failed(r) : 0;
}

/* ---- buffers of ours ---- */

void *adl_mem_stage(const void *p, size_t size, int *pinned)
{
    const struct range *r = *pinned ? range_of(p) : NULL;
    void *stage = r ? r->is.of->pin(&r->is, size) : NULL;

    *pinned = stage != NULL;
    return stage ? stage : malloc(size);
}

void adl_mem_unstage(const void *p, void *stage, int pinned)
{
    const struct range *r = pinned ? range_of(p) : NULL;

    if (r)
        r->is.of->unpin(&r->is, stage);
    else
        free(stage);
}
