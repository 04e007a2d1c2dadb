/* failalloc.c - a preload library: the n-th allocation of the plug-in fails
 *
 * Only what libromio_lustre.so asks for itself is counted and refused: what MPI
 * and the C library do without memory is not ours to test. A program looks up
 *     void failalloc_arm(long n)    the n-th from now on fails; 0: none
 *     long failalloc_seen(void)     how many there were since
 * With FAILALLOC_STAY set all after the n-th fail, too, until the next call of
 * failalloc_arm. With FAILALLOC_TRACE set the n-th is told on standard error.
 * In FAILALLOC_SKIP are functions of the plug-in whose calls do not count, as
 * nm -S gives them: "ADDRESS SIZE ADDRESS SIZE ...", in hexadecimal. With
 * FAILALLOC_SHARED=BYTES the plug-in gets no shared memory larger than that.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

enum { SKIPS = 16 };

static atomic_long seen, target;
static size_t most_shared = SIZE_MAX;
static struct {
    ptrdiff_t start, len;
} skips[SKIPS];
static int nskips, stays;

__attribute__((constructor)) static void read_settings(void)
{
    const char *text = getenv("FAILALLOC_SHARED");
    char *end;

    if (text)
        most_shared = strtoul(text, &end, 10);
    stays = getenv("FAILALLOC_STAY") != NULL;
    text = getenv("FAILALLOC_SKIP");
    for (nskips = 0; text && *text && nskips < SKIPS; nskips++) {
        skips[nskips].start = strtol(text, &end, 16);
        skips[nskips].len = strtol(end, &end, 16);
        text = end + strspn(end, " \n");
    }
}

void failalloc_arm(long n)
{
    seen = 0;
    target = n;
}

long failalloc_seen(void)
{
    return seen;
}

static void tell(const void *caller)
{
    Dl_info info = {0};
    char line[200];
    int n;

    if (!getenv("FAILALLOC_TRACE"))
        return;
    dladdr(caller, &info);
    n = snprintf(line, sizeof(line), "failalloc: %ld at %s+%td, %s\n",
                 (long)seen, info.dli_sname ? info.dli_sname : "?",
                 (const char *)caller - (const char *)info.dli_fbase,
                 getenv("PMI_RANK") ? getenv("PMI_RANK") : "0");
    if (write(STDERR_FILENO, line, n) < 0)
        return;
}

static int skipped(ptrdiff_t at)
{
    for (int i = 0; i < nskips; i++)
        if (at >= skips[i].start && at < skips[i].start + skips[i].len)
            return 1;
    return 0;
}

static int from_plugin(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, "libromio_lustre.so") &&
           !skipped((const char *)caller - (const char *)info.dli_fbase);
}

static int refused(const void *caller)
{
    long n = target, nth;

    if (n == 0 || !from_plugin(caller))
        return 0;
    nth = atomic_fetch_add(&seen, 1) + 1;
    if (stays ? nth < n : nth != n)
        return 0;
    if (nth == n)
        tell(caller);
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL
                                                : __libc_realloc(old, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
    if (refused(__builtin_return_address(0)))
        return ENOMEM;
    *out = __libc_memalign(align, size);
    return *out ? 0 : ENOMEM;
}

void *aligned_alloc(size_t align, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL
                                                : __libc_memalign(align, size);
}

char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = refused(__builtin_return_address(0)) ? NULL : __libc_malloc(n);

    return copy ? memcpy(copy, s, n) : NULL;
}

static int too_much(const void *caller, size_t len, int flags)
{
    if (!(flags & MAP_SHARED) || len <= most_shared || !from_plugin(caller))
        return 0;
    errno = ENOMEM;
    return 1;
}

/* Shared memory is memory, too. */
void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
    __attribute__((alias("mmap")));

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
    const void *caller = __builtin_return_address(0);

    if (too_much(caller, len, flags) || refused(caller))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, off);
}
