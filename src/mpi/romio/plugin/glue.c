/* glue.c - start, locking and abort: the small MPICH internals ROMIO calls */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>

#include "../adio/ad_lustre/sys/section.h"

PLUGIN_PUBLIC const char romio_lustre_version[] =
    "romio-lustre " ROMIO_LUSTRE_VERSION " (ROMIO of MPICH " ROMIO_VERSION_TEXT
    ")";

int MPIR_Ext_dbg_romio_terse_enabled;
int MPIR_Ext_dbg_romio_typical_enabled;
int MPIR_Ext_dbg_romio_verbose_enabled;

void *plugin_next(const char *name)
{
    void *p;

    plugin_bind();
    p = plugin_behind(name);
    if (!p) {
        fprintf(stderr,
                "romio-lustre: the MPI library has no %s: it is too old, or is "
                "linked statically\n",
                name);
        abort();
    }
    return p;
}

int MPIR_Ext_init(void)
{
    int rank;

    if (getenv("ROMIO_LUSTRE_VERBOSE")) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
            fprintf(stderr, "%s\n", romio_lustre_version);
    }
    return MPI_SUCCESS;
}

int MPIR_Ext_assert_fail(const char *cond, const char *file, int line)
{
    fprintf(stderr, "romio-lustre: %s:%d: assertion failed: %s\n", file, line,
            cond);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    return MPI_ERR_INTERN;
}

int MPIR_Abort(MPI_Comm comm, int mpi_errno, int exit_code, const char *msg)
{
    (void)mpi_errno;
    fprintf(stderr, "%s\n", msg);
    return PMPI_Abort(comm, exit_code);
}

/* ROMIO enters the section around every MPI_File call, before it calls MPI, and
 * may enter it again from inside. At every thread level: a thread of ours may
 * be stepping an outstanding call, see progress.h. */
void MPIR_Ext_mutex_init(void)
{
}

void MPIR_Ext_mutex_finalize(void)
{
}

void MPIR_Ext_cs_enter(void)
{
    plugin_bind();
    adl_section_enter();
}

void MPIR_Ext_cs_exit(void)
{
    adl_section_exit();
}

void MPIR_Ext_cs_yield(void)
{
    adl_section_yield();
}

/* Whether a type is committed is not public; a null type is all we can see. */
int MPIR_Ext_datatype_iscommitted(MPI_Datatype type)
{
    return type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS;
}

/* Asked for only by MPIX_Comm_split_filesystem, which the plug-in does not
 * export: one node is a correct answer there. */
int MPIR_Get_node_id(MPI_Comm comm, int rank, int *id)
{
    (void)comm;
    (void)rank;
    *id = 0;
    return MPI_SUCCESS;
}

/* Buffers are in the host's memory: the plug-in does not know MPI's devices. */
void *MPIR_Ext_gpu_host_alloc(const void *buf, MPI_Aint n, MPI_Datatype type)
{
    (void)buf;
    (void)n;
    (void)type;
    return NULL;
}

void MPIR_Ext_gpu_host_free(void *host, MPI_Aint n, MPI_Datatype type)
{
    (void)host;
    (void)n;
    (void)type;
}

void *MPIR_Ext_gpu_host_swap(const void *buf, MPI_Aint n, MPI_Datatype type)
{
    return MPIR_Ext_gpu_host_alloc(buf, n, type);
}

void MPIR_Ext_gpu_swap_back(void *host, void *buf, MPI_Aint n,
                            MPI_Datatype type)
{
    (void)buf;
    MPIR_Ext_gpu_host_free(host, n, type);
}
