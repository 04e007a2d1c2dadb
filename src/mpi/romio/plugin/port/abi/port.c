/* port.c - the standard ABI of MPI 5, whichever MPI has it
 *
 * The ABI has no extensions: no request with a poll function, and no hook in
 * MPI's waiting loop. Open MPI has a function that adds a hook to its loop; it
 * is used if the process has it. With other MPIs (MPICH) waits.c replaces the
 * calls that wait for requests.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../port.h"

#include <stddef.h>

#include "../../plugin.h"
#include "waits.h"

const enum port_kind port_kind = PORT_ABI;

typedef int enter_fn(int (*)(void));

/* NULL: MPI lets no function in. */
static enter_fn *find_loop(void)
{
    enter_fn *enter;

    *(void **)&enter = plugin_symbol("opal_progress_register");
    return enter;
}

int port_progress_enter(int (*step)(void))
{
    enter_fn *enter = find_loop();

    return enter && enter(step) == 0;
}

int port_polls_requests(void)
{
    return 0;
}

void *port_request_call(const char *name)
{
    void *ours = find_loop() ? NULL : abi_waits_find(name);

    return ours ? ours : plugin_next(name);
}
