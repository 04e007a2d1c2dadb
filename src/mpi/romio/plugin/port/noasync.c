/* noasync.c - for MPIs whose waiting loop takes no function for a time
 *
 * It takes one for good (port_progress_enter), or none at all.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "port.h"

int port_async_offered(void)
{
    return 0;
}

void port_async_start(int (*poll)(void))
{
    (void)poll;
}

int port_async_complete(MPI_Request request)
{
    (void)request;
    return -1;
}
