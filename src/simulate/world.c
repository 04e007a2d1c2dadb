/* world.c - run one case in this process, once */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lustre-sim/conf.h"
#include "figures.h"
#include "libc/libc.h"
#include "memory.h"
#include "mpi/vmpi.h"
#include "net.h"
#include "sched.h"

#define AMPLE 4096 /* MiB of a node in which the driver gets all it wants */

#define SHOWN 24 /* ranks in a report */

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = {"right", "WRONG BYTES", "usage",
                                        "HANG",  "FAILED",      "CRASH"};

    return names[v];
}

const char *world_home(void)
{
    static char path[PATH_MAX];
    ssize_t n;
    char *slash;

    if (path[0])
        return path;
    n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = 0;
    slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    return path;
}

static void library_of(const struct sim_case *c,
                       const struct world_options *options, char *to,
                       size_t room)
{
    if (options->rank_lib)
        snprintf(to, room, "%s", options->rank_lib);
    else
        snprintf(to, room, "%s/libranks%s.so", world_home(),
                 c->stock    ? "-stock"
                 : c->hooked ? "-hooked"
                             : "");
}

/* ---- the file system ---- */

/* Programs that give no hints of their own get them by the environment. */
static void set_hints(const struct sim_case *c)
{
    static char text[JOB_HINTS * 150];
    const struct job *job = &c->job;
    int n = snprintf(text, sizeof(text), "*");

    if (job->kind != PROGRAM_PROGRESS)
        return;
    for (int i = 0; i < job->hints; i++) {
        char item[64];

        snprintf(item, sizeof(item), "hint:%s", job->hint[i].key);
        if (!case_has_item(c, item))
            n += snprintf(text + n, sizeof(text) - (size_t)n, ":%s=%s",
                          job->hint[i].key, job->hint[i].value);
    }
    process_setenv("MPICH_MPIIO_HINTS", n > 1 ? text : NULL);
}

/* Without a driver for Lustre the directory has the layout that hints ask for.
 */
static void set_layout(const struct sim_case *c, struct sim_conf *conf)
{
    int plain = c->job.generic || c->job.pattern.by_hand;

    for (int i = 0; plain && i < c->job.hints; i++) {
        const struct job_hint *h = &c->job.hint[i];

        if (strcmp(h->key, "striping_factor") == 0)
            conf->stripe_count = atoi(h->value);
        if (strcmp(h->key, "striping_unit") == 0)
            conf->stripe_size = (uint32_t)atoi(h->value);
    }
}

static int make_root(const struct sim_case *c, const char *dir, char *text,
                     size_t room)
{
    struct sim_conf conf;
    struct adl_err err = {""};
    int rc;

    sim_conf_init(&conf);
    conf.osts = (uint32_t)c->config.osts;
    set_layout(c, &conf);
    rc = sim_conf_create(&conf, dir, &err);
    if (rc < 0)
        snprintf(text, room, "%s", err.text);
    sim_conf_clear(&conf);
    set_hints(c);
    if (c->job.lustre)
        process_setenv("LUSTRE_SIM_ROOT", dir);
    process_setenv("LUSTRE_SIM_PROFILE", c->config.profile);
    process_setenv("LUSTRE_SIM_FAULT", c->config.faults);
    process_setenv("ROMIO_LUSTRE_STALL", "0");
    return rc;
}

/* ---- the ranks ---- */

static const struct program_ops *ops;
static struct program *program;

static void rank_main(void *arg)
{
    (void)arg;
    ops->run(program);
}

static void spawn_all(void)
{
    comm_start();
    p2p_start();
    coll_start();
    memory_start(config.ranks);
    for (int i = 0; i < config.ranks; i++)
        sched_spawn(i, rank_main, NULL);
}

/* ---- a rank dies, MPI ends the others, the job is run again ---- */

#define LOOK_AGAIN 1000 /* ns */

/* 1: dead. */
static int try_kill(int rank)
{
    if (sched_is_killed(rank))
        return 1;
    if (threads_in_server(rank))
        return 0;
    sched_kill(rank);
    return 1;
}

static void kill_rest(void *arg)
{
    int left = 0;

    for (int i = 0; i < config.ranks; i++)
        left += !try_kill(i);
    if (left) {
        sched_at(sched_now() + LOOK_AGAIN, kill_rest, arg);
        return;
    }
    sched_next_job();
    files_next_job();
    process_setenv("LUSTRE_SIM_FAULT", NULL);
    ops->next_job(program);
    spawn_all();
}

