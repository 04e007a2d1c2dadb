/* errhandler.c - file error handlers
 *
 * The function behind an MPI_Errhandler is hidden in the MPI library, so the
 * plug-in watches their creation and keeps its own table. An entry lives as
 * long as the user's handle or any file that uses it: `refs` counts both. Files
 * inherit the handler of MPI_FILE_NULL inside ROMIO, which does not count; such
 * an entry stays for good. MPI's own handlers have no entry: those that
 * MPI_File_get_errhandler gave out are counted, because MPI_Errhandler_free of
 * one of them must not take a reference that MPI itself holds.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    MPI_Errhandler handle;
    MPI_File_errhandler_function *fn;
    int refs;   /* 0: free slot */
    int pinned; /* was the default once: files may have inherited it */
    int fortran;
};

static struct {
    pthread_mutex_t mutex;
    struct entry *entry;
    int size;
    int lent; /* MPI's own handlers, given out and not freed */
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ROMIO's numbers. What it takes for C++ is Fortran here. */
enum { KIND_FATAL = 0, KIND_RETURN = 1, KIND_C = 2, KIND_FORTRAN = 3 };

static struct entry *find(MPI_Errhandler handle)
{
    for (int i = 0; i < table.size; i++)
        if (table.entry[i].refs > 0 && table.entry[i].handle == handle)
            return &table.entry[i];
    return NULL;
}

static struct entry *find_free(void)
{
    struct entry *grown;

