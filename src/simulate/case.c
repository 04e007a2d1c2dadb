/* case.c - a test case: the simulated machine and the job, made from one
 * number */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "case.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../mpi/romio/adio/ad_lustre/core/test/random.h"
#include "memory.h"

#define CHOOSE(rng, ...)                        \
    choose(rng, (const int64_t[]){__VA_ARGS__}, \
           sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static int64_t choose(struct rng *rng, const int64_t *from, size_t n)
{
    return from[rng_in(rng, 0, (int64_t)n - 1)];
}

void case_add_hint(struct sim_case *c, const char *key, const char *fmt, ...)
{
    struct job_hint *h = &c->job.hint[c->job.hints];
    va_list ap;

    if (c->job.hints == JOB_HINTS)
        return;
    c->job.hints++;
    snprintf(h->key, sizeof(h->key), "%s", key);
    va_start(ap, fmt);
    vsnprintf(h->value, sizeof(h->value), fmt, ap);
    va_end(ap);
}

static void add_number(struct sim_case *c, const char *key, int64_t value)
{
    case_add_hint(c, key, "%lld", (long long)value);
}

/* ---- the machine ---- */

/* Faults that no program notices: slow calls, and where all calls are the
 * driver's interrupted and short ones. */
static char *random_trouble(struct rng *rng, const struct config *c,
                            int driver_only)
{
    const char *call = rng_chance(rng, 50) ? "read" : "write";
    char text[120];

    switch (rng_in(rng, driver_only ? 0 : 2, 3)) {
    case 0:
        snprintf(text, sizeof(text), "%s:n=%d:count=%d:eintr", call,
                 (int)rng_in(rng, 1, 9), (int)rng_in(rng, 1, 5));
        break;
    case 1:
        snprintf(text, sizeof(text), "%s:short=%d", call,
                 (int)CHOOSE(rng, 4096, 65536, 70000, 1 << 20));
        break;
    case 2:
        snprintf(text, sizeof(text), "%s:n=%d:count=%d:delay=%d", call,
                 (int)rng_in(rng, 1, 9), (int)rng_in(rng, 1, 3),
                 (int)CHOOSE(rng, 1, 20, 1000));
        break;
    default:
        snprintf(text, sizeof(text), "ost=%d:slow=%d",
                 (int)rng_in(rng, 0, c->osts - 1),
                 (int)CHOOSE(rng, 5, 50, 500));
    }
    return strdup(text);
}

static int some_number(struct rng *rng)
{
    return (int)(rng_chance(rng, 40) ? 1 : rng_in(rng, 1, 30));
}

/* Faults that become errors, or for which the driver does something else. */
static char *random_fault(struct rng *rng, const struct config *c)
{
    static const char *const calls[] = {
        "write", "write", "write", "read",  "read",     "open", "fsync",
        "flush", "ioctl", "xattr", "close", "truncate", "any"};
    static const char *const errors[] = {"EIO",    "EIO",    "ENOSPC", "EDQUOT",
                                         "EAGAIN", "ESTALE", "EPERM"};
    const char *call = calls[rng_in(rng, 0, 12)];
    char text[160], client[24] = "";
    int ost = (int)rng_in(rng, 0, c->osts - 1);

    if (rng_chance(rng, 60))
        snprintf(client, sizeof(client), ":client=%d",
                 (int)rng_in(rng, 0, c->nodes - 1));
    if (rng_chance(rng, 12))
        snprintf(text, sizeof(text), "ost=%d:%s", ost,
                 rng_chance(rng, 50) ? "full" : "dead");
    else if (rng_chance(rng, 15))
        snprintf(text, sizeof(text), "%s:n=%d%s:evict",
                 rng_chance(rng, 50) ? "write" : "any", some_number(rng),
                 client);
    else
        snprintf(text, sizeof(text), "%s:n=%d:count=%d%s:errno=%s", call,
                 some_number(rng), (int)CHOOSE(rng, 1, 1, 2, 1000), client,
                 errors[rng_in(rng, 0, 6)]);
    return strdup(text);
}

static void random_errors(struct rng *rng, struct config *c)
{
    if (rng_chance(rng, 30))
        c->faults = random_fault(rng, c);
    if (rng_chance(rng, 10))
        c->scarce = (int)CHOOSE(rng, 1, 2, 10);
}

static void random_slowness(struct rng *rng, struct config *c)
{
    if (rng_chance(rng, 15)) {
        c->slow_every = (int)rng_in(rng, 2, 5);
        c->slow_factor = (int)CHOOSE(rng, 10, 100);
    }
    if (rng_chance(rng, 12)) {
        c->stop_rank = (int)rng_in(rng, 0, 63);
        c->stop_at = rng_in(rng, 0, CHOOSE(rng, 300000, 3000000, 30000000));
        c->stop_for = CHOOSE(rng, 1000000, 50000000, INT64_C(2500000000));
    }
}

/* The job ends with the rank and is run once more. */
static void random_death(struct rng *rng, struct config *c)
{
    if (!rng_chance(rng, 8))
        return;
    c->kill_rank = (int)rng_in(rng, 0, 63);
    c->kill_at = rng_in(rng, 1, CHOOSE(rng, 300000, 3000000, 30000000));
}

static void random_config(struct rng *rng, struct config *c)
{
    config_default(c);
    c->seed = rng_next(rng) | 1;
    c->cyclic = rng_chance(rng, 30);
    c->cores = (int)CHOOSE(rng, 2, 64);
    c->memory = (int)CHOOSE(rng, 256 << 10, 256 << 10, 256 << 10, 512, 64, 1);
    c->osts = (int)CHOOSE(rng, 1, 2, 4, 8, 16);
    c->latency = CHOOSE(rng, 300, 1500, 1500, 30000);
    c->jitter = CHOOSE(rng, 0, 500, 5000, 50000, 500000);
    c->eager = CHOOSE(rng, 0, 256, 4096, 65536, 65536, 1 << 20);
    c->call_time = CHOOSE(rng, 50, 150, 2000);
    c->poll_time = CHOOSE(rng, 3000, 20000, 100000);
    c->preempt = (int)CHOOSE(rng, 0, 0, 30, 300, 3000);
    c->strong = rng_chance(rng, 8);
    c->multiple = rng_chance(rng, 10);
    random_slowness(rng, c);
    random_death(rng, c);
    if (rng_chance(rng, 15)) {
        c->profile = rng_chance(rng, 70) ? "flash" : "disk";
        c->poll_time = 100000;
    }
}

/* ---- the job ---- */

/* Small memory is where the driver's waiting is hardest. */
static void random_memory_hints(struct rng *rng, struct sim_case *c)
{
    if (rng_chance(rng, 60))
        add_number(c, "romio_lustre_node_buffer_size",
                   CHOOSE(rng, 65536, 65536, 131072, 262144, 1 << 20, 4 << 20,
                          100000, 1));
    if (rng_chance(rng, 25))
        case_add_hint(c, "romio_cb_read", "enable");
    if (rng_chance(rng, 25))
        case_add_hint(c, "romio_cb_write", "enable");
}

static void random_layout(struct rng *rng, struct sim_case *c)
{
    if (rng_chance(rng, 10)) {
        case_add_hint(c, "romio_lustre_comp_layout",
                      "-E %dK -c 1 -S 64K -E -1 -c %d -S %dK",
                      (int)(64 * rng_in(rng, 1, 40)), (int)rng_in(rng, 1, 4),
                      64 << rng_in(rng, 0, 4));
        return;
    }
    add_number(c, "striping_factor", rng_in(rng, 1, c->config.osts));
    add_number(c, "striping_unit",
               CHOOSE(rng, 65536, 65536, 131072, 262144, 1 << 20, 4 << 20));
    if (rng_chance(rng, 10))
        add_number(c, "overstriping_factor", rng_in(rng, 2, 3));
}

static void random_pattern_hints(struct rng *rng, struct sim_case *c)
{
    random_layout(rng, c);
    add_number(c, "cb_buffer_size",
               CHOOSE(rng, 65536, 131072, 262144, 1 << 20, 1 << 20, 4 << 20,
                      16 << 20, 300000));
    random_memory_hints(rng, c);
    if (rng_chance(rng, 30))
        add_number(c, "cb_nodes", rng_in(rng, 1, c->job.ranks));
    if (rng_chance(rng, 15))
        add_number(c, "cray_cb_nodes_multiplier", rng_in(rng, 2, 4));
    if (rng_chance(rng, 20))
        case_add_hint(c, "romio_lustre_ds_in_coll", "%s",
                      rng_chance(rng, 50) ? "enable" : "disable");
    if (rng_chance(rng, 15))
        add_number(c, "romio_lustre_coll_threshold", CHOOSE(rng, 1, 100000));
    if (rng_chance(rng, 15) && !c->job.pattern.independent) {
        case_add_hint(c, "romio_no_indep_rw", "true");
        if (rng_chance(rng, 60)) {
            int mode = (int)rng_in(rng, 1, 2);

            /* the group lock is for files that are written only */
            c->job.pattern.write_only |= mode == 1;
            add_number(c, "cray_cb_write_lock_mode", mode);
        }
    }
    if (rng_chance(rng, 8))
        case_add_hint(c, "direct_write", "true");
    if (rng_chance(rng, 8))
        case_add_hint(c, "direct_read", "true");
}

static void random_pattern(struct rng *rng, struct sim_case *c)
{
    struct pattern *t = &c->job.pattern;
    int64_t most;

    t->kind = (enum pattern_kind)rng_in(rng, 0, PATTERN_KINDS - 1);
    t->record = CHOOSE(rng, 13, 700, 4096, 5000, 40000, 65536);
    t->bytes =
        CHOOSE(rng, 3000, 24576, 100000, 100000, 500000, 2 << 20, 8 << 20);
    most = CHOOSE(rng, 1 << 20, 3 << 20, 3 << 20, 8 << 20, 32 << 20);
    if (t->bytes * c->job.ranks > most)
        t->bytes = most / c->job.ranks;
    if (t->bytes / t->record > 1000)
        t->record = t->bytes / 1000 + 1;
    t->calls = (int)rng_in(rng, 1, 4);
    t->files = rng_chance(rng, 20) ? 2 : 1;
    t->rounds = rng_chance(rng, 20) ? 2 : 1;
    t->nonblocking = rng_chance(rng, 30);
    t->gaps = rng_chance(rng, 40) ? (int)CHOOSE(rng, 8, 100, 512, 4096) : 0;
    if (t->gaps && t->bytes / t->gaps > 20000)
        t->gaps = 4096;
    t->overlap = rng_chance(rng, 20);
    t->again = rng_chance(rng, 15);
    t->sync = rng_chance(rng, 25);
    if (rng_chance(rng, 10))
        t->independent = (int)rng_in(rng, 1, 3);
}

static void random_sizes(struct rng *rng, struct sim_case *c)
{
    static const int nodes[] = {1, 2, 2, 2, 3, 4, 5, 8, 16};
    static const int each[] = {1, 1, 2, 2, 3, 4, 7, 16};
    int n = nodes[rng_in(rng, 0, 8)], per = each[rng_in(rng, 0, 7)];

    while (n * per > 64)
        per = per > 1 ? per / 2 : 1;
    c->config.nodes = n;
    /* uneven: the last node has fewer */
    c->job.ranks =
        n * per -
        (per > 1 && rng_chance(rng, 30) ? (int)rng_in(rng, 1, per - 1) : 0);
}

/* Pairs of ranks; 256 KiB each in a call. */
static void random_progress(struct rng *rng, struct sim_case *c)
{
    c->job.ranks += c->job.ranks & 1;
    while (c->job.ranks > 16)
        c->job.ranks /= 2;
    c->job.ranks += c->job.ranks & 1;
    if (c->config.nodes > c->job.ranks)
        c->config.nodes = c->job.ranks;
    random_layout(rng, c);
    random_memory_hints(rng, c);
    if (rng_chance(rng, 40))
        add_number(c, "cb_buffer_size", CHOOSE(rng, 65536, 262144, 1 << 20));
}

/* Calls by the shared pointer, on the number's machine without what programs
 * notice. Numbers of its own: the other cases stay what they were. */
static void random_shared(struct sim_case *c)
{
    struct rng rng = {c->number ^ UINT64_C(0x5a4ed)};
    struct config *g = &c->config;

    c->job.kind = PROGRAM_SHARED;
    c->job.hints = 0;
    if (c->job.ranks > 16)
        c->job.ranks = 16;
    if (g->nodes > c->job.ranks)
        g->nodes = c->job.ranks;
    g->scarce = 0;
    g->kill_at = 0;
    g->faults = rng_chance(&rng, 20) ? random_trouble(&rng, g, 0) : NULL;
    random_layout(&rng, c);
    random_memory_hints(&rng, c);
}

/* Where ranks agree by atomic operations an order that goes wrong is often one
 * of two operations that follow each other. */
static void random_atomics(struct rng *rng, struct sim_case *c)
{
    if (!c->hooked || !rng_chance(rng, 40))
        return;
    c->config.atomics = 1;
    c->config.preempt = (int)CHOOSE(rng, 2, 6, 20, 60);
}

/* Where the network is slow, bytes are still under way when the ranks have long
 * agreed that they are sent. */
static void random_speed(struct rng *rng, struct config *c)
{
    if (rng_chance(rng, 30))
        c->port_speed = (double)CHOOSE(rng, 50, 500, 2000, 100000) / 1000;
}

/* ---- cases in which one kind of fault is likely ---- */

/* A calm machine, and a pattern that fills several windows. */
static void focus_begin(struct rng *rng, struct sim_case *c, int nodes,
                        int most_ranks)
{
    struct config *g = &c->config;

    g->nodes = nodes;
    c->job.ranks = (int)rng_in(rng, nodes + 1, most_ranks);
    c->job.kind = PROGRAM_PATTERN;
    c->job.hints = 0;
    c->job.pattern = (struct pattern){.kind = PATTERN_HOLES,
                                      .record = CHOOSE(rng, 4096, 16384, 40000),
                                      .bytes = rng_in(rng, 100000, 300000),
                                      .calls = (int)rng_in(rng, 1, 4),
                                      .files = 1,
                                      .rounds = 1};
    g->memory = 256 << 10;
    g->multiple = g->scarce = g->stop_for = g->kill_at = 0;
    g->faults = g->profile = NULL;
    g->poll_time = 20000;
    g->port_speed = 12;
    add_number(c, "striping_unit", 65536);
    add_number(c, "cb_buffer_size", CHOOSE(rng, 65536, 65536, 131072));
}

static void focus_hooks(struct rng *rng, struct sim_case *c, int atomics)
{
    c->hooked = 1;
    c->config.atomics = atomics;
    c->config.preempt =
        (int)(atomics ? CHOOSE(rng, 2, 4, 8, 16) : CHOOSE(rng, 30, 100, 300));
    c->config.pause = CHOOSE(rng, 0, 0, 3000000);
}

/* Ranks of one node, which sleep until another one has come far enough. */
static void focus_sleepers(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, 1, 4);
    focus_hooks(rng, c, 1);
    c->job.ranks = (int)CHOOSE(rng, 3, 4);
    c->config.preempt = (int)CHOOSE(rng, 6, 8, 12);
    c->job.pattern.record = CHOOSE(rng, 16384, 40000);
    c->job.pattern.calls = 4;
    add_number(c, "cb_buffer_size", 65536);
    add_number(c, "striping_factor", 1);
    case_add_hint(c, "romio_cb_write", "enable");
    case_add_hint(c, "romio_cb_read", "enable");
}

