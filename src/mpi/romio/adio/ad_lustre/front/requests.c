/* requests.c - errors of nonblocking calls reach their file's error handler */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

/* The fork is compiled with other names for these, see blocking.h. */
#undef PMPI_Wait
#undef PMPI_Waitall

#include "../mpi/progress/requests.h"

#include <limits.h>

#include "../mpi/progress/progress.h"
#ifndef ADL_IN_MPICH
#include "../../../plugin/port/port.h"
#endif

/* MPI_SOURCE of a status with a note; its MPI_TAG is the error code. No rank
 * has this number. */
#define MARK (INT_MIN + 0x10)

/* Error handlers of this many failed requests are called at the end of a call;
 * the statuses of all of them are right. */
enum { NOTES = 64 };

struct note {
    ADIO_File fd;
    int code;
};

/* What the callbacks of requests know of the call that this thread is in. Calls
 * may be inside each other (an error handler waits for something), and an error
 * handler may leave them by longjmp or an exception: so nothing here counts how
 * deep the thread is. A call looks at the notes since its begin only, and each
 * call says anew whether it waits. */
static __thread struct {
    int inside;      /* a call of this file */
    int64_t waits;   /* calls that wait, so far */
    int64_t waiting; /* which of them this is; 0: a call that only looks */
    int64_t count;   /* notes so far; the last NOTES of them are kept */
    struct note note[NOTES];
} here;

/* A call of this file, on its stack. */
struct frame {
    int inside;
    int64_t waiting;
    int64_t first; /* its first note */
};

void adl_requests_note(ADIO_File fd, int code, MPI_Status *status)
{
    if (!here.inside)
        return;
    here.note[here.count++ % NOTES] = (struct note){fd, code};
    status->MPI_SOURCE = MARK;
    status->MPI_TAG = code;
}

int64_t adl_requests_waiting(void)
{
    return here.waiting;
}

/* MPI's own functions of these names. */
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
int MPIR_Plain_Request_get_status(MPI_Request, int *, MPI_Status *);
#else
static struct {
    void *Wait, *Waitall, *Waitany, *Waitsome;
    void *Test, *Testall, *Testany, *Testsome;
    void *Request_get_status;
} behind;

static void *find_request(void **known, const char *name)
{
    void *fn = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (!fn) {
        fn = port_request_call(name);
        __atomic_store_n(known, fn, __ATOMIC_RELAXED);
    }
    return fn;
}

#define PLAIN(name) \
    ((__typeof__(&PMPI_##name))find_request(&behind.name, "PMPI_" #name))
#endif

static struct frame begin_call(int waits)
{
    struct frame f = {here.inside, here.waiting, here.count};

    here.inside = 1;
    here.waiting = waits ? ++here.waits : 0;
    return f;
}

/* Take the notes of the ending call, the last NOTES of them. Returns their
 * number. */
static int end_call(const struct frame *f, struct note *note)
{
    int64_t n = here.count - f->first;

    here.inside = f->inside;
    here.waiting = f->waiting;
    if (n > NOTES)
        n = NOTES;
    for (int i = 0; i < n; i++)
        note[i] = here.note[(here.count - n + i) % NOTES];
    here.count = f->first;
    return (int)n;
}

/* Take the error out of a status that has a note; 0: it has none. */
static int take_mark(MPI_Status *status)
{
    int code = status->MPI_SOURCE == MARK ? status->MPI_TAG : 0;

    if (code)
        status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return code;
}

/* The end of a call that completes one request, if it has (`done`): MPI asks
 * for the error of requests that it does not complete, too. */
static int end_one(const struct frame *f, int rc, int done, MPI_Status *status)
{
    struct note note[NOTES];
    int n = end_call(f, note);

    if (n == 0 || rc != MPI_SUCCESS || !done)
        return rc;
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = take_mark(status);
    return MPIO_Err_return_file((MPI_File)note[n - 1].fd, note[n - 1].code);
}

/* Call the error handler of each file once. */
static void raise_on_files(const struct note *note, int n)
{
    for (int i = 0; i < n; i++) {
        int k = 0;

        while (note[k].fd != note[i].fd)
            k++;
        if (k == i)
            MPIO_Err_return_file((MPI_File)note[i].fd, note[i].code);
    }
}

/* The end of a call that has completed `done` requests, or some of those. Every
 * status gets its error, or success; where another request failed, too, MPI has
 * set the others. */
static int end_some(const struct frame *f, int rc, int done, MPI_Status *status)
{
    struct note note[NOTES];
    int n = end_call(f, note);

    if (n == 0 || done <= 0)
        return rc;
    for (int i = 0; status != MPI_STATUSES_IGNORE && i < done; i++) {
        int code = take_mark(&status[i]);

        if (code || rc == MPI_SUCCESS)
            status[i].MPI_ERROR = code;
    }
    raise_on_files(note, n);
    return rc == MPI_SUCCESS ? MPI_ERR_IN_STATUS : rc;
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
    struct frame f = begin_call(1);
    int rc = PLAIN(Wait)(request, status);

    return end_one(&f, rc, 1, status);
}

PUBLIC int PMPI_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
    struct frame f = begin_call(1);
    int rc = PLAIN(Waitall)(n, request, status);

    return end_some(&f, rc, n, status);
}

PUBLIC int PMPI_Waitany(int n, MPI_Request *request, int *index,
                        MPI_Status *status)
{
    struct frame f = begin_call(1);
    int rc = PLAIN(Waitany)(n, request, index, status);

    return end_one(&f, rc, 1, status);
}

PUBLIC int PMPI_Waitsome(int n, MPI_Request *request, int *done, int *index,
                         MPI_Status *status)
{
    struct frame f = begin_call(1);
    int rc = PLAIN(Waitsome)(n, request, done, index, status);

    return end_some(&f, rc, *done, status);
}

PUBLIC int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct frame f = begin_call(0);
    int rc = PLAIN(Test)(request, flag, status);

    return end_one(&f, rc, *flag, status);
}

PUBLIC int PMPI_Testall(int n, MPI_Request *request, int *flag,
                        MPI_Status *status)
{
    struct frame f = begin_call(0);
    int rc = PLAIN(Testall)(n, request, flag, status);

    return end_some(&f, rc, *flag || rc != MPI_SUCCESS ? n : 0, status);
}

PUBLIC int PMPI_Testany(int n, MPI_Request *request, int *index, int *flag,
                        MPI_Status *status)
{
    struct frame f = begin_call(0);
    int rc = PLAIN(Testany)(n, request, index, flag, status);

    return end_one(&f, rc, *flag, status);
}

PUBLIC int PMPI_Testsome(int n, MPI_Request *request, int *done, int *index,
                         MPI_Status *status)
{
    struct frame f = begin_call(0);
    int rc = PLAIN(Testsome)(n, request, done, index, status);

    return end_some(&f, rc, *done, status);
}

/* MPI asks no request of ours how far it is: a program that calls nothing else
 * would never see it complete. */
PUBLIC int PMPI_Request_get_status(MPI_Request request, int *flag,
                                   MPI_Status *status)
{
    struct note note[NOTES];
    struct frame f;
    int rc;

    adl_progress_step();
    f = begin_call(0);
    rc = PLAIN(Request_get_status)(request, flag, status);
    if (end_call(&f, note) > 0 && status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = take_mark(status);
    return rc;
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
#undef MPI_Request_get_status

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
int MPI_Request_get_status(MPI_Request, int *, MPI_Status *)
    ALSO(PMPI_Request_get_status);
