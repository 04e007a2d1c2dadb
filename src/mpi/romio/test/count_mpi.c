/* count_mpi.c - a preload library that counts what ROMIO sends
 *
 * Stands in front of the plug-in and of MPI. ROMIO and the driver call MPI by
 * both its names, so that both are counted; MPI itself calls neither. A program
 * asks by `mpi_counts`, a symbol it looks up at run time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "count_mpi.h"

struct mpi_counts mpi_counts;

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void collective(long long bytes)
{
    mpi_counts.collectives++;
    if (bytes > mpi_counts.collective_bytes)
        mpi_counts.collective_bytes = bytes;
}

static long long bytes_of(int count, MPI_Datatype type)
{
    MPI_Count size;

    PMPI_Type_size_x(type, &size);
    return size * count;
}

/* Both names of a function; `count` is done before it is passed on. */
#define WRAP(name, params, args, count)            \
    int P##name params                             \
    {                                              \
        static int(*next) params;                  \
                                                   \
        if (!next)                                 \
            next = (int(*) params)real("P" #name); \
        count;                                     \
        return next args;                          \
    }                                              \
    int name params                                \
    {                                              \
        return P##name args;                       \
    }

WRAP(MPI_Barrier, (MPI_Comm comm), (comm), collective(0))
WRAP(MPI_Bcast, (void *buf, int n, MPI_Datatype t, int root, MPI_Comm comm),
     (buf, n, t, root, comm), collective(bytes_of(n, t)))
WRAP(MPI_Reduce,
     (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root,
      MPI_Comm comm),
     (s, r, n, t, op, root, comm), collective(bytes_of(n, t)))
WRAP(MPI_Allreduce,
     (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s, r, n, t, op, comm), collective(bytes_of(n, t)))
WRAP(MPI_Iallreduce,
     (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
      MPI_Request *req),
     (s, r, n, t, op, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Allgather,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
      MPI_Comm comm),
     (s, n, t, r, m, u, comm), collective(bytes_of(n, t)))
WRAP(MPI_Gather,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
      int root, MPI_Comm comm),
     (s, n, t, r, m, u, root, comm), collective(bytes_of(n, t)))
WRAP(MPI_Alltoall,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
      MPI_Comm comm),
     (s, n, t, r, m, u, comm), collective(bytes_of(n, t)))
WRAP(MPI_Allgatherv,
     (const void *s, int n, MPI_Datatype t, void *r, const int m[],
      const int at[], MPI_Datatype u, MPI_Comm comm),
     (s, n, t, r, m, at, u, comm), collective(bytes_of(n, t)))
WRAP(MPI_Gatherv,
     (const void *s, int n, MPI_Datatype t, void *r, const int m[],
      const int at[], MPI_Datatype u, int root, MPI_Comm comm),
     (s, n, t, r, m, at, u, root, comm), collective(bytes_of(n, t)))
WRAP(MPI_Scan,
     (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (s, r, n, t, op, comm), collective(bytes_of(n, t)))
WRAP(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *req), (comm, req),
     collective(0))
WRAP(MPI_Ibcast,
     (void *buf, int n, MPI_Datatype t, int root, MPI_Comm comm,
      MPI_Request *req),
     (buf, n, t, root, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Ireduce,
     (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root,
      MPI_Comm comm, MPI_Request *req),
     (s, r, n, t, op, root, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Iallgather,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
      MPI_Comm comm, MPI_Request *req),
     (s, n, t, r, m, u, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Igather,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
      int root, MPI_Comm comm, MPI_Request *req),
     (s, n, t, r, m, u, root, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Igatherv,
     (const void *s, int n, MPI_Datatype t, void *r, const int m[],
      const int at[], MPI_Datatype u, int root, MPI_Comm comm,
      MPI_Request *req),
     (s, n, t, r, m, at, u, root, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Ialltoall,
     (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
      MPI_Comm comm, MPI_Request *req),
     (s, n, t, r, m, u, comm, req), collective(bytes_of(n, t)))
WRAP(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *out), (comm, out), collective(0))
WRAP(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *out),
     (comm, color, key, out), collective(0))
WRAP(MPI_Comm_split_type,
     (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out),
     (comm, type, key, info, out), collective(0))

static void send(int n, MPI_Datatype t, int tag)
{
    int kind = (tag >= COUNT_TAG_LARGE) + (tag >= COUNT_TAG_WORDS);

    mpi_counts.sends[kind]++;
    mpi_counts.sent[kind] += bytes_of(n, t);
}

WRAP(MPI_Isend,
     (const void *buf, int n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
      MPI_Request *req),
     (buf, n, t, dest, tag, comm, req), send(n, t, tag))
WRAP(MPI_Issend,
     (const void *buf, int n, MPI_Datatype t, int dest, int tag, MPI_Comm comm,
      MPI_Request *req),
     (buf, n, t, dest, tag, comm, req),
     (mpi_counts.synchronous++, send(n, t, tag)))
WRAP(MPI_Irecv,
     (void *buf, int n, MPI_Datatype t, int source, int tag, MPI_Comm comm,
      MPI_Request *req),
     (buf, n, t, source, tag, comm, req), mpi_counts.receives++)
