/* errcode.c - makes MPI error codes, and prints a line about what failed */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "errcode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../progress/progress.h"
#include "failure.h"

/* errno -> MPI's error class and MPICH's name for it; the rest is I/O. */
static const struct {
    int number;
    int errclass;
    const char *name;
} classes[] = {
    {EACCES, MPI_ERR_ACCESS, "**fileaccess"},
    {EPERM, MPI_ERR_ACCESS, "**fileaccess"},
    {EDQUOT, MPI_ERR_QUOTA, "**filequota"},
    {EEXIST, MPI_ERR_FILE_EXISTS, "**fileexist"},
    {EISDIR, MPI_ERR_BAD_FILE, "**filenamedir"},
    {ELOOP, MPI_ERR_BAD_FILE, "**filenamedir"},
    {ENAMETOOLONG, MPI_ERR_BAD_FILE, "**filenamelong"},
    {ENOENT, MPI_ERR_NO_SUCH_FILE, "**filenoexist"},
    {ENOSPC, MPI_ERR_NO_SPACE, "**filenospace"},
    {ENOSYS, MPI_ERR_UNSUPPORTED_OPERATION, "**fileopunsupported"},
    {ENOTDIR, MPI_ERR_BAD_FILE, "**filenamedir"},
    {EROFS, MPI_ERR_READ_ONLY, "**iordonly"},
    {0, MPI_ERR_IO, "**io"},
};

/* ---- a line for people ---- */

/* values of the hint romio_lustre_on_error */
enum { ON_ERROR_RETURN, ON_ERROR_REPORT, ON_ERROR_ABORT, ON_ERROR_AUTOMATIC };

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

/* Is a line to be printed? If the file has an error handler of the program, or
 * MPI_ERRORS_ARE_FATAL, the program learns of the error. */
static int is_told(ADIO_File fd, int i)
{
    switch (adl_file_of(fd)->hints.on_error) {
    case ON_ERROR_RETURN:
        return 0;
    case ON_ERROR_AUTOMATIC:
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

/* The entry point `where` failed; `words` say why. `rank` is where the call
 * failed, in the file's communicator; -1: not known, rank 0 prints the line. */
static void print_line(ADIO_File fd, const char *where, const char *words,
                       int rank)
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
    if (f->hints.on_error == ON_ERROR_ABORT && calls[i].kind != KIND_OPEN &&
        rank == f->rank)
        adl_progress_abort("%s: %s failed and romio_lustre_on_error is abort",
                           f->name, calls[i].call);
}

/* ---- the code ---- */

/* The text for `rc`, with the note if it is about the same error; the note is
 * then removed. `f` may be NULL. */
static void put_words(struct adl_file *f, const char *file, int rc, char *buf,
                      int size)
{
    const struct adl_failure none = {0};
    struct adl_failure note = f ? f->failure : none;
    int at = snprintf(buf, size, "%s (errno %d): %s", strerror(-rc), -rc, file);

    if (f)
        f->failure = none;
    if (note.rc != rc || at >= size)
        return;
    at +=
        snprintf(buf + at, size - at, ": %s on rank %d", note.call, note.rank);
    if (note.offset != ADL_NO_OFFSET && at < size)
        snprintf(buf + at, size - at, " at offset %lld",
                 (long long)note.offset);
}

/* ROMIO's own function for it leaves the file's name out of most texts. */
int adl_error_code(ADIO_File fd, const char *where, int rc)
{
    struct adl_file *f = adl_file_of(fd);
    char words[400];
    int i = 0, rank;

    if (rc == 0)
        return MPI_SUCCESS;
    while (classes[i].number && classes[i].number != -rc)
        i++;
    rank = f && f->failure.rc == rc ? f->failure.rank : -1;
    put_words(f, fd->filename, rc, words, sizeof(words));
    print_line(fd, where, words, rank);
    return MPIO_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, where,
                                __LINE__, classes[i].errclass, classes[i].name,
                                "%s", words);
}

int adl_outcome_code(ADIO_File fd, const char *where,
                     const struct adl_outcome *outcome)
{
    struct adl_file *f = adl_file_of(fd);

    adl_failure_note(f, "I/O", outcome->offset, outcome->error);
    if (outcome->error < 0) {
        f->failure.rank = outcome->rank;
        f->failure.offset =
            outcome->offset < 0 ? ADL_NO_OFFSET : outcome->offset;
    }
    return adl_error_code(fd, where, outcome->error);
}
