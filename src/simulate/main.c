/* main.c - simulate: the whole driver in a simulated machine */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shrink.h"
#include "trace.h"

/* Seconds of processor time after which a case of fuzz is ended. Only for a
 * loop without any call: sched.c finds a hang in virtual time, and a case that
 * is only slow must not fail on a busy machine. */
#define CASE_CPU 900

static const char usage[] =
    "usage: simulate run NUMBER [options]     one case, with all its output\n"
    "       simulate fuzz [options]           many cases; failing ones shrunk\n"
    "       simulate shrink NUMBER [options]  the smallest case that fails\n"
    "       simulate scale [options]          one job of any size\n"
    "\n"
    "Runs the driver's own object code in a simulated machine: ranks, nodes,\n"
    "network, MPI, kernel and Lustre are in one process, in virtual time.\n"
    "Every byte is compared. A number defines a case: the machine, the job,\n"
    "every order and every delay.\n"
    "\n"
    "  --without ITEMS  leave these items out; shrink prints such a list\n"
    "  --library FILE   the ranks' library, instead of those beside simulate\n"
    "  --trace RANKS    run: print every event of ranks (0,4-7 or all)\n"
    "  --until US       run: stop at this virtual time, in microseconds\n"
    "  --seconds N      fuzz: how long (default 60)\n"
    "  --cases N        fuzz: largest number of cases\n"
    "  --at-least N     fuzz: smallest number of cases, whatever the time\n"
    "  --first N        fuzz: numbers from N on (default: from the clock)\n"
    "  --corpus FILE    fuzz: numbers that are run first, one a line\n"
    "  --jobs N         fuzz: so many cases at a time (default 1)\n"
    "  --no-shrink      fuzz: print failing cases without shrinking them\n"
    "  --stop           fuzz: end at the first failing case\n"
    "  --verbose        fuzz: print every case\n"
    "Settings of the machine and the job (run: instead of the number's):\n";

struct options {
    const char *command;
    uint64_t number, first;
    int64_t seconds, cases, at_least, jobs;
    const char *without, *corpus, *until;
    int no_shrink, stop, verbose;
    struct world_options world;
    char *set[64]; /* name, value, name, value */
    int sets;
};

static int fail(const char *fmt, const char *what)
{
    fprintf(stderr, "simulate: ");
    fprintf(stderr, fmt, what);
    fprintf(stderr, "; see --help\n");
    return -1;
}

static int own_option(struct options *o, const char *name, char *value)
{
    if (strcmp(name, "without") == 0)
        o->without = value;
    else if (strcmp(name, "library") == 0)
        o->world.rank_lib = value;
    else if (strcmp(name, "corpus") == 0)
        o->corpus = value;
    else if (strcmp(name, "until") == 0)
        o->until = value;
    else if (strcmp(name, "seconds") == 0)
        o->seconds = atoll(value);
    else if (strcmp(name, "cases") == 0)
        o->cases = atoll(value);
    else if (strcmp(name, "at-least") == 0)
        o->at_least = atoll(value);
    else if (strcmp(name, "jobs") == 0)
        o->jobs = atoll(value);
    else if (strcmp(name, "first") == 0)
        o->first = strtoull(value, NULL, 0);
    else if (strcmp(name, "trace") == 0)
        return trace_choose(value) < 0 ? fail("%s are no ranks", value) : 1;
    else
        return 0;
    return 1;
}

static int one_option(struct options *o, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + 2;
    struct sim_case scratch = {0};
    int rc;

    if (strcmp(name, "no-shrink") == 0)
        return o->no_shrink = 1;
    if (strcmp(name, "stop") == 0)
        return o->stop = 1;
    if (strcmp(name, "verbose") == 0)
        return o->verbose = 1;
    if (*i + 1 >= argc)
        return fail("%s wants a value", argv[*i]);
    rc = own_option(o, name, argv[*i + 1]);
    if (rc == 0) {
        if (case_set(&scratch, name, argv[*i + 1]) < 0 || o->sets > 60)
            return fail("%s: no such option or value", argv[*i]);
        o->set[o->sets++] = argv[*i] + 2;
        o->set[o->sets++] = argv[*i + 1];
    }
    ++*i;
    return rc < 0 ? rc : 1;
}

