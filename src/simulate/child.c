/* child.c - run a case in a process of its own */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "child.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

static void remove_tree(const char *dir)
{
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_dir(char *dir, size_t room)
{
    const char *memory = "/dev/shm";

    if (access(memory, W_OK) < 0)
        memory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(dir, room, "%s/simulate.XXXXXX", memory);
    if (!mkdtemp(dir)) {
        fprintf(stderr, "simulate: %s: %s\n", dir, strerror(errno));
        exit(2);
    }
}

static void limit_cpu(int seconds)
{
    struct rlimit r = {.rlim_cur = (rlim_t)seconds,
                       .rlim_max = (rlim_t)seconds + 5};
    struct rlimit none = {0, 0};

    if (seconds) {
        setrlimit(RLIMIT_CPU, &r);
        alarm((unsigned)seconds * 10); /* asleep in the real kernel */
    }
    setrlimit(RLIMIT_CORE, &none);
}

static enum verdict verdict_of(int status, char *text, size_t room)
{
    text[0] = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= FAILED)
        return (enum verdict)WEXITSTATUS(status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        snprintf(text, room, "simulate: too much processor time\n");
        return HANG;
    }
    snprintf(text, room, "simulate: the process ended by %s %d\n",
             WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return CRASH;
}

/* All of a file of memory, as text, with `end` behind it. */
static char *slurp(int fd, const char *end)
{
    off_t n = lseek(fd, 0, SEEK_END);
    size_t more = strlen(end);
    char *text = must_calloc(1, (size_t)n + more + 1);

    if (pread(fd, text, (size_t)n, 0) != n)
        text[0] = 0;
    strcat(text, end);
    return text;
}

void child_run(const struct sim_case *c, const struct world_options *options,
               int quiet, int cpu, struct child_result *out)
{
    struct world_options own = *options;
    char dir[64], text[100];
    struct rusage used;
    int status = 0, fd = memfd_create("simulate", MFD_CLOEXEC);
    pid_t pid;

    make_dir(dir, sizeof(dir));
    own.dir = dir;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        if (quiet) {
            dup2(fd, 1);
            dup2(fd, 2);
        }
        close_range(3, ~0U, 0); /* a run depends on what is open */
        limit_cpu(cpu);
        status = (int)world_run(c, &own);
        fflush(NULL);
        _exit(status);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) < 0) {
        perror("simulate: fork");
        exit(2);
    }
    remove_tree(dir);
    out->verdict = verdict_of(status, text, sizeof(text));
    out->output = slurp(fd, text);
    if (!quiet)
        fputs(text, stderr);
    out->cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    close(fd);
}

/* ---- items ---- */

static void print_item(const char *item, void *arg)
{
    fprintf(arg, "%s\n", item);
}

static void list_items(const struct sim_case *c,
                       const struct world_options *options, FILE *to)
{
    const struct program_ops *ops;
    char path[4096];

    snprintf(path, sizeof(path), "%s/libranks.so", world_home());
    if (memory_load(options->rank_lib ? options->rank_lib : path))
        return;
    ops = memory_symbol("simulate_program");
    if (ops)
        ops->items(ops->make(&c->job), print_item, to);
    case_items(c, print_item, to);
}

char **child_items(const struct sim_case *c,
                   const struct world_options *options, int *n)
{
    int fd = memfd_create("simulate", MFD_CLOEXEC), status;
    char **items = NULL, *text, *save = NULL;
    pid_t pid = fork();

    if (pid == 0) {
        FILE *to = fdopen(fd, "w");

        list_items(c, options, to);
        fflush(to);
        _exit(0);
    }
    *n = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return NULL;
    text = slurp(fd, "");
    for (char *at = strtok_r(text, "\n", &save); at;
         at = strtok_r(NULL, "\n", &save)) {
        items = must_realloc(items, (size_t)(*n + 1) * sizeof(*items));
        items[(*n)++] = strdup(at);
    }
    free(text);
    close(fd);
    return items;
}