/* Pieces of few bytes: ranks mark bits of the same words. */
static void focus_marks(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, (int)rng_in(rng, 1, 2), 8);
    focus_hooks(rng, c, 0);
    c->job.pattern.record = CHOOSE(rng, 13, 13, 100);
    c->job.pattern.bytes = rng_in(rng, 3000, 9000);
    case_add_hint(c, "romio_cb_write", "enable");
}

/* The same place again and again: what an earlier call has left behind looks
 * like this call's. */
static void focus_steps(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, (int)rng_in(rng, 2, 3), 6);
    focus_hooks(rng, c, 1);
    c->job.pattern.kind = (enum pattern_kind)CHOOSE(
        rng, PATTERN_BLOCK, PATTERN_BLOCK, PATTERN_STRIDE, PATTERN_HOLES);
    c->job.pattern.again = 1;
    c->job.pattern.calls = 4;
    case_add_hint(c, "romio_cb_write", "enable");
    case_add_hint(c, "romio_cb_read", "enable");
}

/* Large parts, which are under way for a long time. */
static void focus_late_bytes(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, (int)rng_in(rng, 2, 4), 9);
    c->job.pattern.record = CHOOSE(rng, 40000, 65536);
    c->job.pattern.bytes *= 2;
    c->config.eager = CHOOSE(rng, 0, 256, 65536);
    c->config.jitter = CHOOSE(rng, 50000, 500000, 500000);
    c->config.port_speed = (double)CHOOSE(rng, 50, 500, 12000) / 1000;
    add_number(c, "cb_nodes", rng_in(rng, 1, 3));
}