    for (int i = 0; i < table.size; i++)
        if (table.entry[i].refs == 0)
            return &table.entry[i];
    grown = realloc(table.entry, (table.size + 16) * sizeof(*grown));
    if (!grown)
        return NULL;
    memset(grown + table.size, 0, 16 * sizeof(*grown));
    table.entry = grown;
    table.size += 16;
    return &table.entry[table.size - 16];
}

static int is_predefined(MPI_Errhandler handle)
{
    return handle == MPI_ERRORS_RETURN || handle == MPI_ERRORS_ARE_FATAL;
}

static int real_free(MPI_Errhandler *handle)
{
    static int (*next)(MPI_Errhandler *);

    if (!next)
        next = plugin_next("PMPI_Errhandler_free");
    return next(handle);
}

/* Drop one reference; the real handle goes with the last. Mutex held. */
static void release(struct entry *e)
{
    MPI_Errhandler handle = e->handle;

    if (!e->pinned && --e->refs == 0)
        real_free(&handle);
}

PLUGIN_PUBLIC int PMPI_File_create_errhandler(MPI_File_errhandler_function *fn,
                                              MPI_Errhandler *handle)
{
    static int (*next)(MPI_File_errhandler_function *, MPI_Errhandler *);
    struct entry *e;
    int rc;

    if (!next)
        next = plugin_next("PMPI_File_create_errhandler");
    rc = next(fn, handle);
    if (rc != MPI_SUCCESS)
        return rc;
    pthread_mutex_lock(&table.mutex);
    e = find_free();
    if (e)
        *e = (struct entry){.handle = *handle, .fn = fn, .refs = 1};
    pthread_mutex_unlock(&table.mutex);
    if (!e) {
        real_free(handle);
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

void plugin_errhandler_is_fortran(MPI_Errhandler handle)
{
    struct entry *e;

    pthread_mutex_lock(&table.mutex);
    if ((e = find(handle)))
        e->fortran = 1;
    pthread_mutex_unlock(&table.mutex);
}

PLUGIN_PUBLIC int PMPI_Errhandler_free(MPI_Errhandler *handle)
{
    struct entry *e;
    int rc = MPI_SUCCESS;

    pthread_mutex_lock(&table.mutex);
    e = find(*handle);
    if (e) {
        release(e);
        *handle = MPI_ERRHANDLER_NULL;
    } else if (table.lent > 0 && is_predefined(*handle)) {
        table.lent--;
        *handle = MPI_ERRHANDLER_NULL;
    } else {
        rc = real_free(handle);
    }
    pthread_mutex_unlock(&table.mutex);
    return rc;
}

PLUGIN_PUBLIC int PMPI_File_set_errhandler(MPI_File fh, MPI_Errhandler handle)
{
    MPI_Errhandler old;
    struct entry *e;
    int rc;

    if (handle == MPI_ERRHANDLER_NULL)
        return MPI_ERR_ARG;
    rc = MPIR_ROMIO_Get_file_errhand(fh, &old);
    if (rc != MPI_SUCCESS)
        return rc;
    pthread_mutex_lock(&table.mutex);
    if ((e = find(handle))) {
        e->refs++;
        e->pinned |= fh == MPI_FILE_NULL;
    }
    rc = MPIR_ROMIO_Set_file_errhand(fh, handle);
    if (old && (e = find(old)))
        release(e);
    pthread_mutex_unlock(&table.mutex);
    return rc;
}

PLUGIN_PUBLIC int PMPI_File_get_errhandler(MPI_File fh, MPI_Errhandler *handle)
{
    struct entry *e;
    int rc = MPIR_ROMIO_Get_file_errhand(fh, handle);

    if (rc != MPI_SUCCESS)
        return rc;
    if (!*handle)
        *handle = MPI_ERRORS_RETURN;
    pthread_mutex_lock(&table.mutex);
    if ((e = find(*handle)))
        e->refs++;
    else
        table.lent++;
    pthread_mutex_unlock(&table.mutex);
    return MPI_SUCCESS;
}

PLUGIN_PUBLIC int PMPI_File_call_errhandler(MPI_File fh, int code)
{
    MPIO_Err_return_file(fh, code);
    return MPI_SUCCESS;
}

int MPI_File_create_errhandler(MPI_File_errhandler_function *, MPI_Errhandler *)
    PLUGIN_WEAK(PMPI_File_create_errhandler);
int MPI_Errhandler_free(MPI_Errhandler *) PLUGIN_WEAK(PMPI_Errhandler_free);
int MPI_File_set_errhandler(MPI_File, MPI_Errhandler)
    PLUGIN_WEAK(PMPI_File_set_errhandler);
int MPI_File_get_errhandler(MPI_File, MPI_Errhandler *)
    PLUGIN_WEAK(PMPI_File_get_errhandler);
int MPI_File_call_errhandler(MPI_File, int)
    PLUGIN_WEAK(PMPI_File_call_errhandler);

void MPIR_Get_file_error_routine(MPI_Errhandler handle,
                                 void (**fn)(MPI_File *, int *, ...), int *kind)
{
    struct entry *e;

    *fn = NULL;
    if (!handle || handle == MPI_ERRORS_RETURN) {
        *kind = KIND_RETURN;
        return;
    }
    pthread_mutex_lock(&table.mutex);
    e = find(handle);
    *kind = !e ? KIND_FATAL : e->fortran ? KIND_FORTRAN : KIND_C;
    if (e)
        *fn = (void (*)(MPI_File *, int *, ...))e->fn;
    pthread_mutex_unlock(&table.mutex);
}

int MPIR_File_call_cxx_errhandler(MPI_File *fh, int *code,
                                  void (*fn)(MPI_File *, int *, ...))
{
    MPI_Fint number = PMPI_File_c2f(*fh);

    ((void (*)(MPI_Fint *, int *))fn)(&number, code);
    return *code;
}

/* Since 4.3 ROMIO leaves the call to us, of handlers that are none of MPI's
 * own. */
int MPIR_Call_file_errhandler(MPI_Errhandler handle, int code, MPI_File fh)
{
    void (*fn)(MPI_File *, int *, ...);
    int kind;

    MPIR_Get_file_error_routine(handle, &fn, &kind);
    if (kind == KIND_FATAL)
        return MPIR_Abort(MPI_COMM_WORLD, MPI_SUCCESS, code,
                          "romio-lustre: a file's error handler is unknown");
    if (kind == KIND_C)
        fn(&fh, &code);
    if (kind == KIND_FORTRAN)
        MPIR_File_call_cxx_errhandler(&fh, &code, fn);
    return code;
}
