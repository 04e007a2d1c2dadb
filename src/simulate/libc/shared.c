/* shared.c - mappings, futexes and copies
 *
 * Every rank maps the memory that it shares at an address of its own, as
 * processes do. So a driver that stores a pointer in shared memory fails here
 * too. A futex is identified by file and offset.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../config.h"
#include "../memory.h"
#include "../order.h"
#include "../trace.h"
#include "calls.h"
#include "libc.h"

#define SECOND INT64_C(1000000000)
#define AFTER_NAP 10000000           /* ns */
#define RANK_KEY (UINT64_C(1) << 48) /* more than any address */

struct libc_counts libc_counts;

/* A mapping of a rank, or of all of them. */
struct mapping {
    struct mapping *next;
    char *at;
    size_t bytes;
    uint64_t id; /* of the memory */
    int refs;    /* of a mapping for all */
    dev_t dev;
    ino_t ino;
};
static struct mapping **mappings; /* [ranks] */
static struct mapping *common;    /* of all ranks: lustre-sim's server */

/* Memory that is mapped now, by device and inode. */
struct memory_file {
    struct memory_file *next;
    dev_t dev;
    ino_t ino;
    uint64_t id;
    int refs;
    size_t bytes;
};
static struct memory_file *files;

static struct memory_file *file_of(const struct stat *st, size_t bytes)
{
    static uint64_t last;
    struct memory_file *f = files;

    while (f && (f->ino != st->st_ino || f->dev != st->st_dev))
        f = f->next;
    if (!f) {
        f = must_calloc(1, sizeof(*f));
        f->dev = st->st_dev;
        f->ino = st->st_ino;
        f->id = ++last << 44;
        f->bytes = bytes;
        f->next = files;
        files = f;
        libc_counts.shared_memory += bytes;
        if (libc_counts.shared_memory > libc_counts.shared_peak)
            libc_counts.shared_peak = libc_counts.shared_memory;
    }
    f->refs++;
    return f;
}

static void file_put(uint64_t id)
{
    struct memory_file **at = &files;

    while (*at && (*at)->id != id)
        at = &(*at)->next;
    if (*at && --(*at)->refs == 0) {
        struct memory_file *f = *at;

        libc_counts.shared_memory -= f->bytes;
        *at = f->next;
        free(f);
    }
}

static void note_mapping(char *at, size_t bytes, int fd)
{
    struct mapping *m = must_calloc(1, sizeof(*m));
    struct stat st;

    if (!mappings)
        mappings = must_calloc((size_t)config.ranks, sizeof(*mappings));
    m->at = at;
    m->bytes = bytes;
    if (fstat(fd, &st) == 0)
        m->id = file_of(&st, bytes)->id;
    m->next = mappings[sched_rank];
    mappings[sched_rank] = m;
    libc_counts.shared_bytes += bytes;
}

int libc_is_refused(void)
{
    return config.scarce && sched_rank >= 0 &&
           sched_random((uint64_t)config.scarce) == 0;
}

void libc_end_scarcity(void)
{
    config.scarce = 0;
}

void *libc_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
    void *p;

    libc_hook();
    if ((flags & MAP_SHARED) && libc_is_refused()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    p = mmap(at, bytes, prot, flags, fd, off);
    if (p != MAP_FAILED && (flags & MAP_SHARED) && fd >= 0 && sched_rank >= 0)
        note_mapping(p, bytes, fd);
    return p;
}

int libc_munmap(void *p, size_t bytes)
{
    struct mapping **at =
        mappings && sched_rank >= 0 ? &mappings[sched_rank] : NULL;

    while (at && *at && (*at)->at != p)
        at = &(*at)->next;
    if (at && *at) {
        struct mapping *m = *at;

        *at = m->next;
        file_put(m->id);
        free(m);
    }
    return munmap(p, bytes);
}

static const struct mapping *mapping_of(const char *at)
{
    const struct mapping *m =
        mappings && sched_rank >= 0 ? mappings[sched_rank] : NULL;

    while (m && (at < m->at || at >= m->at + m->bytes))
        m = m->next;
    return m;
}

uint64_t shared_key(const void *at)
{
    const struct mapping *m = mapping_of(at);

    if (m)
        return m->id + (uint64_t)((const char *)at - m->at);
    if (memory_is_variable(at))
        return (uint64_t)(uintptr_t)at + RANK_KEY * (uint64_t)(sched_rank + 1);
    return (uint64_t)(uintptr_t)at;
}

/* ---- one mapping for all ranks: the memory of lustre-sim's server, which is
 * large and of which each process would have little ---- */

static long map_common(size_t bytes, int prot, int fd)
{
    struct stat st;
    struct mapping *m = common;

    if (fstat(fd, &st) < 0)
        return -1;
    while (m && (m->ino != st.st_ino || m->dev != st.st_dev))
        m = m->next;
    if (!m) {
        m = must_calloc(1, sizeof(*m));
        m->at = mmap(NULL, bytes, prot, MAP_SHARED | MAP_NORESERVE, fd, 0);
        if (m->at == MAP_FAILED) {
            free(m);
            return -1;
        }
        m->bytes = bytes;
        m->dev = st.st_dev;
        m->ino = st.st_ino;
        m->next = common;
        common = m;
    }
    m->refs++;
    return (long)(intptr_t)m->at;
}

