/* port.c - MPIs with MPICH's ABI: MPICH, Cray MPICH, Intel MPI, MVAPICH */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../port.h"

#include <stddef.h>

#include "../../plugin.h"

const enum port_kind port_kind = PORT_MPICH;

int port_progress_enter(int (*step)(void))
{
    (void)step;
    return 0;
}

/* Since 4.3. The header here may be older, or have other types for them. */
typedef int async_poll(void *thing);
int async_start(async_poll *, void *, int) __asm__("PMPIX_Async_start");
int request_is_complete(MPI_Request) __asm__("PMPIX_Request_is_complete");
#pragma weak async_start
#pragma weak request_is_complete
enum { NOPROGRESS = 0, DONE = 1, STREAM_NULL = 0x3c000000 };

static int (*lent)(void); /* the driver's one */

static int poll_lent(void *thing)
{
    (void)thing;
    return lent() ? DONE : NOPROGRESS;
}

int port_async_offered(void)
{
    return async_start != NULL;
}

void port_async_start(int (*poll)(void))
{
    lent = poll;
    async_start(poll_lent, NULL, STREAM_NULL);
}

int port_async_complete(MPI_Request request)
{
    return request_is_complete ? request_is_complete(request) : -1;
}

int port_polls_requests(void)
{
    return 1;
}

void *port_request_call(const char *name)
{
    return plugin_next(name);
}
