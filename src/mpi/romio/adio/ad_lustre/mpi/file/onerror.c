/* onerror.c - a failed call also prints a line, or ends the job */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "onerror.h"

#include <stdio.h>
#include <string.h>

#include "fatal.h"

enum kind {
    KIND_OPEN,
    KIND_READ,
    KIND_WRITE,
    KIND_SYNC,
    KIND_SIZE,
    KIND_CLOSE
};

/* Entry points by a part of their names; others print no line. */
static const struct {
    const char *part, *call;
    enum kind kind;
    int loses; /* bytes may be lost if the error is not seen */
} calls[] = {
    {"OPEN", "MPI_File_open", KIND_OPEN, 0},
    {"READ", "a read", KIND_READ, 0},
    {"WRITE", "a write", KIND_WRITE, 1},
    {"nonblocking", "a nonblocking call", KIND_WRITE, 1},
    {"FLUSH", "MPI_File_sync", KIND_SYNC, 1},
    {"RESIZE", "MPI_File_set_size", KIND_SIZE, 1},
    {"RESERVE", "MPI_File_preallocate", KIND_SIZE, 1},
    {"CLOSE", "MPI_File_close", KIND_CLOSE, 1},
};

enum { NCALLS = sizeof(calls) / sizeof(calls[0]) };

static int find_call(const char *where)
{
    int i = 0;

    while (i < NCALLS && !strstr(where, calls[i].part))
        i++;
    return i;
}

/* Is a line to be printed? A program with an error handler of its own, or the
 * one that aborts, hears of errors. */
static int is_told(ADIO_File fd, int i)
{
    switch (adl_file_of(fd)->hints.on_error) {
    case ADL_ONERROR_RETURN:
        return 0;
    case ADL_ONERROR_AUTOMATIC:
        return calls[i].loses && fd->err_handler == MPI_ERRORS_RETURN;
    default:
        return 1;
    }
}

/* Calls of one rank on its own: no other rank has the error. */
static int is_own(const char *where)
{
    return !strstr(where, "COLL") &&
           (strstr(where, "CONTIG") || strstr(where, "STRIDED"));
}

void adl_onerror(ADIO_File fd, const char *where, const char *words, int rank)
{
    struct adl_file *f = adl_file_of(fd);
    int i = find_call(where), first;

    if (!f || f->hidden || i == NCALLS || !is_told(fd, i))
        return;
    first = !(f->printed >> calls[i].kind & 1);
    f->printed |= 1 << calls[i].kind;
    if (rank < 0)
        rank = is_own(where) ? f->rank : 0;
    if (first && rank == f->rank)
        fprintf(stderr, "romio-lustre: %s failed: %s\n", calls[i].call, words);
    if (f->hints.on_error == ADL_ONERROR_ABORT && calls[i].kind != KIND_OPEN &&
        rank == f->rank)
        adl_fatal_asked(f, calls[i].call);
}
