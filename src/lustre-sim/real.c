/* real.c - the C library's functions under the intercepted ones */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "real.h"

#include <dlfcn.h>
#include <stdatomic.h>

_Static_assert(sizeof(off_t) == 8, "NAME and NAME64 must be one function");

/* Mutable, but every thread that writes it writes the same. Not with
 * pthread_once: dlsym may allocate, and a program's allocator come back to
 * us. */
static struct sim_real table;
static atomic_int filled;

/* The next one behind us; where the C library itself was put before us
 * (LD_PRELOAD=libc.so.6:...), its own. */
static void *find(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    void *libc = next ? NULL : dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

    if (!libc)
        return next;
    next = dlsym(libc, name);
    dlclose(libc);
    return next;
}

static void fill(void)
{
    /* Through void **: the only conversion POSIX promises for dlsym. */
#define FILL(ret, name, args) *(void **)&table.name = find(#name);
    SIM_REAL_CALLS(FILL)
#undef FILL
}

const struct sim_real *sim_real(void)
{
    if (!atomic_load_explicit(&filled, memory_order_acquire)) {
        fill();
        atomic_store_explicit(&filled, 1, memory_order_release);
    }
    return &table;
}
