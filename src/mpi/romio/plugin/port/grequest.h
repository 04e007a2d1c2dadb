/* grequest.h - MPICH's generalized requests with a poll function, for MPIs that
 * have none
 *
 * mpi_more.h of such a port includes it, so that ROMIO and the driver see the
 * types and calls of MPICH's mpi.h.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_GREQUEST_H
#define ROMIO_LUSTRE_GREQUEST_H

typedef int MPIX_Grequest_class;
typedef int(MPIX_Grequest_poll_function)(void *, MPI_Status *);
typedef int(MPIX_Grequest_wait_function)(int, void **, double, MPI_Status *);
int PMPIX_Grequest_class_create(MPI_Grequest_query_function *,
                                MPI_Grequest_free_function *,
                                MPI_Grequest_cancel_function *,
                                MPIX_Grequest_poll_function *,
                                MPIX_Grequest_wait_function *,
                                MPIX_Grequest_class *);
int PMPIX_Grequest_class_allocate(MPIX_Grequest_class, void *, MPI_Request *);

/* Local. Poll every request that has a poll function once. 0 */
int grequest_poll(void);
int grequest_outstanding(void); /* is there a request with a poll function? */

#endif