/* Windows are read before all ranks have asked for their bytes. */
static void focus_late_requests(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, 2, 8);
    focus_hooks(rng, c, 1);
    c->config.preempt = (int)CHOOSE(rng, 8, 20);
    c->config.pause = 10000000;
    c->config.seed -= c->config.seed % 4; /* a rank of the first node pauses */
    case_add_hint(c, "romio_ds_read", "disable");
    case_add_hint(c, "romio_cb_read", "enable");
    add_number(c, "cb_nodes", 2);
    add_number(c, "romio_lustre_node_buffer_size",
               CHOOSE(rng, 65536, 65536, 4 << 20));
}

/* A lock mode, and hints that send ranks past the aggregators. */
static void focus_locks(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, (int)rng_in(rng, 1, 4), 8);
    c->job.pattern.kind = (enum pattern_kind)CHOOSE(
        rng, PATTERN_BLOCK, PATTERN_BLOCK, PATTERN_RANDOM);
    c->job.pattern.write_only = 1;
    c->job.pattern.nonblocking = rng_chance(rng, 30);
    case_add_hint(c, "romio_no_indep_rw", "true");
    add_number(c, "cray_cb_write_lock_mode", CHOOSE(rng, 1, 1, 2));
    case_add_hint(c, "romio_cb_write", "automatic");
    add_number(c, "romio_lustre_coll_threshold", CHOOSE(rng, 1, 1, 100000));
}

