/* fit.c - does the plug-in fit the MPI of this process?
 *
 * Its calls are weak names, and its constants those of MPICH's ABI: in front of
 * an MPI with other constants, or one that lacks a call, it would crash
 * somewhere in MPI_File_open. It is looked at when the process starts instead.
 * A process without MPI (a shell between mpiexec and the program) is none of
 * our business, and one that loads MPI later is looked at when ROMIO starts.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the plug-in calls, ended by NULL; made when it is linked. */
extern const char *const romio_lustre_needs[] __attribute__((weak));

static void *symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* Since MPI 5 a library says whether it has the standard's ABI; one that has
 * its own says so by a version below 1. */
static int is_standard_abi(void)
{
    int (*get)(int *, int *);
    int major = -1, minor = -1;

    *(void **)&get = symbol("PMPI_Abi_get_version");
    return get && get(&major, &minor) == 0 && major >= 1;
}

static const char *first_missing(void)
{
    for (int i = 0; romio_lustre_needs && romio_lustre_needs[i]; i++)
        if (!symbol(romio_lustre_needs[i]))
            return romio_lustre_needs[i];
    return NULL;
}

PLUGIN_PUBLIC int romio_lustre_misfit(char *text, int size)
{
    const char *missing;

    if (!symbol("PMPI_Init"))
        return 0;
    if (symbol("ompi_mpi_comm_world"))
        snprintf(text, size,
                 "this program's MPI is Open MPI; the plug-in is for MPIs with "
                 "MPICH's ABI");
    else if (is_standard_abi())
        snprintf(text, size,
                 "this program is linked with the standard ABI of MPI 5 "
                 "(libmpi_abi), whose constants are others; link it with the "
                 "MPI's own library (mpicc, not mpicc_abi), or use a fork "
                 "(maint/build-fork --abi)");
    else if ((missing = first_missing()))
        snprintf(text, size,
                 "this program's MPI has no %s, which %s calls: it is too old, "
                 "or no MPICH",
                 missing, romio_lustre_version);
    else
        return 0;
    return 1;
}

/* One word from all ranks, as far as the launcher tells them apart. */
static int is_first_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *rank = getenv(names[i]);

        if (rank)
            return !strcmp(rank, "0");
    }
    return 1;
}

__attribute__((constructor)) void plugin_check_fit(void)
{
    char text[400];

    if (!romio_lustre_misfit(text, sizeof(text)))
        return;
    if (is_first_rank())
        fprintf(stderr, "romio-lustre: %s. Run it without the plug-in.\n",
                text);
    exit(EXIT_FAILURE);
}
