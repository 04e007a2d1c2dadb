/* stopper.c - a process that stops ranks for a while */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "stopper.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../adio/ad_lustre/core/test/random.h"

/* Microseconds between two stops, and of a stop. */
enum { PAUSE_US = 4000, STOP_US = 25000, IDLE_US = 3000, MOST_FD = 1024 };

static void nap(int64_t us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&time, NULL);
}

/* A stopped rank is continued, whatever happens to rank 0. */
static void stop_ranks(struct stopper *stopper, pid_t parent)
{
    struct rng rng = {(uint64_t)time(NULL) * 1000003 + (uint64_t)getpid()};

    while (getppid() == parent && atomic_load(&stopper->armed) >= 0) {
        pid_t pid;

        if (atomic_load(&stopper->armed) == 0) {
            nap(IDLE_US);
            continue;
        }
        nap(rng_in(&rng, 0, PAUSE_US));
        pid = stopper->pid[rng_in(&rng, 0, stopper->n - 1)];
        if (atomic_load(&stopper->armed) <= 0 || kill(pid, SIGSTOP) < 0)
            continue;
        nap(rng_in(&rng, 0, STOP_US));
        kill(pid, SIGCONT);
    }
}

pid_t stopper_start(struct stopper *stopper)
{
    pid_t parent = getpid(), pid = fork();

    if (pid)
        return pid;
    /* mpiexec waits for the end of what the ranks print, and the process
     * manager's connection is not the stopper's */
    for (int fd = 0; fd < MOST_FD; fd++)
        close(fd);
    stop_ranks(stopper, parent);
    _exit(0);
}

void stopper_end(struct stopper *stopper, pid_t pid)
{
    atomic_store(&stopper->armed, -1);
    waitpid(pid, NULL, 0);
}
