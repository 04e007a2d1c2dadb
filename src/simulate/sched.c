/* sched.c - ranks and their threads as fibers in virtual time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "sched.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "config.h"
#include "memory.h"
#include "order.h"
#include "trace.h"

/* Nothing accomplished for so long, or for so many events or charges and this
 * long. Charges are what ranks that poll have much of: counting them ends a
 * hang soon, at the same moment on every machine. */
#define HANG_TIME INT64_C(3000000000)
#define HANG_EVENTS 2000000
#define HANG_CHARGES 20000000
#define HANG_TIME_BUSY INT64_C(1000000000)
#define WAKE_TIME 500
#define MANY_PREEMPTED 5000 /* since a deed: a long loop, which must not take */
#define RARE 100            /* ... so long as a hang. Then only short ones */
#define LEAD 20000          /* a fiber may be ahead of the others by so much */

struct fiber {
    void *sp;
    char *stack;
    int rank, id, done, timed_out, error;
    int64_t debt;  /* charged since it was resumed */
    int64_t ready; /* when it blocked, its debt included */
    uint64_t turn; /* an event for an earlier turn is stale */
    uint64_t key;  /* what it is blocked on, 0: not */
    const char *what;
    struct fiber *next;          /* blocked on a key of the same bucket */
    struct fiber *older, *newer; /* all fibers */
    void (*fn)(void *);
    void *arg;
    void *locals;
};

struct fiber *sched_current;
int sched_rank = -1;
struct sched_counts sched_counts = {.hash = UINT64_C(0xcbf29ce484222325)};
int64_t sched_preempt_left = INT64_MAX;

static struct {
    uint64_t random;
    int64_t now;
    int alive, ids;
    void *main_sp;
    struct fiber *newest, *oldest;
    int64_t last_deed; /* time */
    int64_t busy;      /* until then a rank is stopped or sleeps on purpose */
    uint64_t last_deed_event;
    int64_t charges; /* since then */
    int64_t preempted;
    const char *failed;
    jmp_buf out; /* of an event that fails */
} world;

/* ---- random numbers: splitmix64 ---- */

