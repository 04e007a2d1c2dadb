/* library.c - what the plug-in and an MPI library say of themselves */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { VERSION_SIZE = 8192 }; /* MPI_MAX_LIBRARY_VERSION_STRING of any MPI */

/* Its MPI functions are bound only when called, so it loads without MPI. */
static void *load_plugin(const char *path)
{
    void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (!lib)
        fprintf(stderr, "romio-lustre: %s\n", dlerror());
    return lib;
}

int library_print_plugin(const char *path)
{
    void *lib = load_plugin(path);
    const char *version = lib ? dlsym(lib, "romio_lustre_version") : NULL;

    if (!version)
        return -1;
    puts(version);
    return 0;
}

/* Allowed before MPI_Init. MPICH gives several lines, the first is "MPICH
 * Version:      4.0.2", others one sentence. */
static void print_version(void *mpi, const char *path)
{
    char text[VERSION_SIZE] = "";
    int (*get)(char *, int *);
    int len = 0;

    *(void **)&get = dlsym(mpi, "PMPI_Get_library_version");
    if (!get || get(text, &len) != 0)
        snprintf(text, sizeof(text), "no MPI library");
    text[strcspn(text, "\n")] = 0;
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    printf("%s: %s\n", path, text);
}

int library_print_mpi(const char *plugin, char *const *paths, int n)
{
    void *ours = load_plugin(plugin), *mpi = NULL;
    int (*misfit)(char *, int);
    char text[400];
    int i = 0;

    while (i < n && !(mpi = dlopen(paths[i], RTLD_LAZY | RTLD_GLOBAL)))
        i++;
    if (!mpi) {
        puts("no MPI library found");
        return -1;
    }
    print_version(mpi, paths[i]);
    /* It looks for MPI in the whole process, where it is by now. */
    *(void **)&misfit = ours ? dlsym(ours, "romio_lustre_misfit") : NULL;
    if (!misfit)
        return -1;
    if (misfit(text, sizeof(text))) {
        printf("the plug-in does not fit: %s\n", text);
        return -1;
    }
    puts("the plug-in fits");
    return 0;
}