static int parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){
        .seconds = 60, .cases = INT64_MAX, .jobs = 1, .without = ""};
    if (argc < 2)
        return fail("%s?", "which command");
    o->command = argv[1];
    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) == 0) {
            if (one_option(o, argc, argv, &i) < 0)
                return -1;
        } else {
            char *end;

            o->number = strtoull(argv[i], &end, 0);
            if (*end)
                return fail("%s is no number", argv[i]);
        }
    }
    return 0;
}

/* What the options say of the case, but for --without. */
static void apply(const struct options *o, struct sim_case *c)
{
    for (int i = 0; i < o->sets; i += 2)
        case_set(c, o->set[i], o->set[i + 1]);
    if (o->until)
        c->config.until = (int64_t)(atof(o->until) * 1000);
}

/* ---- commands ---- */

static int run(const struct options *o)
{
    struct world_options world = o->world;
    struct child_result result;
    struct sim_case c;

    case_make(o->number, &c);
    apply(o, &c);
    case_cut(&c, o->without);
    world.verbose = 1;
    child_run(&c, &world, 0, 0, &result);
    free(result.output);
    return (int)result.verdict;
}

static double wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print_command(const struct options *o, uint64_t number,
                          const char *items)
{
    printf("  simulate run %llu%s%s", (unsigned long long)number,
           *items ? " --without " : "", items);
    if (o->world.rank_lib)
        printf(" --library %s", o->world.rank_lib);
    for (int i = 0; i < o->sets; i += 2)
        printf(" --%s %s", o->set[i], o->set[i + 1]);
    printf("\n");
    fflush(stdout);
}

static int do_shrink(const struct options *o)
{
    struct child_result result;
    struct sim_case whole, c;
    char *items;

    case_make(o->number, &whole);
    apply(o, &whole);
    c = whole;
    case_cut(&c, o->without);
    child_run(&c, &o->world, 1, CASE_CPU, &result);
    free(result.output);
    if (result.verdict == RIGHT) {
        printf("case %llu is right\n", (unsigned long long)o->number);
        return 0;
    }
    items = shrink(&whole, o->without, &o->world, result.verdict, 400);
    print_command(o, o->number, items);
    free(items);
    return 1;
}

/* The last lines of a text, indented. */
static void print_tail(const char *text, int lines)
{
    const char *at = text + strlen(text);

    while (at > text && lines > 0)
        if (*--at == '\n' && at[1] && --lines == 0)
            at++;
    while (*at) {
        const char *end = strchr(at, '\n');
        int n = end ? (int)(end - at) : (int)strlen(at);

        printf("    %.*s\n", n > 240 ? 240 : n, at);
        at += n + (end != NULL);
    }
}

/* One case of many: 1 if it failed. */
static int fuzz_one(const struct options *o, uint64_t number)
{
    struct child_result result;
    struct sim_case whole, c;
    char *items;

    case_make(number, &whole);
    apply(o, &whole);
    c = whole;
    case_cut(&c, o->without);
    child_run(&c, &o->world, 1, CASE_CPU, &result);
    if (o->verbose)
        printf("case %llu: %s, %.2f s\n", (unsigned long long)number,
               verdict_name(result.verdict), result.cpu);
    if (result.verdict == RIGHT) {
        free(result.output);
        return 0;
    }
    if (result.verdict == USAGE) {
        fputs(result.output, stderr);
        exit(2);
    }
    printf("case %llu: %s, %.1f s\n", (unsigned long long)number,
           verdict_name(result.verdict), result.cpu);
    print_tail(result.output, 12);
    free(result.output);
    items = o->no_shrink
                ? strdup(o->without)
                : shrink(&whole, o->without, &o->world, result.verdict, 120);
    print_command(o, number, items);
    free(items);
    return 1;
}

struct tally {
    int64_t begun, cases, failed;
    double start, told;
};

static void count(struct tally *t, int failed)
{
    t->cases++;
    t->failed += failed;
    if (wall() - t->told < 30)
        return;
    t->told = wall();
    fprintf(stderr, "simulate: %lld cases, %lld failed, %.0f s\n",
            (long long)t->cases, (long long)t->failed, t->told - t->start);
}

/* Wait for one of the cases that run beside each other. */
static void end_one(struct tally *t)
{
    int status;

    if (wait(&status) < 0) {
        perror("simulate: wait");
        exit(2);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == USAGE)
        exit(2);
    count(t, status != 0);
}

