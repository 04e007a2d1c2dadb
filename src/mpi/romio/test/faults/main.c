/* main.c - run the fault matrix on lustre-sim, thousands of cases a launch
 *
 * usage: faults [--from N] [--step N] [--only PATTERN] [--now FILE] [--list]
 *               FILE
 *
 * Prints "failed: NUMBER NAME: why" for each case that went wrong and at last
 * "CASES cases, FAILED failed". A case that does not end within its time is
 * told as "hangs: NUMBER NAME" and ends the job: go on with --from NUMBER + 1.
 * --now keeps "NUMBER NAME" of the case under way, and how many were played, in
 * a file, for those that end the job in other ways.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../expect.h"
#include "judge.h"

enum { SECONDS = 60, NAME = 100 };

struct options {
    int from, step, list;
    const char *only;
    const char *file;
    const char *now;
};

/* Calls this rank makes in such a case, -1: not known yet. */
static int calls[CALLS][KINDS][2][3];

/* For the alarm: no state but this can be reached from a handler. */
static char current[NAME + 20];

static void too_long(int sig)
{
    static const char words[] = "hangs: ";

    (void)sig;
    if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0 ||
        write(STDERR_FILENO, current, strlen(current)) < 0)
        _exit(4);
    _exit(3);
}

static void tell_now(const struct options *o, int played)
{
    FILE *out = o->now ? fopen(o->now, "w") : NULL;

    if (out) {
        fprintf(out, "%d %s", played, current);
        fclose(out);
    }
}

/* Collective. How many such calls there are when nothing fails. */
static int count_calls(struct play *p, const struct fault_case *c)
{
    int *n = &calls[c->call][c->kind][c->writes][c->lock_mode];
    struct fault_case dry = *c;
    struct seen seen;
    long wrong;

    if (*n >= 0)
        return *n;
    dry.effect = 0;
    play_case(p, &dry, 0, &seen, &wrong);
    EXPECT_EQ(seen.errors, 0);
    EXPECT_EQ(seen.again, MPI_SUCCESS);
    EXPECT_EQ(wrong, 0);
    *n = seen.calls;
    return *n;
}

/* Collective. The call that fails on this rank; 0: none, -1: on no rank, or it
 * is the one that another case has already. */
static int nth(struct play *p, const struct fault_case *c, int aggregator)
{
    int n = count_calls(p, c), most,
        need = 1 + (c->which != WHICH_FIRST) + (c->which == WHICH_MIDDLE);

    if ((c->who == WHO_ZERO && p->rank != 0) ||
        (c->who == WHO_AGGREGATOR && p->rank != aggregator))
        n = 0;
    MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, p->comm);
    if (most < need)
        return -1;
    if (n < 2 || c->which == WHICH_FIRST)
        return n > 0;
    return c->which == WHICH_LAST ? n : (n + 1) / 2;
}

static void name_current(const struct fault_case *c)
{
    char name[NAME];

    case_name(c, name, sizeof(name));
    snprintf(current, sizeof(current), "%d %s\n", c->number, name);
}

/* Collective. 1 if it was played, 2 if it failed. */
static int run_case(struct play *p, const struct fault_case *c, int aggregator)
{
    struct seen mine, *all = NULL;
    const char *why = NULL;
    long wrong;
    int n;

    alarm(SECONDS);
    n = nth(p, c, aggregator);
    if (n < 0)
        return 0;
    play_case(p, c, n, &mine, &wrong);
    if (p->rank == 0)
        all = malloc(p->size * sizeof(*all));
    MPI_Gather(&mine, SEEN_INTS, MPI_INT, all, SEEN_INTS, MPI_INT, 0, p->comm);
    if (p->rank == 0)
        why = judge_case(c, all, p->size, wrong);
    free(all);
    if (why)
        printf("failed: %.*s: %s\n", (int)strcspn(current, "\n"), current, why);
    return why ? 2 : 1;
}

static int wanted(const struct options *o, const struct fault_case *c)
{
    char name[NAME];

    case_name(c, name, sizeof(name));
    return case_valid(c) && (!o->only || fnmatch(o->only, name, 0) == 0);
}

/* One case in `step`, whatever the period of its properties. */
static int drawn(int number, int step)
{
    uint32_t mixed = (uint32_t)number * 2654435761u;

    return (mixed >> 12) % (uint32_t)step == 0;
}

static void run_all(struct play *p, const struct options *o)
{
    int played = 0, failed = 0, aggregator = play_aggregator(p);

    for (int i = 0; i < CASES; i++) {
        struct fault_case c = case_of(i);
        int rc;

        if (!wanted(o, &c) || i < o->from || !drawn(i, o->step))
            continue;
        name_current(&c);
        if (p->rank == 0)
            tell_now(o, played);
        rc = run_case(p, &c, aggregator);
        played += rc > 0;
        failed += rc > 1;
    }
    alarm(0);
    if (p->rank == 0)
        printf("%d cases, %d failed\n", played, failed);
}

static void list_all(const struct options *o)
{
    for (int i = 0; i < CASES; i++) {
        struct fault_case c = case_of(i);
        char name[NAME];

        if (!wanted(o, &c))
            continue;
        case_name(&c, name, sizeof(name));
        printf("%d %s\n", i, name);
    }
}

static int parse(int argc, char **argv, struct options *o)
{
    /* clang-format off */
    static const struct option names[] = {{"from", 1, NULL, 'f'},
                                          {"step", 1, NULL, 's'},
                                          {"only", 1, NULL, 'o'},
                                          {"now", 1, NULL, 'n'},
                                          {"list", 0, NULL, 'l'},
                                          {0}};
    /* clang-format on */
    int opt;

    *o = (struct options){.step = 1};
    while ((opt = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (opt == 'f')
            o->from = atoi(optarg);
        else if (opt == 's')
            o->step = atoi(optarg);
        else if (opt == 'o')
            o->only = optarg;
        else if (opt == 'n')
            o->now = optarg;
        else if (opt == 'l')
            o->list = 1;
        else
            return -1;
    }
    o->file = argv[optind];
    return o->step > 0 && (o->file || o->list) ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct options o;
    struct play p;

    if (parse(argc, argv, &o)) {
        fprintf(stderr, "usage: faults [--from N] [--step N] [--only PATTERN] "
                        "[--now FILE] [--list] FILE\n");
        return 2;
    }
    if (o.list) {
        list_all(&o);
        return 0;
    }
    memset(calls, -1, sizeof(calls));
    signal(SIGALRM, too_long);
    MUST(MPI_Init(&argc, &argv));
    /* MPI_Wait reports errors of requests to it */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    play_init(&p, o.file);
    run_all(&p, &o);
    play_fini(&p);
    MUST(MPI_Finalize());
    return 0;
}
