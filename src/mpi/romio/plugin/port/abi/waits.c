/* waits.c - waiting for requests where MPI does not poll the plug-in's */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "waits.h"

#include <string.h>

#include "../../../adio/ad_lustre/mpi/progress/progress.h"
#include "../../plugin.h"
#include "../grequest.h"

/* Messages of the program that come meanwhile wait no longer than this. */
enum { LONGEST_NAP_NS = 500000 };

#define MPI(name) ((__typeof__(&PMPI_##name))plugin_next("PMPI_" #name))

static int is_outstanding(void)
{
    return adl_progress_outstanding() || grequest_outstanding();
}

static void step_outstanding(void)
{
    if (!is_outstanding())
        return;
    adl_progress_step();
    grequest_poll();
}

static void begin_wait(struct adl_pause *pause)
{
    adl_pause_begin(pause, MPI_COMM_NULL);
    pause->longest = LONGEST_NAP_NS;
}

/* adl_pause steps the driver's requests. */
static void wait_a_while(struct adl_pause *pause)
{
    grequest_poll();
    adl_pause(pause, NULL, 0);
}

static int abi_wait(MPI_Request *request, MPI_Status *status)
{
    struct adl_pause pause;
    int done = 0, rc;

    if (!is_outstanding())
        return MPI(Wait)(request, status);
    begin_wait(&pause);
    while (!(rc = MPI(Test)(request, &done, status)) && !done)
        wait_a_while(&pause);
    return rc;
}

static int abi_waitall(int n, MPI_Request *request, MPI_Status *status)
{
    struct adl_pause pause;
    int done = 0, rc;

    if (!is_outstanding())
        return MPI(Waitall)(n, request, status);
    begin_wait(&pause);
    while (!(rc = MPI(Testall)(n, request, &done, status)) && !done)
        wait_a_while(&pause);
    return rc;
}

static int abi_waitany(int n, MPI_Request *request, int *index,
                       MPI_Status *status)
{
    struct adl_pause pause;
    int done = 0, rc;

    if (!is_outstanding())
        return MPI(Waitany)(n, request, index, status);
    begin_wait(&pause);
    while (!(rc = MPI(Testany)(n, request, index, &done, status)) && !done)
        wait_a_while(&pause);
    return rc;
}

static int abi_waitsome(int n, MPI_Request *request, int *count, int *index,
                        MPI_Status *status)
{
    struct adl_pause pause;
    int rc;

    if (!is_outstanding())
        return MPI(Waitsome)(n, request, count, index, status);
    begin_wait(&pause);
    while (!(rc = MPI(Testsome)(n, request, count, index, status)) &&
           *count == 0)
        wait_a_while(&pause);
    return rc;
}

static int abi_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    step_outstanding();
    return MPI(Test)(request, flag, status);
}

static int abi_testall(int n, MPI_Request *request, int *flag,
                       MPI_Status *status)
{
    step_outstanding();
    return MPI(Testall)(n, request, flag, status);
}

static int abi_testany(int n, MPI_Request *request, int *index, int *flag,
                       MPI_Status *status)
{
    step_outstanding();
    return MPI(Testany)(n, request, index, flag, status);
}

static int abi_testsome(int n, MPI_Request *request, int *count, int *index,
                        MPI_Status *status)
{
    step_outstanding();
    return MPI(Testsome)(n, request, count, index, status);
}

static int abi_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    step_outstanding();
    return MPI(Request_get_status)(request, flag, status);
}

void *abi_waits_find(const char *name)
{
    static const struct {
        const char *name;
        void *fn;
    } calls[] = {
        {"PMPI_Wait", abi_wait},
        {"PMPI_Waitall", abi_waitall},
        {"PMPI_Waitany", abi_waitany},
        {"PMPI_Waitsome", abi_waitsome},
        {"PMPI_Test", abi_test},
        {"PMPI_Testall", abi_testall},
        {"PMPI_Testany", abi_testany},
        {"PMPI_Testsome", abi_testsome},
        {"PMPI_Request_get_status", abi_get_status},
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].fn;
    return NULL;
}
