/* port_waits.c - Open MPI as if it let no function into its waiting loop
 *
 * The calls that wait for requests are those of the standard ABI's port
 * (plugin/port/abi/waits.c), so that they run over an MPI that is here.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../plugin/port/port.h"

#include <stddef.h>

#include "../plugin/plugin.h"
#include "../plugin/port/abi/waits.h"

const enum port_kind port_kind = PORT_OPENMPI;

int port_progress_enter(int (*step)(void))
{
    (void)step;
    return 0;
}

int port_polls_requests(void)
{
    return 0;
}

void *port_request_call(const char *name)
{
    void *ours = abi_waits_find(name);

    return ours ? ours : plugin_next(name);
}
