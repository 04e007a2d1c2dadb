/* preload.h - what the files of intercepted functions share
 *
 * An intercepted function checks whether the call is on a simulated file, calls
 * the simulator, and then calls the C library's own function. Nothing else
 * belongs into preload_*.c. These files are compiled without fortification and
 * never include a header that redirects NAME to NAME64.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_PRELOAD_H
#define LUSTRE_SIM_PRELOAD_H

#include <errno.h>
#include <limits.h>
#include "proc.h"
#include "real.h"

#define SIM_EXPORT __attribute__((visibility("default")))

/* NAME64 is NAME where off_t has 64 bits (real.c makes sure). */
#define SIM_ALIAS(alias_name, name)    \
    extern __typeof__(name) alias_name \
        __attribute__((alias(#name), visibility("default")))

/* Set errno from a -errno result: -1, or the result itself. */
static inline long sim_result(long rc)
{
    if (rc >= 0)
        return rc;
    errno = (int)-rc;
    return -1;
}

/* The real path of a name below /sys or /proc if the simulator shows that file,
 * else the name itself. And a descriptor on contents that the simulator makes,
 * or -1. */
const char *sim_redirect(const char *name, char path[PATH_MAX]);
int sim_open_special(const char *name);

#endif
