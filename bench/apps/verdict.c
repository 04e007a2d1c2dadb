/* verdict.c - the first error of a rank, on which all ranks then agree */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "verdict.h"
#include <stdarg.h>
#include <stdio.h>

void verdict_set(struct verdict *v, int code, const char *format, ...)
{
    va_list args;

    if (v->code)
        return;
    v->code = code;
    va_start(args, format);
    vsnprintf(v->text, sizeof(v->text), format, args);
    va_end(args);
}

void verdict_mpi(struct verdict *v, int rc, const char *what, const char *file)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (rc == MPI_SUCCESS || v->code)
        return;
    MPI_Error_string(rc, text, &len);
    verdict_set(v, APP_FAILED, "%s: %s: %s", file, what, text);
}

int verdict_agree(struct verdict *v, MPI_Comm comm)
{
    char text[sizeof(v->text)];
    int rank, size, first;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    first = v->code ? rank : size;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size)
        return APP_OK;
    if (rank == first) {
        snprintf(text, sizeof(text), "rank %d: %.*s", rank,
                 (int)sizeof(text) - 24, v->text);
        snprintf(v->text, sizeof(v->text), "%s", text);
    }
    MPI_Bcast(&v->code, 1, MPI_INT, first, comm);
    MPI_Bcast(v->text, sizeof(v->text), MPI_CHAR, first, comm);
    return v->code;
}