static int is_common(const char *at)
{
    for (const struct mapping *m = common; m; m = m->next)
        if (at == m->at)
            return 1;
    return 0;
}

int shared_by_all(const void *at)
{
    for (const struct mapping *m = common; m; m = m->next)
        if ((const char *)at >= m->at && (const char *)at < m->at + m->bytes)
            return 1;
    return 0;
}

/* ---- futexes ---- */

/* Fibers whose last sleep ended by its limit of a second, and on what. */
static struct {
    int fiber;
    uint64_t key;
} overdue[64];

/* A fault can make a call take a second, too. A rank may then wake another one
 * at the very moment at which the limit comes: it has stored what the other
 * waits for, and has not yet changed the word. */
static int64_t nap_end;

void shared_naps(int64_t ns)
{
    int64_t end = sched_time() + ns + AFTER_NAP;

    if (ns >= SECOND / 2 && end > nap_end)
        nap_end = end;
}

/* The driver never means to sleep a second: this time limit only ends a sleep
 * whose wake-up did not come. A fiber that then does not go back to sleep on
 * the same word has found what it waited for: it had not been woken. */
static void check_lost(const uint32_t *word, uint32_t value, int64_t limit)
{
    int fiber = sched_fiber_id(sched_current);

    if (limit < SECOND || sched_some_stopped() || sched_now() < nap_end)
        return;
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
        sched_fail("a wake-up was lost: the word had changed when the sleep "
                   "of a second ended");
    overdue[fiber % 64].fiber = fiber;
    overdue[fiber % 64].key = shared_key(word);
}

void shared_sleeps(uint64_t key)
{
    int fiber = sched_fiber_id(sched_current);
    uint64_t last = overdue[fiber % 64].key;

    if (!last || overdue[fiber % 64].fiber != fiber)
        return;
    overdue[fiber % 64].key = 0;
    if (key != last)
        sched_fail("a wake-up was lost: what a fiber waited for had come when "
                   "its sleep of a second ended");
}

static long futex_wait(uint32_t *word, uint32_t value, int64_t limit)
{
    int late;

    libc_hook();
    sched_charge(500);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        errno = EAGAIN;
        return -1;
    }
    libc_counts.futex_waits++;
    shared_sleeps(shared_key(word));
    TRACE("futex wait, key %llx", (unsigned long long)shared_key(word));
    late = sched_block(shared_key(word), limit, "waits for a futex");
    if (!late)
        return 0;
    check_lost(word, value, limit);
    errno = ETIMEDOUT;
    return -1;
}

static long futex(va_list ap)
{
    uint32_t *word = va_arg(ap, uint32_t *);
    int op = va_arg(ap, int) & FUTEX_CMD_MASK;
    uint32_t value = va_arg(ap, uint32_t);
    const struct timespec *t = va_arg(ap, const struct timespec *);
    struct timespec now;
    int64_t limit = -1;

    if (op == FUTEX_WAKE) {
        libc_counts.futex_wakes++;
        sched_charge(1000);
        libc_hook();
        return sched_wake(shared_key(word), (int)value);
    }
    if (t)
        limit = t->tv_sec * SECOND + t->tv_nsec;
    if (t && op == FUTEX_WAIT_BITSET) { /* until a time, not for one */
        libc_clock_gettime(CLOCK_MONOTONIC, &now);
        limit -= now.tv_sec * SECOND + now.tv_nsec;
    }
    return futex_wait(word, value, limit < 0 && t ? 0 : limit);
}

/* ---- system calls by number: the driver's futexes, and lustre-sim ---- */

/* Memory without a name is shared by ranks of a node; a file is lustre-sim's
 * server. */
static long mmap_call(va_list ap)
{
    void *at = va_arg(ap, void *);
    size_t bytes = va_arg(ap, size_t);
    int prot = va_arg(ap, int), flags = va_arg(ap, int), fd = va_arg(ap, int);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink > 0)
        return map_common(bytes, prot, fd);
    return (long)(intptr_t)libc_mmap(at, bytes, prot, flags, fd, 0);
}

/* Arguments of a call that is the kernel's: as many registers as there are. */
static long pass(long number, va_list ap)
{
    long a[6];

    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    if (number == SYS_munmap && is_common((char *)(intptr_t)a[0]))
        return 0;
    if (number == SYS_flock) /* ranks take turns here anyway */
        return 0;
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long libc_syscall(long number, ...)
{
    va_list ap;
    long rc;

    va_start(ap, number);
    if (number == SYS_futex)
        rc = futex(ap);
    else if (number == SYS_mmap)
        rc = mmap_call(ap);
    else
        rc = pass(number, ap);
    va_end(ap);
    return rc;
}

/* ---- copies ---- */

void *libc_memcpy(void *to, const void *from, size_t n)
{
    libc_hook();
    sched_charge((int64_t)((double)n / config.copy_speed));
    if (config.weak && mapping_of(to))
        order_copy(to, n);
    memcpy(to, from, n);
    libc_hook();
    return to;
}

void *libc_memmove(void *to, const void *from, size_t n)
{
    libc_hook();
    sched_charge((int64_t)((double)n / config.copy_speed));
    memmove(to, from, n);
    libc_hook();
    return to;
}
