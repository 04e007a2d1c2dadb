/* progress.h - a rank that waits advances all its outstanding requests
 *
 * MPI's progress rule: a call that waits lets all other communication of its
 * process go on, and a nonblocking call completes in the end, whatever MPI
 * calls its process makes meanwhile. Every nonblocking collective call is
 * therefore a task of the process from its start to its end. Tasks are stepped
 *
 *   - by each call of this driver that waits, on whatever file: adl_pause;
 *   - by Test and Wait on any request of this driver: adl_progress_step;
 *   - from inside MPI's own waiting loop, where MPI takes a function there (the
 *     fork; plugin/port/port.h), below MPI_THREAD_MULTIPLE;
 *   - else by a thread: all tasks under MPI_THREAD_MULTIPLE, otherwise those
 *     whose steps need no MPI (all ranks on one node).
 *
 * One case is left: no hook in MPI's loop, several nodes, a lower thread level.
 * There a task moves only while its process is in a call of this driver.
 *
 * All functions are local, and may be called from several threads at once.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PROGRESS_H
#define ADL_PROGRESS_H

#include <stdint.h>

#include "adio.h"

#include "../../sys/futex.h"
#include "overdue.h"

enum adl_step {
    ADL_STEP_IDLE, /* waits for other ranks */
    ADL_STEP_MOVED,
    ADL_STEP_DONE, /* nothing is left to do */
};

/* Something outstanding. The owner embeds it, and fills in the first part. */
struct adl_task {
    /* Does everything that is possible without waiting. Any thread may call it,
     * inside the section: two steps never run at once, nor a step beside a call
     * of ROMIO. It may call MPI only if `mpi` is 1, and then only functions
     * that neither wait nor probe; it tests requests by adl_progress_test. */
    enum adl_step (*step)(void *arg, int mpi);
    /* Called once, by the same thread, after the step that returned
     * ADL_STEP_DONE. The task is then no longer outstanding and may be freed.
     * MPI may be called as in that step. NULL: nothing to do. */
    void (*done)(void *arg);
    void *arg;
    int needs_mpi; /* steps are useless where MPI may not be called */

    struct adl_task *next; /* progress.c's own */
};

/* The task is outstanding from now on, until it is done. */
void adl_progress_add(struct adl_task *task);
/* Step every outstanding task once, unless this or another thread is already
 * stepping them. 1: one of them moved. */
int adl_progress_step(void);

/* Is a task outstanding? */
int adl_progress_outstanding(void);

/* Does MPI's waiting loop call the poll functions of requests? If not, the
 * loop's hook steps all tasks, and a request of this driver needs no poll
 * function. */
int adl_progress_polls(void);

/* Wait until nothing is outstanding. `comm`: any. */
void adl_progress_drain(MPI_Comm comm);

/* Print "romio-lustre: TEXT: aborting", wait until the launcher has forwarded
 * the line, and abort. */
_Noreturn void adl_progress_abort(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* MPI failed in a message or collective call between the ranks of a file: print
 * a line and abort. The other rank would wait for ever or use data that never
 * came, and MPI promises nothing after an error. This function is the error
 * handler of every file's communicator (file.c), whatever handler the user's
 * communicator has; so no caller checks the return code of MPI calls on it. */
_Noreturn void adl_progress_failed(int code);

/* PMPI_Test that may also be called inside MPI's own progress loop. 1: the
 * request is done. A request that failed ends the job. */
int adl_progress_test(MPI_Request *request, MPI_Status *status);
/* The same for n requests. Returns how many are done, with their indices and
 * statuses. */
int adl_progress_test_some(int n, MPI_Request *request, int *index,
                           MPI_Status *status);

/* How to wait for a condition: between two looks,
 *
 *     adl_pause_begin(&p, comm);
 *     while (seen = adl_bell_read(bell), !there())
 *         adl_pause(&p, bell, seen);
 */
struct adl_pause {
    MPI_Comm comm;
    /* spin until this time, ns; 0: there are fewer cores than ranks */
    int64_t spin;
    int64_t nap; /* length of the next nap, ns; naps grow */
    int64_t longest;
    int yields; /* looks that only yield the core, before the first nap */
};

/* `comm` has all ranks of the file: a probe on it makes MPI progress.
 * MPI_COMM_NULL: the caller makes MPI progress itself. If this machine has a
 * core for every rank, no rank sleeps in the first millisecond of a wait. */
void adl_pause_begin(struct adl_pause *p, MPI_Comm comm);
/* At least `ranks` ranks share this machine. Until this is called every wait
 * assumes that there are too few cores. */
void adl_pause_ranks(int ranks);
int adl_pause_spins(const struct adl_pause *p); /* is it still spinning? */
/* Leave the section, step the outstanding tasks, let MPI make progress, then
 * sleep until the bell rings (NULL: there is none), but at most a millisecond,
 * and enter the section again. */
void adl_pause(struct adl_pause *p, struct adl_bell *bell, uint32_t seen);
/* Wait for an MPI request in this way; `o` describes it for a line if that
 * takes long. Returns an MPI error code. */
int adl_pause_request(struct adl_pause *p, struct adl_overdue *o,
                      MPI_Request *request, MPI_Status *status);

#endif