/* Run a case, or begin it, if several may run at a time. What it prints comes
 * out at once at its end. */
static void begin_one(const struct options *o, struct tally *t, uint64_t number)
{
    int status;
    pid_t pid;

    t->begun++;
    if (o->jobs <= 1) {
        count(t, fuzz_one(o, number));
        return;
    }
    if (t->begun - t->cases > o->jobs)
        end_one(t);
    fflush(NULL);
    pid = fork();
    if (pid < 0) {
        perror("simulate: fork");
        exit(2);
    }
    if (pid == 0) {
        setvbuf(stdout, NULL, _IOFBF, 1 << 16);
        status = fuzz_one(o, number);
        fflush(NULL);
        _exit(status);
    }
}

static int run_corpus(const struct options *o, struct tally *t)
{
    FILE *f = o->corpus ? fopen(o->corpus, "r") : NULL;
    char line[256];

    if (o->corpus && !f)
        return fail("%s cannot be read", o->corpus);
    while (f && fgets(line, sizeof(line), f)) {
        char *end;
        uint64_t number = strtoull(line, &end, 0);

        if (end != line)
            begin_one(o, t, number);
    }
    if (f)
        fclose(f);
    return 0;
}

static int fuzz(const struct options *o)
{
    struct tally t = {.start = wall(), .told = wall()};
    uint64_t number =
        o->first ? o->first : (uint64_t)time(NULL) * UINT64_C(1000003);

    if (run_corpus(o, &t) < 0)
        return 2;
    while (t.begun < o->cases &&
           (wall() - t.start < (double)o->seconds || t.begun < o->at_least) &&
           !(o->stop && t.failed))
        begin_one(o, &t, number++);
    while (t.cases < t.begun)
        end_one(&t);
    printf("%lld cases, %lld failed\n", (long long)t.cases,
           (long long)t.failed);
    return t.failed > 0;
}

/* A calm machine, one pattern; everything by options. */
static int scale(const struct options *o)
{
    struct world_options world = o->world;
    struct child_result result;
    struct sim_case c = {.job = {.lustre = 1}};

    config_default(&c.config);
    c.job.ranks = 64;
    c.job.pattern = (struct pattern){.kind = PATTERN_STRIDE,
                                     .bytes = 65536,
                                     .record = 4096,
                                     .calls = 1,
                                     .files = 1,
                                     .rounds = 1};
    apply(o, &c);
    case_cut(&c, o->without);
    if (c.job.pattern.by_hand && c.job.pattern.gaps) {
        fail("%s", "--by-hand wants memory without --gaps");
        return USAGE;
    }
    world.verbose = 1;
    world.scale = 1;
    child_run(&c, &world, 0, 0, &result);
    free(result.output);
    return (int)result.verdict;
}

/* Equal addresses in every run: a run must not depend on them, and if it does,
 * the run must still be repeatable. */
static void fix_addresses(char **argv)
{
    int now = personality(0xffffffff);

    if (now < 0 || now & ADDR_NO_RANDOMIZE || getenv("SIMULATE_AGAIN"))
        return;
    setenv("SIMULATE_AGAIN", "1", 1);
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
        execv("/proc/self/exe", argv);
}

static void raise_limits(void)
{
    struct rlimit r;

    getrlimit(RLIMIT_NOFILE, &r);
    r.rlim_cur = r.rlim_max;
    setrlimit(RLIMIT_NOFILE, &r);
}

int main(int argc, char **argv)
{
    struct options o;

    if (argc > 1 &&
        (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        case_help(stdout);
        return 0;
    }
    fix_addresses(argv);
    if (parse(argc, argv, &o) < 0)
        return 2;
    raise_limits();
    setvbuf(stdout, NULL, _IOLBF, 0);
    PMPI_Init(NULL, NULL); /* datatypes, infos and reductions are MPICH's */
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (strcmp(o.command, "run") == 0)
        return run(&o);
    if (strcmp(o.command, "fuzz") == 0)
        return fuzz(&o);
    if (strcmp(o.command, "shrink") == 0)
        return do_shrink(&o);
    if (strcmp(o.command, "scale") == 0)
        return scale(&o);
    fail("no command %s", o.command);
    return 2;
}
