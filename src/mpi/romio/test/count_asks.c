/* count_asks.c - preloaded: how often a process asks about names of files
 *
 * statfs, lstat and getxattr, counted and told when the process ends.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

static int statfs_calls, lstat_calls, xattr_calls;

/* Only below the file system of the test. */
static int counts(const char *path)
{
    const char *root = getenv("COUNT_BELOW");

    return root && !strncmp(path, root, strlen(root));
}

/* The next function of this name, lustre-sim's or the C library's. */
static void *next(const char *name)
{
    void *fn = dlsym(RTLD_NEXT, name);

    if (!fn)
        abort();
    return fn;
}

int statfs(const char *path, struct statfs *out)
{
    int (*real)(const char *, struct statfs *);

    *(void **)&real = next("statfs");
    statfs_calls += counts(path);
    return real(path, out);
}

int lstat(const char *path, struct stat *out)
{
    int (*real)(const char *, struct stat *);

    *(void **)&real = next("lstat");
    lstat_calls += counts(path);
    return real(path, out);
}

ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
    ssize_t (*real)(const char *, const char *, void *, size_t);

    *(void **)&real = next("getxattr");
    xattr_calls += counts(path);
    return real(path, name, value, size);
}

__attribute__((destructor)) static void tell(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    rank = rank ? rank : getenv("PMI_RANK");
    if (rank && getenv("COUNT_BELOW"))
        fprintf(stderr, "rank %s asked: statfs %d, lstat %d, getxattr %d\n",
                rank, statfs_calls, lstat_calls, xattr_calls);
}