/* Ranks count what they have moved; a count may be seen before the bytes. */
static void focus_order(struct rng *rng, struct sim_case *c)
{
    focus_begin(rng, c, (int)rng_in(rng, 2, 3), 8);
    focus_hooks(rng, c, 1);
    c->config.preempt = (int)CHOOSE(rng, 16, 60, 200);
    c->config.weak = (int)CHOOSE(rng, 1, 2, 4);
    c->job.pattern.kind =
        (enum pattern_kind)CHOOSE(rng, PATTERN_BLOCK, PATTERN_STRIDE,
                                  PATTERN_STRIDE, PATTERN_ODD, PATTERN_HOLES);
    case_add_hint(c, "romio_cb_write", "enable");
    case_add_hint(c, "romio_cb_read", "enable");
}

static void focus(struct rng *rng, struct sim_case *c)
{
    static void (*const on[])(struct rng *, struct sim_case *) = {
        focus_sleepers,   focus_marks,         focus_steps,
        focus_late_bytes, focus_late_requests, focus_locks};

    if (c->number % 7 == 3)
        focus_order(rng, c);
    else
        on[rng_in(rng, 0, 5)](rng, c);
}

void case_make(uint64_t number, struct sim_case *c)
{
    struct rng rng = {number}; /* whose neighbours would be like it */

    memset(c, 0, sizeof(*c));
    rng.state = rng_next(&rng) * UINT64_C(0x2545f4914f6cdd1d);
    c->number = c->job.number = number;
    c->hooked = rng_chance(&rng, 50);
    random_config(&rng, &c->config);
    random_sizes(&rng, c);
    c->job.lustre = 1;
    c->job.kind = rng_chance(&rng, 45)   ? PROGRAM_SCENES
                  : rng_chance(&rng, 25) ? PROGRAM_PROGRESS
                                         : PROGRAM_PATTERN;
    if (rng_chance(&rng, 20))
        c->config.faults =
            random_trouble(&rng, &c->config, c->job.kind != PROGRAM_SCENES);
    if (c->job.kind == PROGRAM_SCENES)
        random_memory_hints(&rng, c);
    if (c->job.kind == PROGRAM_PROGRESS)
        random_progress(&rng, c);
    if (c->job.kind == PROGRAM_PATTERN) {
        random_pattern(&rng, c);
        random_pattern_hints(&rng, c);
        random_errors(&rng, &c->config);
    }
    random_atomics(&rng, c);
    random_speed(&rng, &c->config);
    if (number % 37 == 17)
        random_shared(c);
    else if (number % 5 == 0 || number % 5 == 4)
        focus(&rng, c);
}

