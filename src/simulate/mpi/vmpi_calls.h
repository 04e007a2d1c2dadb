/* vmpi_calls.h - the MPI functions that the simulation replaces */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_VMPI_CALLS_H
#define SIMULATE_VMPI_CALLS_H

#include <mpi.h>

#define VMPI(name) __typeof__(PMPI_##name) vmpi_##name

VMPI(Ibarrier);
VMPI(Ibcast);
VMPI(Ireduce);
VMPI(Iallreduce);
VMPI(Igather);
VMPI(Igatherv);
VMPI(Iallgather);
VMPI(Ialltoall);
VMPI(Alltoallw);
VMPI(Barrier);
VMPI(Bcast);
VMPI(Reduce);
VMPI(Allreduce);
VMPI(Gather);
VMPI(Gatherv);
VMPI(Allgather);
VMPI(Alltoall);
VMPI(Comm_rank);
VMPI(Comm_size);
VMPI(Comm_test_inter);
VMPI(Comm_free);
VMPI(Comm_set_errhandler);
VMPI(Comm_get_errhandler);
VMPI(Comm_call_errhandler);
VMPI(Comm_create_errhandler);
VMPI(Errhandler_free);
VMPI(Comm_split);
VMPI(Comm_dup);
VMPI(Comm_split_type);
VMPI(Comm_group);
VMPI(Group_free);
VMPI(Group_incl);
VMPI(Group_compare);
VMPI(Comm_create);
VMPI(Comm_create_keyval);
VMPI(Keyval_create);
VMPI(Comm_free_keyval);
VMPI(Keyval_free);
VMPI(Comm_set_attr);
VMPI(Attr_put);
VMPI(Comm_get_attr);
VMPI(Attr_get);
VMPI(Finalize);
VMPI(Abort);
VMPI(Pack);
VMPI(Unpack);
VMPI(Pack_size);
VMPI(Win_allocate_shared);
VMPI(Win_shared_query);
VMPI(Win_free);
VMPI(Win_create);
VMPI(Win_lock);
VMPI(Win_unlock);
VMPI(Put);
VMPI(Get);
VMPI(Accumulate);
VMPI(Init);
VMPI(Init_thread);
VMPI(Initialized);
VMPI(Finalized);
VMPI(Query_thread);
VMPI(Wtime);
VMPI(Get_processor_name);
VMPI(Isend);
VMPI(Issend);
VMPI(Send);
VMPI(Irecv);
VMPI(Cancel);
VMPI(Recv);
VMPI(Iprobe);
VMPI(Improbe);
VMPI(Imrecv);
VMPI(Test);
VMPI(Wait);
VMPI(Testall);
VMPI(Waitall);
VMPI(Testsome);
VMPI(Waitsome);
VMPI(Testany);
VMPI(Waitany);
VMPI(Grequest_start);
VMPI(Grequest_complete);

__typeof__(PMPIX_Grequest_class_create) vmpix_Grequest_class_create;
__typeof__(PMPIX_Grequest_class_allocate) vmpix_Grequest_class_allocate;

#undef VMPI

#endif
