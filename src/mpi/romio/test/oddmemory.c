/* oddmemory.c - preloaded in tests: systems where processes cannot share
 * memory in our own way
 *
 * ADL_TEST_MEMORY=none: the kernel has no memfd_create; =foreign: the memory
 * of another process cannot be opened. Windows of MPI are counted, by rank 0,
 * to standard error.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *kind)
{
    const char *odd = getenv("ADL_TEST_MEMORY");

    return odd && !strcmp(odd, kind);
}

/* MPI's own transport shares memory in the same way: leave that alone. */
static int is_ours(const char *path)
{
    char target[256] = "";

    return !strncmp(path, "/proc/", 6) &&
           readlink(path, target, sizeof(target) - 1) > 0 &&
           strstr(target, "memfd:romio-lustre");
}

int memfd_create(const char *name, unsigned flags)
{
    int (*real)(const char *, unsigned) =
        (int (*)(const char *, unsigned))dlsym(RTLD_NEXT, "memfd_create");

    if (!is("none"))
        return real(name, flags);
    errno = ENOSYS;
    return -1;
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (is("foreign") && is_ours(path)) {
        errno = EACCES;
        return -1;
    }
    return real(path, flags, mode);
}

typedef int allocate_shared(MPI_Aint size, int unit, MPI_Info info,
                            MPI_Comm comm, void *base, MPI_Win *win);

int PMPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info,
                             MPI_Comm comm, void *base, MPI_Win *win)
{
    allocate_shared *real =
        (allocate_shared *)dlsym(RTLD_NEXT, "PMPI_Win_allocate_shared");
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "oddmemory: a window\n");
    return real(size, unit, info, comm, base, win);
}
