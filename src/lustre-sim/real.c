/* real.c - find the functions that the intercepted ones stand before */
#include "real.h"

#include <dlfcn.h>
#include <pthread.h>

_Static_assert(sizeof(off_t) == 8, "NAME and NAME64 must be one function");

/* Mutable, but written once and the same for the whole process. */
static struct sim_real table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
    /* Through void **: the only conversion POSIX promises for dlsym. */
#define FILL(ret, name, args) *(void **)&table.name = dlsym(RTLD_NEXT, #name);
    SIM_REAL_CALLS(FILL)
#undef FILL
}

const struct sim_real *sim_real(void)
{
    pthread_once(&once, fill);
    return &table;
}