/* ---- by name ---- */

enum setting_type { INT, LONG, SPEED, TEXT };
struct setting {
    const char *name;
    enum setting_type type;
    size_t at;
    const char *help;
    int64_t calm; /* the value of an undisturbed machine; -1: no item */
};
#define C(field) offsetof(struct sim_case, config.field)
#define P(field) offsetof(struct sim_case, job.pattern.field)
/* clang-format off */
static const struct setting settings[] = {
    {"ranks", INT, offsetof(struct sim_case, job.ranks), "ranks of the job", -1},
    {"nodes", INT, C(nodes), "nodes of the machine", -1},
    {"seed", LONG, C(seed), "a number that decides every order and delay", -1},
    {"cyclic", INT, C(cyclic), "1: ranks are dealt to the nodes in turn", 0},
    {"cores", INT, C(cores), "cores of a node", 64},
    {"memory", INT, C(memory), "memory of a node, MiB", 256 << 10},
    {"osts", INT, C(osts), "OSTs of the file system", -1},
    {"latency", LONG, C(latency), "latency of the network, ns", 1500},
    {"jitter", LONG, C(jitter), "largest random addition to the latency, ns", 0},
    {"port-speed", SPEED, C(port_speed), "speed of a node's port, GB/s", -1},
    {"eager", LONG, C(eager), "largest message that is sent at once, bytes", 65536},
    {"strong", INT, C(strong), "1: MPI makes progress without being called", 0},
    {"call-time", LONG, C(call_time), "time of an MPI call, ns", 150},
    {"poll-time", LONG, C(poll_time), "time between two polls of a rank that yields, ns", 20000},
    {"preempt", INT, C(preempt), "one in this number of hooks lets others run; 0: none", 0},
    {"atomics", INT, C(atomics), "1: hooks at calls and atomic operations, none at other accesses", 0},
    {"weak", INT, C(weak), "one relaxed operation in this number is seen before the bytes copied before it; 0: none", 0},
    {"pause", LONG, C(pause), "longest preemption of every fourth rank, ns; 0: 300 us, as of the others", 0},
    {"slow-every", INT, C(slow_every), "one in this number of ranks is slow", 0},
    {"slow-factor", INT, C(slow_factor), "how many times slower it is", -1},
    {"stop-rank", INT, C(stop_rank), "number of a rank that is stopped", -1},
    {"stop-at", LONG, C(stop_at), "when it is stopped, ns", -1},
    {"stop-for", LONG, C(stop_for), "for how long, ns; 0: no rank is stopped", 0},
    {"kill-rank", INT, C(kill_rank), "number of a rank that dies; the job is then run again", -1},
    {"kill-at", LONG, C(kill_at), "when it dies, ns; 0: no rank dies", 0},
    {"multiple", INT, C(multiple), "1: MPI_THREAD_MULTIPLE", 0},
    {"scarce", INT, C(scarce), "one in this number of threads and shared mappings is refused", 0},
    {"profile", TEXT, C(profile), "time model of the file system: none, disk, flash, FILE", 0},
    {"faults", TEXT, C(faults), "faults of the file system, as in LUSTRE_SIM_FAULT", 0},
    {"hooked", INT, offsetof(struct sim_case, hooked), "1: hooks at every access to memory", 0},
    {"stock", INT, offsetof(struct sim_case, stock), "1: ROMIO's own drivers", -1},
    {"generic", INT, offsetof(struct sim_case, job.generic), "1: ROMIO's generic driver, on Lustre too", -1},
    {"lustre", INT, offsetof(struct sim_case, job.lustre), "0: not on Lustre, by ROMIO's generic driver", -1},
    {"kind", INT, P(kind), "pattern: 0 block 1 stride 2 odd 3 holes 4 random 5 lattice 6 of 4-D 7 fields", -1},
    {"bytes", LONG, P(bytes), "bytes of a rank in a call", -1},
    {"record", LONG, P(record), "bytes of a piece", -1},
    {"calls", INT, P(calls), "number of writes, and of reads after them", 1},
    {"files", INT, P(files), "number of files that are open at a time", 1},
    {"rounds", INT, P(rounds), "how often the whole program is repeated", 1},
    {"nonblocking", INT, P(nonblocking), "1: the calls are nonblocking", 0},
    {"gaps", INT, P(gaps), "memory in blocks of this number of bytes, with gaps", 0},
    {"overlap", INT, P(overlap), "1: reads overlap", 0},
    {"again", INT, P(again), "1: all calls are in the same place", 0},
    {"write-only", INT, P(write_only), "1: no reads", -1},
    {"independent", INT, P(independent), "one in this number of calls is independent; 0: none", 0},
    {"by-hand", INT, P(by_hand), "1: messages and pwrite in place of MPI-IO", 0},
    {"sync", INT, P(sync), "1: MPI_File_sync after the writes", 0},
    {"next", INT, P(next), "the next call: 0 behind a gap 1 at once 2 blocks: behind the rank's own", 0},
    {"cold", INT, P(cold), "1: reads after another open, with empty caches", 0},
};
/* clang-format on */
#undef C
#undef P
#define SETTINGS (sizeof(settings) / sizeof(*settings))

