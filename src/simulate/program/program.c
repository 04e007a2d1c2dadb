/* program.c - the programs, as the harness sees them; the start of a rank */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "program.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct program {
    struct job job;
    struct scenes *scenes;
    int64_t *wrong; /* not a variable of the library: those are each rank's */
};

int job_has_item(const struct job *job, const char *fmt, ...)
{
    char text[128];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    for (int i = 0; i < job->items; i++)
        if (strcmp(job->item[i], text) == 0)
            return 1;
    return 0;
}

void job_print_hints(const struct job *job, FILE *to)
{
    fprintf(to, "  hints:");
    for (int i = 0; i < job->hints; i++)
        if (!job_has_item(job, "hint:%s", job->hint[i].key))
            fprintf(to, " %s=%s", job->hint[i].key, job->hint[i].value);
    fprintf(to, "\n");
}

static struct program *make(const struct job *job)
{
    struct program *p = calloc(1, sizeof(*p));

    if (!p)
        abort();
    p->job = *job;
    p->wrong = calloc(1, sizeof(*p->wrong));
    if (job->kind == PROGRAM_SCENES)
        p->scenes = scenes_make(&p->job);
    return p;
}

static int ranks(const struct program *p)
{
    return p->scenes ? scenes_ranks(p->scenes) : p->job.ranks;
}

static void print(const struct program *p, FILE *to)
{
    if (p->scenes)
        scenes_print(p->scenes, to);
    else if (p->job.kind == PROGRAM_PROGRESS)
        progress_print(&p->job, to);
    else if (p->job.kind == PROGRAM_SHARED)
        shared_print(&p->job, to);
    else
        pattern_print(&p->job, to);
}

static void items(const struct program *p,
                  void (*fn)(const char *item, void *arg), void *arg)
{
    char text[128];

    for (int i = 0; i < p->job.hints; i++) {
        snprintf(text, sizeof(text), "hint:%s", p->job.hint[i].key);
        fn(text, arg);
    }
    if (p->scenes)
        scenes_items(p->scenes, fn, arg);
}

/* What lustre-sim does when a process starts and ends: functions that the
 * linker gathers there. */
typedef void start_fn(int argc, char **argv, char **env);
extern start_fn *__start_simulate_start[] __attribute__((weak));
extern start_fn *__stop_simulate_start[] __attribute__((weak));
extern start_fn *__start_simulate_stop[] __attribute__((weak));
extern start_fn *__stop_simulate_stop[] __attribute__((weak));

/* Variables that all ranks share (memory.c). */
extern char __start_simulate_common[] __attribute__((weak));
extern char __stop_simulate_common[] __attribute__((weak));
char *const simulate_common[2] = {__start_simulate_common,
                                  __stop_simulate_common};

static void call_all(start_fn **from, start_fn **to)
{
    for (; from < to; from++)
        (*from)(0, NULL, NULL);
}

static int64_t run_kind(struct program *p, int rank)
{
    switch (p->job.kind) {
    case PROGRAM_SCENES:
        return scenes_run(p->scenes, rank);
    case PROGRAM_PROGRESS:
        return progress_run(&p->job, rank);
    case PROGRAM_SHARED:
        return shared_run(&p->job, rank);
    case PROGRAM_PATTERN:
        break;
    }
    return pattern_run(&p->job, rank);
}

static void run(struct program *p)
{
    int rank;

    call_all(__start_simulate_start, __stop_simulate_start);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *p->wrong += run_kind(p, rank);
    MPI_Finalize();
    call_all(__start_simulate_stop, __stop_simulate_stop);
}

static void next_job(struct program *p)
{
    p->job.again = 1;
}

static int64_t wrong(const struct program *p)
{
    return *p->wrong;
}

const struct program_ops simulate_program = {make, ranks,    print, items,
                                             run,  next_job, wrong};
