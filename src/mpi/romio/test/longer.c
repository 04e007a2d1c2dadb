/* longer.c - a preload library: a message between nodes fails
 *
 * The LONGER-th message that the process sends with a tag of the agreements
 * (mpi/transport/wire.h: ADL_TAG_REDUCE and the one behind it) has 8 bytes more
 * than its receiver expects: MPI reports an error there, a real one. The
 * REFUSED-th has a negative length: MPI reports that to the sender at once, and
 * makes no request.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 24001, TAGS = 2, ROOM = 1024 };

static int is_number(const char *variable, int n)
{
    const char *value = getenv(variable);

    return value && n == atoi(value);
}

int PMPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    static int (*real)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);
    static char more[ROOM];
    static int seen;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Isend");
    if (tag >= TAG && tag < TAG + TAGS && n <= ROOM - 8) {
        seen++;
        if (is_number("REFUSED", seen))
            return real(buf, -1, type, to, tag, comm, request);
        if (is_number("LONGER", seen)) {
            memcpy(more, buf, (size_t)n);
            return real(more, n + 8, type, to, tag, comm, request);
        }
    }
    return real(buf, n, type, to, tag, comm, request);
}
