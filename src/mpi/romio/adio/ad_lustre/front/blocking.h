/* blocking.h - MPI's blocking calls, as ROMIO and this driver call them
 *
 * They have the arguments and results of MPI's own calls and replace them by
 * name, when the plug-in is linked or the fork compiled (plugin/Makemodule.am,
 * maint/build-fork). A rank that waits in MPI_File_open or MPI_File_close then
 * waits as everywhere in this driver: outside the section, and its outstanding
 * requests make progress (progress.h).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BLOCKING_H
#define ADL_BLOCKING_H

#include "adio.h"

int adl_blocking_Allgather(const void *from, int n, MPI_Datatype type, void *to,
                           int m, MPI_Datatype totype, MPI_Comm comm);
int adl_blocking_Allreduce(const void *from, void *to, int n, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm);
int adl_blocking_Alltoall(const void *from, int n, MPI_Datatype type, void *to,
                          int m, MPI_Datatype totype, MPI_Comm comm);
int adl_blocking_Barrier(MPI_Comm comm);
int adl_blocking_Bcast(void *buf, int n, MPI_Datatype type, int root,
                       MPI_Comm comm);
int adl_blocking_Gather(const void *from, int n, MPI_Datatype type, void *to,
                        int m, MPI_Datatype totype, int root, MPI_Comm comm);
int adl_blocking_Gatherv(const void *from, int n, MPI_Datatype type, void *to,
                         const int *m, const int *disp, MPI_Datatype totype,
                         int root, MPI_Comm comm);
int adl_blocking_Reduce(const void *from, void *to, int n, MPI_Datatype type,
                        MPI_Op op, int root, MPI_Comm comm);

int adl_blocking_Recv(void *buf, int n, MPI_Datatype type, int from, int tag,
                      MPI_Comm comm, MPI_Status *status);
int adl_blocking_Send(const void *buf, int n, MPI_Datatype type, int to,
                      int tag, MPI_Comm comm);
int adl_blocking_Wait(MPI_Request *request, MPI_Status *status);
int adl_blocking_Waitall(int n, MPI_Request *request, MPI_Status *status);

/* MPI has no nonblocking form of these: a barrier comes before each. */
int adl_blocking_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out);
int adl_blocking_Comm_dup(MPI_Comm comm, MPI_Comm *out);
int adl_blocking_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out);
int adl_blocking_Comm_split_type(MPI_Comm comm, int type, int key,
                                 MPI_Info info, MPI_Comm *out);
int adl_blocking_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                                     MPI_Comm comm, void *base, MPI_Win *win);

#endif
