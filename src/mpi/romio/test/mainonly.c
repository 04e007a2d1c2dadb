/* mainonly.c - a preload library: MPI is called by the main thread only
 *
 * Below MPI_THREAD_MULTIPLE no other thread may call MPI. Stands in front of
 * calls that steps of a nonblocking call can come to; one that comes from
 * another thread is told and ends the process.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void check_thread(const char *name)
{
    if (syscall(SYS_gettid) == getpid())
        return;
    fprintf(stderr, "mainonly: %s in another thread\n", name);
    _exit(3);
}

#define GUARD(name, params, args)                      \
    int name params                                    \
    {                                                  \
        static int(*real) params;                      \
                                                       \
        check_thread(#name);                           \
        if (!real)                                     \
            *(void **)&real = dlsym(RTLD_NEXT, #name); \
        return real args;                              \
    }

GUARD(PMPI_Info_set, (MPI_Info info, const char *key, const char *value),
      (info, key, value))
GUARD(PMPI_Comm_get_attr, (MPI_Comm comm, int key, void *value, int *flag),
      (comm, key, value, flag))
GUARD(PMPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
GUARD(PMPI_Grequest_complete, (MPI_Request request), (request))
GUARD(PMPI_Iprobe,
      (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
      (from, tag, comm, flag, status))