static int parse_number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    if (end == text)
        return -1;
    if (*end == 'k' || *end == 'K')
        *out *= 1024;
    else if (*end == 'm' || *end == 'M')
        *out *= 1 << 20;
    else if (*end == 'g' || *end == 'G')
        *out *= 1 << 30;
    else
        return *end ? -1 : 0;
    return end[1] ? -1 : 0;
}

static int set(struct sim_case *c, const struct setting *s, const char *value)
{
    void *at = (char *)c + s->at;
    double v = 0;

    if (s->type == TEXT) {
        *(const char **)at = value;
        return 0;
    }
    if (parse_number(value, &v) < 0)
        return -1;
    if (s->type == INT)
        *(int *)at = (int)v;
    else if (s->type == LONG)
        *(int64_t *)at = (int64_t)v;
    else
        *(double *)at = v;
    return 0;
}

int case_set(struct sim_case *c, const char *name, const char *value)
{
    if (strncmp(name, "hint:", 5) == 0) {
        case_add_hint(c, name + 5, "%s", value);
        return 0;
    }
    for (size_t i = 0; i < SETTINGS; i++)
        if (strcmp(settings[i].name, name) == 0)
            return set(c, &settings[i], value);
    return -1;
}

void case_help(FILE *to)
{
    for (size_t i = 0; i < SETTINGS; i++)
        fprintf(to, "  --%-14s %s\n", settings[i].name, settings[i].help);
    fprintf(to, "  --hint:%-9s %s\n", "KEY", "a hint for MPI_File_open");
}

