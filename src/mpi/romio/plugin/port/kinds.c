/* kinds.c - which MPI a process has, and what is said of each port */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "port.h"

#include <string.h>

#include "../plugin.h"

/* The longest that MPICH, Open MPI and the standard ABI allow. */
enum { MPI_TEXT_MAX = 8192 };

/* Since MPI 5 a library says whether it has the standard's ABI; one that has
 * its own says so by a version below 1. */
static int is_standard_abi(void)
{
    int (*get)(int *, int *);
    int major = -1, minor = -1;

    *(void **)&get = plugin_symbol("PMPI_Abi_get_version");
    return get && get(&major, &minor) == 0 && major >= 1;
}

/* Open MPI's name in front of its version; an MPI without that call is known by
 * its handles, which are data. */
static int is_openmpi(void)
{
    static const char name[] = "Open MPI";
    char text[MPI_TEXT_MAX] = "";
    int (*get)(char *, int *);
    int len;

    *(void **)&get = plugin_symbol("PMPI_Get_library_version");
    if (!get)
        return plugin_symbol("ompi_mpi_comm_world") != NULL;
    return get(text, &len) == 0 && !strncmp(text, name, strlen(name));
}

enum port_kind port_of_process(void)
{
    return is_standard_abi() ? PORT_ABI
           : is_openmpi()    ? PORT_OPENMPI
                             : PORT_MPICH;
}

const struct port_about port_about[PORT_KINDS] = {
    [PORT_MPICH] = {"libromio_lustre.so", "mpich",
                    "this program's MPI is another one (MPICH's ABI)",
                    "MPIs with MPICH's ABI"},
    [PORT_OPENMPI] = {"libromio_lustre_openmpi.so", "openmpi",
                      "this program's MPI is Open MPI", "Open MPI"},
    [PORT_ABI] = {"libromio_lustre_abi.so", "abi",
                  "this program is linked with the standard ABI of MPI 5 "
                  "(libmpi_abi)",
                  "the standard ABI of MPI 5"},
};
