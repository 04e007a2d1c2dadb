/* progress.c - the legal programs of t4001 on the simulated machine */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define PROGRESS_LARGEST 3000000 /* beyond any eager limit here */
#define main progress_main
int progress_main(int argc, char **argv);
#include "../../mpi/romio/test/progress.c"
#undef main

#include "../sched.h"
#include "program.h"

/* Of several nodes without a thread that may call MPI: see Limits in
 * README.lustre. */
static const char *const beyond[] = {"barrier_half", "recv_meanwhile",
                                     "irecv_meanwhile", NULL};

static int is_beyond(const char *name)
{
    for (int i = 0; beyond[i]; i++)
        if (strcmp(name, beyond[i]) == 0)
            return 1;
    return 0;
}

/* The processor time of a rank is not a thing of this machine. */
static int can_run(const struct job *job, int i)
{
    return strcmp(cases[i].name, "cost_of_waiting") != 0 &&
           (job->nodes == 1 || job->multiple || !is_beyond(cases[i].name));
}

static int chosen(const struct job *job)
{
    int i = (int)(job->number % CASES);

    while (!can_run(job, i))
        i = (i + 1) % CASES;
    return i;
}

void progress_print(const struct job *job, FILE *to)
{
    fprintf(to, "progress %s\n", cases[chosen(job)].name);
    job_print_hints(job, to);
}

int64_t progress_run(const struct job *job, int me)
{
    static char name[300];

    snprintf(name, sizeof(name), "%s%s/progress",
             job->lustre ? "lustre:" : "ufs:", job->dir);
    prefix = name;
    start(0);
    EXPECT_EQ(rank, me);
    run(chosen(job), 0);
    sched_accomplished();
    return 0;
}