static int64_t get(const struct sim_case *c, const struct setting *s)
{
    const void *at = (const char *)c + s->at;

    if (s->type == TEXT)
        return *(const char *const *)at != NULL;
    return s->type == INT ? *(const int *)at : *(const int64_t *)at;
}

static int is_program(const struct setting *s)
{
    return s->at >= offsetof(struct sim_case, job.pattern) &&
           s->at <
               offsetof(struct sim_case, job.pattern) + sizeof(struct pattern);
}

/* ---- items ---- */

void case_items(const struct sim_case *c,
                void (*fn)(const char *item, void *arg), void *arg)
{
    char text[64];

    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];

        if (s->calm < 0 || s->type == SPEED || get(c, s) == s->calm ||
            (c->job.kind != PROGRAM_PATTERN && is_program(s)))
            continue;
        snprintf(text, sizeof(text), "world:%s", s->name);
        fn(text, arg);
    }
    if (c->job.kind == PROGRAM_SCENES)
        return;
    for (int64_t half = c->job.ranks / 2; half >= 1; half /= 2) {
        snprintf(text, sizeof(text), "ranks:%lld", (long long)half);
        fn(text, arg);
    }
    for (int64_t half = c->job.pattern.bytes / 2;
         c->job.kind == PROGRAM_PATTERN && half >= 64; half /= 2) {
        snprintf(text, sizeof(text), "bytes:%lld", (long long)half);
        fn(text, arg);
    }
}

