/* plugin.h - what turns ROMIO and the driver into libromio_lustre.so
 *
 * ROMIO inside MPICH calls a few MPICH internals (mpir_ext.h). The plug-in
 * supplies them with public MPI calls only, so that one library works over any
 * installed MPI with MPICH's ABI. The pieces: `glue` (start, locking, abort),
 * `errtext` (error codes with a text), `errhandler` (file error handlers),
 * `contig` (is a datatype contiguous?).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_PLUGIN_H
#define ROMIO_LUSTRE_PLUGIN_H

#include <mpi.h>
#include "mpir_ext.h"

#define PLUGIN_PUBLIC __attribute__((visibility("default")))
/* MPI_X is a weak name for PMPI_X: a profiling tool in front may take it. */
#define PLUGIN_WEAK(name) \
    __attribute__((weak, alias(#name), visibility("default")))

/* Who we are; `romio-lustre info` and tests look it up. */
extern const char romio_lustre_version[];

/* Does the plug-in not fit the MPI of this process? 1 and why, 0: it does. */
int romio_lustre_misfit(char *text, int size);
/* The same as an error of the process, with a message. */
void plugin_check_fit(void);

/* The next definition of `name` behind this library, the MPI library's own.
 * Aborts with a message when there is none: the MPI is not MPICH's ABI. */
void *plugin_next(const char *name);

/* Error codes: the class in the low bits and a number that finds the text.
 * Codes stay valid as codes for ever, their text for the last 128 errors. */
int plugin_errtext_add(int errclass, const char *text);
/* The text of `code`, NULL when it is not ours or too old. Copies into buf. */
const char *plugin_errtext_get(int code, char *buf, int len);

/* MPICH's internals that ROMIO calls in some releases only; mpir_ext.h has
 * those of the release at hand. */
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
