/* plugin.h - what turns ROMIO and the driver into libromio_lustre.so
 *
 * ROMIO inside MPICH calls a few MPICH internals (mpir_ext.h). The plug-in
 * supplies them with public MPI calls only, so that one library works over any
 * installed MPI with MPICH's ABI, another over Open MPI, a third over the
 * standard ABI of MPI 5 (port/port.h). The modules: `bind` (an MPI that is
 * loaded after the plug-in), `fit` (does the plug-in fit this MPI?), `glue`
 * (start, locking, abort), `errtext` (error codes with a text), `errhandler`
 * (file error handlers), `contig` (is a datatype contiguous?).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_PLUGIN_H
#define ROMIO_LUSTRE_PLUGIN_H

#include <mpi.h>
#include "mpir_ext.h"

#define PLUGIN_PUBLIC __attribute__((visibility("default")))
/* MPI_X is a weak name for PMPI_X, so that a profiling tool before the plug-in
 * may replace it. */
#define PLUGIN_WEAK(name) \
    __attribute__((weak, alias(#name), visibility("default")))

/* The plug-in's version; `romio-lustre info` and tests read it. */
extern const char romio_lustre_version[];

/* Does the plug-in not fit the MPI of this process? 0: it fits. Else another
 * number, and the reason in `text`: a sentence without its full stop. */
int romio_lustre_misfit(char *text, int size);
/* If it does not fit, end the process with a message. */
void plugin_check_fit(void);

/* Are the plug-in's MPI names bound? See bind.c. */
extern int plugin_is_bound;
void plugin_bind_late(void);

/* Must come before the first MPI call in each function the plug-in exports. */
static inline void plugin_bind(void)
{
    if (!__atomic_load_n(&plugin_is_bound, __ATOMIC_ACQUIRE))
        plugin_bind_late();
}

/* The address of MPI's `name`, NULL: it has none. */
void *plugin_symbol(const char *name);
/* The same, but only in the libraries after this one in the search order.
 */
void *plugin_behind(const char *name);

/* The next definition of `name` after this library: the MPI library's own.
 * Aborts with a message if there is none. */
void *plugin_next(const char *name);

/* Make an error code: the class in the low bits, and a number that finds the
 * text. A code always has its class; its text is kept for the last 128 errors.
 */
int plugin_errtext_add(int errclass, const char *text);
/* Copy the text of `code` into buf. NULL: the code is not the plug-in's, or too
 * old. */
const char *plugin_errtext_get(int code, char *buf, int len);

/* 1: `code` is the plug-in's, and *errclass its class. */
int plugin_errtext_class(int code, int *errclass);

/* The function behind a handler from PMPI_File_create_errhandler is Fortran's:
 * it takes the file as a number. */
void plugin_errhandler_is_fortran(MPI_Errhandler handle);

/* MPICH's internals that only some releases of ROMIO call; mpir_ext.h declares
 * those of the release that is compiled. */
void MPIR_Get_file_error_routine(MPI_Errhandler handle,
                                 void (**fn)(MPI_File *, int *, ...),
                                 int *kind);
int MPIR_File_call_cxx_errhandler(MPI_File *fh, int *code,
                                  void (*fn)(MPI_File *, int *, ...));
int MPIR_Call_file_errhandler(MPI_Errhandler handle, int code, MPI_File fh);
void MPIR_Datatype_iscontig(MPI_Datatype type, int *flag);
int MPIR_Ext_datatype_iscontig(MPI_Datatype type, int *flag);
void *MPIR_Ext_gpu_host_alloc(const void *buf, MPI_Aint n, MPI_Datatype type);
void MPIR_Ext_gpu_host_free(void *host, MPI_Aint n, MPI_Datatype type);
void *MPIR_Ext_gpu_host_swap(const void *buf, MPI_Aint n, MPI_Datatype type);
void MPIR_Ext_gpu_swap_back(void *host, void *buf, MPI_Aint n,
                            MPI_Datatype type);

#endif