static void kill_one(void *arg)
{
    int rank = config.kill_rank % config.ranks;

    if (try_kill(rank))
        sched_at(sched_now() + 1000 + (int64_t)sched_random(3000000), kill_rest,
                 arg);
    else
        sched_at(sched_now() + LOOK_AGAIN, kill_one, arg);
}

/* Are there faults that become errors of calls? */
static int may_fail(void)
{
    static const char *const words[] = {"errno=", "full", "dead", "evict"};

    for (size_t i = 0; config.faults && i < sizeof(words) / sizeof(*words); i++)
        if (strstr(config.faults, words[i]))
            return 1;
    return config.scarce > 0;
}

static int start(const struct sim_case *c, const struct world_options *options)
{
    char path[PATH_MAX + 32], text[160] = "";
    const char *why;
    struct job job = c->job;

    library_of(c, options, path, sizeof(path));
    config = c->config;
    if (make_root(c, options->dir, text, sizeof(text)) < 0) {
        fprintf(stderr, "simulate: %s\n", text);
        return -1;
    }
    why = memory_load(path);
    ops = why ? NULL : memory_symbol("simulate_program");
    if (!ops) {
        fprintf(stderr, "simulate: %s: %s\n", path,
                why ? why : "no library of ranks");
        return -1;
    }
    snprintf(job.dir, sizeof(job.dir), "%s", options->dir);
    job.nodes = config.nodes;
    job.multiple = config.multiple;
    job.counted = options->scale;
    job.scarce = config.scarce || config.memory < AMPLE;
    job.errors = may_fail() && job.kind == PROGRAM_PATTERN;
    job.lossy = job.errors && config.faults && strstr(config.faults, "evict");
    program = ops->make(&job);
    config.ranks = ops->ranks(program);
    if (config.nodes > config.ranks)
        config.nodes = config.ranks;
    net_start();
    spawn_all();
    if (config.kill_at)
        sched_at(config.kill_at, kill_one, NULL);
    if (config.stop_for)
        sched_stop(config.stop_rank % config.ranks, config.stop_at,
                   config.stop_for);
    return 0;
}

/* ---- what came of it ---- */

static void report(const char *verdict, const char *why)
{
    fprintf(stderr, "simulate: %s at %.3f ms: %s\n", verdict,
            (double)sched_now() / 1e6, why);
    fprintf(stderr, " fibers:\n");
    sched_report(SHOWN);
    fprintf(stderr, " messages:\n");
    p2p_report(SHOWN);
    fprintf(stderr, " collective calls of MPI:\n");
    coll_report(SHOWN);
    comm_report();
}

enum verdict world_run(const struct sim_case *c,
                       const struct world_options *options)
{
    const char *why;
    enum sched_end end;
    enum verdict v;

    if (start(c, options) < 0)
        return USAGE;
    if (options->verbose) {
        case_print(c, stdout);
        ops->print(program, stdout);
        fflush(stdout);
    }
    figures_start(!c->stock && !c->job.generic && !c->job.pattern.by_hand);
    end = sched_run(&why);
    v = end == SCHED_HANG                               ? HANG
        : end == SCHED_FAILED                           ? FAILED
        : end == SCHED_DONE && ops->wrong(program) == 0 ? RIGHT
        : end == SCHED_UNTIL                            ? RIGHT
                                                        : WRONG;
    if (v == HANG || v == FAILED || end == SCHED_UNTIL)
        report(end == SCHED_UNTIL ? "stopped" : verdict_name(v), why);
    if (options->verbose)
        figures_print();
    printf("case %llu: %s, %d ranks, %d nodes, virtual %.3f ms, hash "
           "%016llx\n",
           (unsigned long long)c->number, verdict_name(v), config.ranks,
           config.nodes, (double)sched_now() / 1e6,
           (unsigned long long)sched_counts.hash);
    if (options->scale && v == RIGHT)
        figures_line(c->job.pattern.by_hand             ? "by-hand"
                     : c->job.generic || !c->job.lustre ? "generic"
                     : c->stock                         ? "stock-lustre"
                                                        : "ours");
    return v;
}