static void apply(struct sim_case *c, const char *item)
{
    struct job *job = &c->job;
    int64_t value;

    if (strncmp(item, "ranks:", 6) == 0 && job->kind != PROGRAM_SCENES) {
        value = atoll(item + 6);
        value += job->kind == PROGRAM_PROGRESS && value % 2;
        job->ranks = value < job->ranks ? (int)value : job->ranks;
    } else if (strncmp(item, "bytes:", 6) == 0) {
        value = atoll(item + 6);
        job->pattern.bytes =
            value < job->pattern.bytes ? value : job->pattern.bytes;
    } else if (strncmp(item, "world:", 6) == 0) {
        for (size_t i = 0; i < SETTINGS; i++)
            if (strcmp(settings[i].name, item + 6) == 0) {
                char text[32];

                snprintf(text, sizeof(text), "%lld",
                         (long long)settings[i].calm);
                set(c, &settings[i], settings[i].type == TEXT ? NULL : text);
            }
    } else if (job->items < JOB_ITEMS) {
        job->item[job->items++] = item;
    }
}

int case_has_item(const struct sim_case *c, const char *item)
{
    for (int i = 0; i < c->job.items; i++)
        if (strcmp(c->job.item[i], item) == 0)
            return 1;
    return 0;
}

void case_cut(struct sim_case *c, const char *items)
{
    char *copy = strdup(items), *save = NULL;

    if (!copy)
        memory_gone();
    for (char *at = strtok_r(copy, ",", &save); at;
         at = strtok_r(NULL, ",", &save))
        apply(c, at);
}

void case_print(const struct sim_case *c, FILE *to)
{
    fprintf(to, "machine:");
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];
        const void *at = (const char *)c + s->at;

        if (is_program(s))
            continue;
        if (s->type == TEXT)
            fprintf(to, " %s=%s", s->name,
                    *(const char *const *)at ? *(const char *const *)at
                                             : "none");
        else if (s->type == SPEED)
            fprintf(to, " %s=%g", s->name, *(const double *)at);
        else
            fprintf(to, " %s=%lld", s->name, (long long)get(c, s));
    }
    fprintf(to, "\n");
}