static uint64_t next_random(void)
{
    uint64_t z;

    if (!world.random)
        world.random = config.seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    z = (world.random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t sched_random(uint64_t n)
{
    return next_random() % n;
}

void sched_hash(uint64_t value)
{
    sched_counts.hash = (sched_counts.hash ^ value) * UINT64_C(0x100000001b3);
}

/* ---- events: a heap, the earliest on top ---- */

struct event {
    int64_t time;
    uint64_t order; /* random among those of one moment */
    uint64_t turn;
    void (*fn)(void *); /* NULL: resume the fiber arg */
    void *arg;
};
static struct event *heap;
static size_t heap_n, heap_room;

static int before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void push(struct event e)
{
    size_t i;

    if (heap_n == heap_room) {
        heap_room = heap_room ? 2 * heap_room : 1024;
        heap = must_realloc(heap, heap_room * sizeof(*heap));
    }
    if (e.time < world.now)
        e.time = world.now;
    e.order = next_random();
    for (i = heap_n++; i > 0 && before(&e, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

static struct event pop(void)
{
    struct event top = heap[0], e = heap[--heap_n];
    size_t i = 0, c;

    while ((c = 2 * i + 1) < heap_n) {
        if (c + 1 < heap_n && before(&heap[c + 1], &heap[c]))
            c++;
        if (!before(&heap[c], &e))
            break;
        heap[i] = heap[c];
        i = c;
    }
    heap[i] = e;
    return top;
}

void sched_at(int64_t when, void (*fn)(void *), void *arg)
{
    push((struct event){.time = when, .fn = fn, .arg = arg});
}

/* ---- stacks: one mapping for many, used again ---- */

#define STACKS 64
static char **free_stack;
static int free_stacks, free_stack_room;

static void give_stack(char *stack)
{
    if (free_stacks == free_stack_room) {
        free_stack_room = free_stack_room ? 2 * free_stack_room : STACKS;
        free_stack = must_realloc(free_stack, (size_t)free_stack_room *
                                                  sizeof(*free_stack));
    }
    free_stack[free_stacks++] = stack;
}

static char *take_stack(void)
{
    if (!free_stacks) {
        char *all = mmap(NULL, STACKS * config.stack, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (all == MAP_FAILED)
            memory_gone();
        for (int i = STACKS - 1; i >= 0; i--)
            give_stack(all + (size_t)i * config.stack);
    }
    return free_stack[--free_stacks];
}

/* ---- fibers ---- */

/* Save the callee's registers on the stack, go to another one. */
void sched_switch(void **from, void *to);
#if defined(__x86_64__)
__asm__(".text\n.globl sched_switch\n.hidden sched_switch\n"
        ".type sched_switch,@function\nsched_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size sched_switch,.-sched_switch\n");
#else
#error "simulate needs a switch of stacks for this processor"
#endif

static void leave(struct fiber *f)
{
    order_all();
    f->error = errno;
    sched_switch(&f->sp, world.main_sp);
    errno = f->error;
}

static void entry(void)
{
    struct fiber *f = sched_current;

    f->fn(f->arg);
    f->done = 1;
    world.alive--;
    sched_accomplished();
    sched_wake(sched_fiber_key(f), INT32_MAX);
    leave(f);
    abort();
}

static void *first_frame(char *stack)
{
    void **sp = (void **)(stack + config.stack);

    *--sp = NULL; /* the stack is aligned as after a call */
    *--sp = (void *)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    return sp;
}

/* Fibers that were freed. Their memory is for fibers only, and `turn` goes on:
 * an event for the old fiber must not be taken for one of the new. */
static struct fiber *free_fiber;

static struct fiber *take_fiber(void)
{
    struct fiber *f = free_fiber;

    if (!f)
        return must_calloc(1, sizeof(*f));
    free_fiber = f->next;
    *f = (struct fiber){.turn = f->turn + 1};
    return f;
}

struct fiber *sched_spawn(int rank, void (*fn)(void *), void *arg)
{
    struct fiber *f = take_fiber();

    f->rank = rank;
    f->id = world.ids++;
    f->fn = fn;
    f->arg = arg;
    f->stack = take_stack();
    f->sp = first_frame(f->stack);
    f->older = world.newest;
    if (world.newest)
        world.newest->newer = f;
    else
        world.oldest = f;
    world.newest = f;
    world.alive++;
    push((struct event){.time = sched_time(), .turn = f->turn, .arg = f});
    return f;
}

int sched_fiber_done(const struct fiber *f)
{
    return f->done;
}

void sched_fiber_free(struct fiber *f)
{
    if (f->older)
        f->older->newer = f->newer;
    else
        world.oldest = f->newer;
    if (f->newer)
        f->newer->older = f->older;
    else
        world.newest = f->older;
    give_stack(f->stack);
    free(f->locals);
    f->turn++;
    f->next = free_fiber;
    free_fiber = f;
}

uint64_t sched_fiber_key(const struct fiber *f)
{
    return (uint64_t)(uintptr_t)f;
}

int sched_fiber_id(const struct fiber *f)
{
    return f->id;
}

void **sched_fiber_locals(struct fiber *f)
{
    return &f->locals;
}

/* ---- time of a fiber ---- */

int64_t sched_now(void)
{
    return world.now;
}

int64_t sched_time(void)
{
    return world.now + (sched_current ? sched_current->debt : 0);
}

static int is_slow(int rank)
{
    return config.slow_every && rank % config.slow_every == 0;
}

void sched_charge(int64_t ns)
{
    struct fiber *f = sched_current;

    world.charges++;
    if (f)
        f->debt += is_slow(f->rank) ? ns * config.slow_factor : ns;
}

void sched_catch_up(void)
{
    if (sched_current && sched_current->debt > LEAD)
        sched_sleep(0);
}

void sched_sleep(int64_t ns)
{
    struct fiber *f = sched_current;

    push(
        (struct event){.time = sched_time() + ns, .turn = ++f->turn, .arg = f});
    f->debt = 0;
    leave(f);
}

/* ---- waiting ---- */

static char *killed; /* [ranks], NULL: none */

#define BUCKETS (1 << 14)
static struct fiber *waiting[BUCKETS];

static struct fiber **bucket(uint64_t key)
{
    return &waiting[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 50];
}

static void unblock(struct fiber *f)
{
    struct fiber **at = bucket(f->key);

    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    f->key = 0;
}

int sched_block(uint64_t key, int64_t limit, const char *what)
{
    struct fiber *f = sched_current, **at = bucket(key);

    f->key = key;
    f->what = what;
    f->next = NULL;
    f->timed_out = 0;
    while (*at)
        at = &(*at)->next;
    *at = f;
    f->turn++;
    f->ready = sched_time();
    if (limit >= 0)
        push((struct event){
            .time = f->ready + limit, .turn = f->turn, .arg = f});
    f->debt = 0;
    leave(f);
    return f->timed_out;
}

int sched_wake(uint64_t key, int most)
{
    struct fiber *next;
    int n = 0;

    for (struct fiber *f = *bucket(key); f && n < most; f = next) {
        int64_t t = sched_time() + WAKE_TIME;

        next = f->next;
        if (f->key != key)
            continue;
        unblock(f);
        push((struct event){
            .time = t < f->ready ? f->ready : t, .turn = ++f->turn, .arg = f});
        n++;
    }
    return n;
}

int sched_is_killed(int rank)
{
    return killed && killed[rank];
}

void sched_kill(int rank)
{
    if (!killed)
        killed = must_calloc((size_t)config.ranks, 1);
    killed[rank] = 1;
    for (struct fiber *f = world.oldest; f; f = f->newer) {
        if (f->rank != rank || f->done)
            continue;
        if (f->key)
            unblock(f);
        f->done = 1;
        f->turn++;
        world.alive--;
    }
    if (sched_current && sched_current->rank == rank)
        leave(sched_current);
}

static int job = 1;

void sched_next_job(void)
{
    free(killed);
    killed = NULL;
    job++;
    sched_accomplished();
}

int sched_job(void)
{
    return job;
}

/* ---- a rank that is stopped ---- */

static struct {
    int rank;
    int64_t from, to;
} stopped = {.rank = -1};

void sched_stop(int rank, int64_t at, int64_t ns)
{
    stopped.rank = rank;
    stopped.from = at;
    stopped.to = at + ns;
}

int sched_some_stopped(void)
{
    return stopped.rank >= 0 && world.now >= stopped.from &&
           world.now < stopped.to;
}

/* What a fiber of the rank would do now it does later: the event goes back. */
static int put_off(const struct event *e)
{
    const struct fiber *f = e->arg;

    if (e->fn || stopped.rank != f->rank || e->time < stopped.from ||
        e->time >= stopped.to || f->done || f->turn != e->turn)
        return 0;
    push((struct event){.time = stopped.to, .turn = e->turn, .arg = e->arg});
    sched_busy_until(stopped.to);
    return 1;
}

/* ---- preemption ---- */

static void next_preemption(void)
{
    int64_t n = config.preempt;

    if (world.preempted > MANY_PREEMPTED)
        n *= RARE;
    sched_preempt_left =
        n > 0 ? 1 + (int64_t)sched_random((uint64_t)(2 * n)) : INT64_MAX;
}

/* Every fourth rank has the long preemptions: the others go on meanwhile. */
static int pauses(void)
{
    return config.pause && (uint64_t)sched_rank % 4 == config.seed % 4;
}

/* One of the `most` shortest kinds of preemption: how long it takes, at most.
 */
static int64_t longest_of(int most)
{
    static const int64_t longest[] = {300, 3000, 30000, 300000};
    uint64_t kind = sched_random((uint64_t)most);

    return kind == 3 && pauses() ? config.pause : longest[kind];
}

void sched_preempt(void)
{
    int most = world.preempted++ < MANY_PREEMPTED ? 4 : 2;

    next_preemption();
    if (!sched_current || config.preempt <= 0)
        return;
    sched_counts.preempted++;
    sched_sleep((int64_t)sched_random((uint64_t)longest_of(most)));
}

/* ---- the loop ---- */

void sched_accomplished(void)
{
    world.last_deed = sched_time();
    world.last_deed_event = sched_counts.events;
    world.charges = world.preempted = 0;
}

void sched_busy_until(int64_t time)
{
    if (world.busy < time)
        world.busy = time;
    world.last_deed_event = sched_counts.events;
    world.charges = 0;
}

void (*sched_phase_told)(const char *name);

void sched_phase(const char *name)
{
    sched_accomplished();
    if (sched_phase_told)
        sched_phase_told(name);
}

void sched_fail(const char *why)
{
    if (!world.failed)
        world.failed = why;
    if (sched_current)
        leave(sched_current);
    longjmp(world.out, 1);
}

static void resume(struct fiber *f)
{
    sched_counts.switches++;
    memory_of_rank(f->rank);
    sched_current = f;
    sched_rank = f->rank;
    sched_switch(&world.main_sp, f->sp);
    sched_current = NULL;
    sched_rank = -1;
}

/* 0: the event was for a fiber that has gone on since. */
static int happens(struct event *e)
{
    struct fiber *f = e->arg;

    if (!e->fn && (f->done || f->turn != e->turn))
        return 0;
    world.now = e->time;
    sched_counts.events++;
    sched_hash((uint64_t)e->time);
    if (e->fn) {
        e->fn(e->arg);
        return 1;
    }
    sched_hash((uint64_t)f->id);
    if (f->key) {
        unblock(f);
        f->timed_out = 1;
    }
    resume(f);
    return 1;
}

static enum sched_end failed(const char **why)
{
    *why = world.failed;
    return SCHED_FAILED;
}

static int is_stuck(void)
{
    int64_t since = world.last_deed > world.busy ? world.last_deed : world.busy;
    int64_t idle = world.now - since;

    return idle > HANG_TIME ||
           (idle > HANG_TIME_BUSY &&
            (sched_counts.events - world.last_deed_event > HANG_EVENTS ||
             world.charges > HANG_CHARGES));
}

enum sched_end sched_run(const char **why)
{
    *why = "every rank is at its end";
    next_preemption();
    if (setjmp(world.out))
        return failed(why);
    while (world.alive > 0 && heap_n > 0) {
        struct event e = pop();

        if (config.until && e.time > config.until) {
            *why = "the time asked for has come";
            return SCHED_UNTIL;
        }
        if (put_off(&e))
            continue;
        happens(&e);
        if (world.failed)
            return failed(why);
        if (is_stuck()) {
            *why = "ranks poll, and nothing is accomplished";
            return SCHED_HANG;
        }
    }
    if (world.alive == 0)
        return SCHED_DONE;
    *why = "no rank can move";
    return SCHED_HANG;
}

void sched_report(int most)
{
    for (struct fiber *f = world.oldest; f && most > 0; f = f->newer) {
        if (f->done)
            continue;
        most--;
        fprintf(stderr, "  rank %d fiber %d: %s\n", f->rank, f->id,
                f->key ? f->what : "polls or computes");
    }
}
