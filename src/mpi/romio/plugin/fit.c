/* fit.c - does the plug-in fit the MPI of this process?
 *
 * The plug-in's MPI calls are weak names, and its constants are those of the
 * MPI that it was compiled with. In front of an MPI with other constants, or of
 * one that lacks a call, it would crash inside MPI_File_open. So it checks this
 * when its names are bound (bind.c): when the process starts or, if MPI is
 * loaded later, at the first call into the plug-in.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "port/port.h"

enum fit {
    FITS = 0,
    UNFIT,
    OTHER_PORT, /* another plug-in is the right one */
};

/* A launcher kills all ranks when the first one has ended: the others wait for
 * rank 0 to print its line. */
enum { SPEAK_SECONDS = 5 };

/* What the plug-in calls, ended by NULL; made when it is linked. */
extern const char *const romio_lustre_needs[] __attribute__((weak));

static const char *first_missing(void)
{
    for (int i = 0; romio_lustre_needs && romio_lustre_needs[i]; i++)
        if (!plugin_symbol(romio_lustre_needs[i]))
            return romio_lustre_needs[i];
    return NULL;
}

/* 0: the process has the MPI that this port is for. */
static enum fit other_port(char *text, int size)
{
    enum port_kind right = port_of_process();

    if (right == port_kind)
        return FITS;
    snprintf(text, size,
             "%s, and this plug-in (%s) is for %s; the one for %s is %s",
             port_about[right].program, port_about[port_kind].library,
             port_about[port_kind].mpi, port_about[right].mpi,
             port_about[right].library);
    return OTHER_PORT;
}

PLUGIN_PUBLIC int romio_lustre_misfit(char *text, int size)
{
    const char *missing;

    if (!plugin_symbol("PMPI_Init"))
        return FITS;
    if (other_port(text, size))
        return OTHER_PORT;
    missing = first_missing();
    if (!missing)
        return FITS;
    snprintf(text, size,
             "this program's MPI has no %s, which %s calls: it is too old, or "
             "not the MPI that its name says",
             missing, romio_lustre_version);
    return UNFIT;
}

/* One word from all ranks, as far as the launcher tells them apart. */
static int is_first_rank(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK",
                                        "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *rank = getenv(names[i]);

        if (rank)
            return !strcmp(rank, "0");
    }
    return 1;
}

void plugin_check_fit(void)
{
    char text[400];
    int rc = romio_lustre_misfit(text, sizeof(text));

    if (rc == FITS)
        return;
    if (!is_first_rank())
        sleep(SPEAK_SECONDS);
    else if (rc == OTHER_PORT)
        fprintf(stderr,
                "romio-lustre: %s. \"romio-lustre run\" takes the right one "
                "where it sees the program, \"romio-lustre run --mpi %s\" "
                "always.\n",
                text, port_about[port_of_process()].name);
    else
        fprintf(stderr, "romio-lustre: %s. Run it without the plug-in.\n",
                text);
    exit(EXIT_FAILURE);
}
