/* errclass.c - MPI_Error_class for the plug-in's error codes
 *
 * MPICH finds the class in the low bits of any code. Open MPI looks into a
 * table that does not have the plug-in's codes, and returns an error.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../plugin.h"

PLUGIN_PUBLIC int PMPI_Error_class(int code, int *errclass)
{
    static int (*next)(int, int *);

    if (plugin_errtext_class(code, errclass))
        return MPI_SUCCESS;
    if (!next)
        next = plugin_next("PMPI_Error_class");
    return next(code, errclass);
}
int MPI_Error_class(int code, int *errclass) PLUGIN_WEAK(PMPI_Error_class);
