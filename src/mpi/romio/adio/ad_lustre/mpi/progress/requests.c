/* requests.c - errors of nonblocking calls reach their file's error handler */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

/* The fork is compiled with other names for these, see blocking.h. */
#undef PMPI_Wait
#undef PMPI_Waitall

#include "requests.h"

#include <limits.h>

#include "../errcode.h"
#ifndef ADL_IN_MPICH
#include "../../../../plugin/plugin.h"
#endif

/* A status with a note: its number is in MPI_TAG. No rank has this number. */
#define MARK (INT_MIN + 0x10)

/* What the callbacks noted during the call this thread is in. A call that
 * completes more failed requests than this reports the others as the last. */
enum { NOTES = 64 };

static __thread struct {
    int depth; /* calls of MPI's, ours among them, call each other */
    int count;
    struct {
        ADIO_File fd;
        struct adl_outcome outcome;
    } note[NOTES];
} noted;

/* MPI_Request_get_status asks, too, and completes nothing. */
void adl_requests_note(ADIO_File fd, const struct adl_outcome *outcome,
                       MPI_Status *status)
{
    int i;

    if (noted.depth == 0)
        return;
    i = noted.count < NOTES ? noted.count++ : NOTES - 1;
    noted.note[i].fd = fd;
    noted.note[i].outcome = *outcome;
    status->MPI_SOURCE = MARK;
    status->MPI_TAG = i;
}

/* What MPI itself does. */
#ifdef ADL_IN_MPICH
#define PLAIN(name) MPIR_Plain_##name
int MPIR_Plain_Wait(MPI_Request *, MPI_Status *);
int MPIR_Plain_Waitall(int, MPI_Request *, MPI_Status *);
int MPIR_Plain_Waitany(int, MPI_Request *, int *, MPI_Status *);
int MPIR_Plain_Waitsome(int, MPI_Request *, int *, int *, MPI_Status *);
int MPIR_Plain_Test(MPI_Request *, int *, MPI_Status *);
int MPIR_Plain_Testall(int, MPI_Request *, int *, MPI_Status *);
int MPIR_Plain_Testany(int, MPI_Request *, int *, int *, MPI_Status *);
int MPIR_Plain_Testsome(int, MPI_Request *, int *, int *, MPI_Status *);
#else
static struct {
    void *Wait, *Waitall, *Waitany, *Waitsome;
    void *Test, *Testall, *Testany, *Testsome;
} behind;

static void *find_request(void **known, const char *name)
{
    void *fn = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (!fn) {
        fn = plugin_next(name);
        __atomic_store_n(known, fn, __ATOMIC_RELAXED);
    }
    return fn;
}

#define PLAIN(name) \
    ((__typeof__(&PMPI_##name))find_request(&behind.name, "PMPI_" #name))
#endif

static void begin_request(void)
{
    if (noted.depth++ == 0)
        noted.count = 0;
}

/* 1: this call completed a request that failed. */
static int failed(int rc)
{
    return --noted.depth == 0 && noted.count > 0 && rc == MPI_SUCCESS;
}

static int code_of(int i)
{
    return adl_outcome_code(noted.note[i].fd, "nonblocking collective",
                            &noted.note[i].outcome);
}

static int raise_on_file(int i, int code)
{
    return MPIO_Err_return_file((MPI_File)noted.note[i].fd, code);
}

/* The one request that was completed. */
static int one_failed(MPI_Status *status)
{
    int code = code_of(0);

    if (status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
        status->MPI_ERROR = code;
    }
    return raise_on_file(0, code);
}

/* One of several: every status gets its error, or success. */
static int some_failed(int n, MPI_Status *status)
{
    for (int i = 0; status != MPI_STATUSES_IGNORE && i < n; i++) {
        int found = status[i].MPI_SOURCE == MARK && status[i].MPI_TAG >= 0 &&
                    status[i].MPI_TAG < noted.count;

        status[i].MPI_ERROR = found ? code_of(status[i].MPI_TAG) : MPI_SUCCESS;
        if (found)
            status[i].MPI_SOURCE = status[i].MPI_TAG = MPI_UNDEFINED;
    }
    raise_on_file(0, code_of(0));
    return MPI_ERR_IN_STATUS;
}

#define PUBLIC __attribute__((visibility("default")))
/* In the fork both names are here, in place of MPI's weak ones. */
#ifdef ADL_IN_MPICH
#define ALSO(name) __attribute__((alias(#name), visibility("default")))
#else
#define ALSO(name) __attribute__((weak, alias(#name), visibility("default")))
#endif

PUBLIC int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Wait)(request, status);
    return failed(rc) ? one_failed(status) : rc;
}

PUBLIC int PMPI_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Waitall)(n, request, status);
    return failed(rc) ? some_failed(n, status) : rc;
}

PUBLIC int PMPI_Waitany(int n, MPI_Request *request, int *index,
                        MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Waitany)(n, request, index, status);
    return failed(rc) ? one_failed(status) : rc;
}

PUBLIC int PMPI_Waitsome(int n, MPI_Request *request, int *done, int *index,
                         MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Waitsome)(n, request, done, index, status);
    return failed(rc) ? some_failed(*done, status) : rc;
}

PUBLIC int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Test)(request, flag, status);
    return failed(rc) ? one_failed(status) : rc;
}

PUBLIC int PMPI_Testall(int n, MPI_Request *request, int *flag,
                        MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Testall)(n, request, flag, status);
    return failed(rc) ? some_failed(n, status) : rc;
}

PUBLIC int PMPI_Testany(int n, MPI_Request *request, int *index, int *flag,
                        MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Testany)(n, request, index, flag, status);
    return failed(rc) ? one_failed(status) : rc;
}

PUBLIC int PMPI_Testsome(int n, MPI_Request *request, int *done, int *index,
                         MPI_Status *status)
{
    int rc;

    begin_request();
    rc = PLAIN(Testsome)(n, request, done, index, status);
    return failed(rc) ? some_failed(*done, status) : rc;
}

/* mpipr.h turns the names into those above. */
#undef MPI_Wait
#undef MPI_Waitall
#undef MPI_Waitany
#undef MPI_Waitsome
#undef MPI_Test
#undef MPI_Testall
#undef MPI_Testany
#undef MPI_Testsome

int MPI_Wait(MPI_Request *, MPI_Status *) ALSO(PMPI_Wait);
int MPI_Waitall(int, MPI_Request *, MPI_Status *) ALSO(PMPI_Waitall);
int MPI_Waitany(int, MPI_Request *, int *, MPI_Status *) ALSO(PMPI_Waitany);
int MPI_Waitsome(int, MPI_Request *, int *, int *, MPI_Status *)
    ALSO(PMPI_Waitsome);
int MPI_Test(MPI_Request *, int *, MPI_Status *) ALSO(PMPI_Test);
int MPI_Testall(int, MPI_Request *, int *, MPI_Status *) ALSO(PMPI_Testall);
int MPI_Testany(int, MPI_Request *, int *, int *, MPI_Status *)
    ALSO(PMPI_Testany);
int MPI_Testsome(int, MPI_Request *, int *, int *, MPI_Status *)
    ALSO(PMPI_Testsome);
