/* blocking.c - MPI's blocking calls, as ROMIO and this driver call them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

/* The fork is compiled with these names for the functions below. */
#undef PMPI_Comm_create
#undef PMPI_Comm_dup
#undef PMPI_Comm_split
#undef PMPI_Comm_split_type
#undef PMPI_Win_allocate_shared

#include "blocking.h"

#include "../mpi/progress/known.h"
#include "../mpi/progress/progress.h"
#include "../sys/section.h"
#include "adio_extern.h"

enum { ANY_RANK = -1 };

/* MPI raises the error of a request on MPI_COMM_WORLD, that of a blocking call
 * on its communicator. */
static int wait_on(struct adl_overdue *o, MPI_Request *request,
                   MPI_Status *status)
{
    struct adl_pause pause;
    int rc;

    adl_pause_begin(&pause, o->comm);
    rc = adl_pause_request(&pause, o, request, status);
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(o->comm, rc);
    return rc;
}

/* `rc` is of the call that began it. */
static int finish_blocking(int rc, const char *what, MPI_Comm comm,
                           MPI_Request *request)
{
    struct adl_overdue o = {.what = what, .comm = comm, .peer = ANY_RANK};

    return rc == MPI_SUCCESS ? wait_on(&o, request, MPI_STATUS_IGNORE) : rc;
}

int adl_blocking_Allgather(const void *from, int n, MPI_Datatype type, void *to,
                           int m, MPI_Datatype totype, MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(
        PMPI_Iallgather(from, n, type, to, m, totype, comm, &req), "Allgather",
        comm, &req);
}

/* Local. ROMIO compares the amode of the ranks by an operation of its own: a
 * later reduction does that. 1: this one need not be made. */
static int is_for_later(const void *from, void *to, MPI_Op op, MPI_Comm comm)
{
    int size = 1;

    if (op == ADIO_same_amode)
        PMPI_Comm_size(comm, &size);
    if (size == 1)
        return 0;
    *(int *)to = *(const int *)from;
    adl_known_note_amode(comm, *(const int *)from);
    return 1;
}

int adl_blocking_Allreduce(const void *from, void *to, int n, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm)
{
    MPI_Request req;
    int rc;

    if (is_for_later(from, to, op, comm) ||
        adl_known_take(comm, n, type, op, to))
        return MPI_SUCCESS;
    rc = finish_blocking(PMPI_Iallreduce(from, to, n, type, op, comm, &req),
                         "Allreduce", comm, &req);
    adl_known_note_met(comm);
    return rc;
}

int adl_blocking_Alltoall(const void *from, int n, MPI_Datatype type, void *to,
                          int m, MPI_Datatype totype, MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(
        PMPI_Ialltoall(from, n, type, to, m, totype, comm, &req), "Alltoall",
        comm, &req);
}

int adl_blocking_Barrier(MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(PMPI_Ibarrier(comm, &req), "Barrier", comm, &req);
}

int adl_blocking_Bcast(void *buf, int n, MPI_Datatype type, int root,
                       MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(PMPI_Ibcast(buf, n, type, root, comm, &req), "Bcast",
                           comm, &req);
}

int adl_blocking_Gather(const void *from, int n, MPI_Datatype type, void *to,
                        int m, MPI_Datatype totype, int root, MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(
        PMPI_Igather(from, n, type, to, m, totype, root, comm, &req), "Gather",
        comm, &req);
}

int adl_blocking_Gatherv(const void *from, int n, MPI_Datatype type, void *to,
                         const int *m, const int *disp, MPI_Datatype totype,
                         int root, MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(
        PMPI_Igatherv(from, n, type, to, m, disp, totype, root, comm, &req),
        "Gatherv", comm, &req);
}

int adl_blocking_Reduce(const void *from, void *to, int n, MPI_Datatype type,
                        MPI_Op op, int root, MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(
        PMPI_Ireduce(from, to, n, type, op, root, comm, &req), "Reduce", comm,
        &req);
}

int adl_blocking_Recv(void *buf, int n, MPI_Datatype type, int from, int tag,
                      MPI_Comm comm, MPI_Status *status)
{
    struct adl_overdue o = {.what = "Recv", .comm = comm, .peer = from};
    MPI_Request req;
    int rc = PMPI_Irecv(buf, n, type, from, tag, comm, &req);

    if (from == MPI_ANY_SOURCE)
        o.peer = ANY_RANK;
    return rc == MPI_SUCCESS ? wait_on(&o, &req, status) : rc;
}

int adl_blocking_Send(const void *buf, int n, MPI_Datatype type, int to,
                      int tag, MPI_Comm comm)
{
    MPI_Request req;

    return finish_blocking(PMPI_Isend(buf, n, type, to, tag, comm, &req),
                           "Send", comm, &req);
}

int adl_blocking_Wait(MPI_Request *request, MPI_Status *status)
{
    struct adl_overdue o = {
        .what = "Wait", .comm = MPI_COMM_NULL, .peer = ANY_RANK};
    struct adl_pause pause;

    adl_pause_begin(&pause, MPI_COMM_NULL);
    return adl_pause_request(&pause, &o, request, status);
}

/* An error of one is reported by its code: ROMIO looks no closer. */
int adl_blocking_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
    int worst = MPI_SUCCESS;

    for (int i = 0; i < n; i++) {
        int rc = adl_blocking_Wait(&request[i], status == MPI_STATUSES_IGNORE
                                                    ? MPI_STATUS_IGNORE
                                                    : &status[i]);

        worst = worst == MPI_SUCCESS ? rc : worst;
    }
    return worst;
}

/* When all ranks have arrived no rank needs a step to arrive; after a reduction
 * in the same call they have. The call itself still waits outside the section:
 * under MPI_THREAD_MULTIPLE MPI may wait until another thread's call ends. */
static int meet(MPI_Comm comm)
{
    if (!adl_known_met(comm))
        adl_blocking_Barrier(comm);
    return adl_section_leave();
}

int adl_blocking_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    int depth = meet(comm), rc = PMPI_Comm_create(comm, group, out);

    adl_section_return(depth);
    return rc;
}

int adl_blocking_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    int depth = meet(comm), rc = PMPI_Comm_dup(comm, out);

    adl_section_return(depth);
    return rc;
}

int adl_blocking_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    int depth = meet(comm), rc = PMPI_Comm_split(comm, color, key, out);

    adl_section_return(depth);
    return rc;
}

int adl_blocking_Comm_split_type(MPI_Comm comm, int type, int key,
                                 MPI_Info info, MPI_Comm *out)
{
    int depth = meet(comm);
    int rc = PMPI_Comm_split_type(comm, type, key, info, out);

    adl_section_return(depth);
    return rc;
}

int adl_blocking_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                                     MPI_Comm comm, void *base, MPI_Win *win)
{
    int depth = meet(comm);
    int rc = PMPI_Win_allocate_shared(bytes, unit, info, comm, base, win);

    adl_section_return(depth);
    return rc;
}
