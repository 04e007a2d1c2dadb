/* port.h - what the plug-in asks of the MPI below it
 *
 * ROMIO and the driver call public MPI functions. What differs between MPIs is
 * in a port: a folder beside this file. A port has the functions below, a
 * header (mpi_more.h) for names that ROMIO needs and this mpi.h lacks, and the
 * functions that must replace those of this MPI. One library is built for each
 * port:
 *
 *     mpich     MPICH's ABI           libromio_lustre.so
 *     openmpi   Open MPI              libromio_lustre_openmpi.so
 *     abi       MPI's standard ABI    libromio_lustre_abi.so
 *
 * Files beside this one are for every port but MPICH's: grequest.c (MPICH's
 * requests that are polled), errclass.c and romio.c.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_PORT_H
#define ROMIO_LUSTRE_PORT_H

enum port_kind { PORT_MPICH, PORT_OPENMPI, PORT_ABI, PORT_KINDS };

/* Which port this is; fit.c finds out which one the process needs. */
extern const enum port_kind port_kind;

/* Local. Make MPI's own waiting loop call `step` from now on, in any thread
 * that waits, also during MPI_Init and MPI_Finalize. 0: this MPI has no way to
 * do that. */
int port_progress_enter(int (*step)(void));

/* 1: MPI_Wait and MPI_Test of this MPI call the poll function of a generalized
 * request. 0: the loop above does, or the calls of port_request_call. */
int port_polls_requests(void);

/* The function that the plug-in's PMPI_Wait, PMPI_Test and the like call in the
 * end: MPI's own, or one that also polls requests that MPI itself does not
 * poll. */
void *port_request_call(const char *name);

#endif
