/* longer.c - a preload library: a message between nodes is too long
 *
 * The LONGER-th message that the process sends with a tag of the agreements
 * (mpi/transport/wire.h: ADL_TAG_REDUCE and the one behind it) has 8 bytes more
 * than its receiver expects: MPI reports an error there, a real one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 24001, TAGS = 2, ROOM = 1024 };

int PMPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    static int (*real)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);
    static char more[ROOM];
    static int seen;
    const char *which = getenv("LONGER");

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Isend");
    if (!which || tag < TAG || tag >= TAG + TAGS || n > ROOM - 8 ||
        ++seen != atoi(which))
        return real(buf, n, type, to, tag, comm, request);
    memcpy(more, buf, (size_t)n);
    return real(more, n + 8, type, to, tag, comm, request);
}
