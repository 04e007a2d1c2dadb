/* port.c - MPIs with MPICH's ABI: MPICH, Cray MPICH, Intel MPI, MVAPICH */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../port.h"

#include "../../plugin.h"

const enum port_kind port_kind = PORT_MPICH;

/* Since 4.3 there is MPIX_Async_start, which progress.c uses where it is. */
int port_progress_enter(int (*step)(void))
{
    (void)step;
    return 0;
}

int port_polls_requests(void)
{
    return 1;
}

void *port_request_call(const char *name)
{
    return plugin_next(name);
}
