/* port.c - Open MPI
 *
 * Its handles are addresses of objects in libmpi, so the library has a NEEDED
 * entry for it, and Open MPI is in every process that preloads the plug-in. The
 * loader finds the program's own MPI before that one: plugin_symbol gives the
 * functions of the MPI that the program calls.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../port.h"

#include "../../plugin.h"

const enum port_kind port_kind = PORT_OPENMPI;

/* Every call of Open MPI that waits goes round opal_progress. */
int port_progress_enter(int (*step)(void))
{
    int (*enter)(int (*)(void));

    *(void **)&enter = plugin_symbol("opal_progress_register");
    return enter && enter(step) == 0;
}

int port_polls_requests(void)
{
    return 0;
}

void *port_request_call(const char *name)
{
    return plugin_next(name);
}
