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
 * kinds.c finds out which one a process needs. The other files beside this one
 * are for every port but MPICH's. What differs, and where that is handled:
 *
 *     handles, null handles       mpi_more.h, romio.c
 *     classes of error codes      errclass.c
 *     requests that are polled    grequest.c, port_request_call
 *     MPI's waiting loop          port_progress_enter, port_async_start
 *     limits of MPI_Info          openmpi/info.c
 *     error handlers of Fortran   openmpi/fortran.c
 *
 * Thread levels (MPI_Query_thread) and nodes that are made up on one machine
 * (ROMIO_LUSTRE_NODES) are the same for every port.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_PORT_H
#define ROMIO_LUSTRE_PORT_H

#include <mpi.h>

enum port_kind { PORT_MPICH, PORT_OPENMPI, PORT_ABI, PORT_KINDS };

/* Which port this is. */
extern const enum port_kind port_kind;

/* Local. Which port is for the MPI of this process? */
enum port_kind port_of_process(void);

/* What the message about a wrong plug-in says (fit.c). */
struct port_about {
    const char *library;
    const char *name;    /* for romio-lustre run --mpi */
    const char *program; /* one that it is for */
    const char *mpi;     /* what it is for */
};
extern const struct port_about port_about[PORT_KINDS];

/* Local. Make MPI's own waiting loop call `step` from now on, in any thread
 * that waits, also during MPI_Init and MPI_Finalize. 0: this MPI has no way to
 * do that. */
int port_progress_enter(int (*step)(void));

/* 1: MPI's own waiting loop takes a function for a time, by the next call. */
int port_async_offered(void);
/* Local. Make MPI's own waiting loop call `poll` until it returns 1: it has
 * nothing more to do. */
void port_async_start(int (*poll)(void));
/* Local. Is the request complete? Asked inside `poll`, where MPI forbids
 * progress, which MPI_Test makes. -1: this MPI does not tell. */
int port_async_complete(MPI_Request request);

/* 1: MPI_Wait and MPI_Test of this MPI call the poll function of a generalized
 * request. 0: the loop above does, or the calls of port_request_call. */
int port_polls_requests(void);

/* The function that the plug-in's PMPI_Wait, PMPI_Test and the like call in the
 * end: MPI's own, or one that also polls requests that MPI itself does not
 * poll. */
void *port_request_call(const char *name);

#endif
