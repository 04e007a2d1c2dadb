/* many.c - many processes: no count lost, kill -9 survived, waiting works */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "../shm.h"

#define PROCS 16
#define WRITES 2000
#define KILLS 100

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct world));
    world_make(*state, 1, "none");
    return 0;
}

static int teardown(void **state)
{
    world_free(*state);
    free(*state);
    return 0;
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* A child attaches as a client and runs fn; its exit status is fn's result. */
typedef int (*child_fn)(struct world *w, struct lsim *ls,
                        struct lsim_object *obj, unsigned id);

static pid_t start(struct world *w, unsigned client, unsigned id, child_fn fn)
{
    pid_t pid = fork();
    struct lsim_object obj[WORLD_OSTS];
    struct lsim *ls;

    assert_true(pid >= 0);
    if (pid)
        return pid;
    ls = world_attach(w, client, "none", NULL);
    for (unsigned i = 0; i < WORLD_OSTS; i++)
        lsim_object_get(ls, w->file, i, i, &obj[i]);
    _exit(fn(w, ls, obj, id));
}

static void finish(pid_t pid, int want)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), want);
}

/* Every write is of 4 KiB at its own place under its own exact lock: as many
 * enqueues, grants and bytes as writes. */
static int write_exact(struct world *w, struct lsim *ls,
                       struct lsim_object *obj, unsigned id)
{
    struct lsim_access a = {.op = LSIM_WRITE, .flags = LSIM_NOEXPAND};

    (void)w;
    for (unsigned i = 0; i < WRITES; i++) {
        a.start = (uint64_t)(i * PROCS + id) * 4096;
        a.end = a.start + 4096;
        if (lsim_io(ls, &obj[i % WORLD_OSTS], &a) != 0)
            return 1;
    }
    lsim_close(ls);
    return 0;
}

static void test_no_count_lost(void **state)
{
    struct world *w = *state;
    struct lsim_counts c, clients = {0}, one;
    pid_t pid[PROCS];

    for (unsigned i = 0; i < PROCS; i++)
        pid[i] = start(w, 1 + i, i, write_exact);
    for (unsigned i = 0; i < PROCS; i++)
        finish(pid[i], 0);
    c = world_counts(w->client[0]);
    assert_int_equal(c.enqueue, PROCS * WRITES);
    assert_int_equal(c.grant, PROCS * WRITES);
    assert_int_equal(c.cancel, PROCS * WRITES);
    assert_int_equal(c.bl_callback, 0);
    assert_int_equal(c.write_bytes, PROCS * WRITES * 4096);
    for (unsigned i = 0; i < PROCS; i++) {
        lsim_stats_client(w->client[0], 1 + i, &one);
        clients.enqueue += one.enqueue;
        clients.write_rpc += one.write_rpc;
    }
    assert_int_equal(clients.enqueue, c.enqueue);
    assert_int_equal(clients.write_rpc, c.write_rpc);
    assert_locks(w, 0, 0, "");
}

/* Conflicting accesses of all kinds: whatever the order, a callback is a
 * cancel, and what was asked was granted. */
static int fight(struct world *w, struct lsim *ls, struct lsim_object *obj,
                 unsigned id)
{
    uint32_t seed = id * 7919 + 1;

    (void)w;
    for (unsigned i = 0; i < WRITES; i++) {
        struct lsim_access a = {.op = next(&seed) % 4 ? LSIM_WRITE : LSIM_READ};

        a.start = next(&seed) % 1024 * 4096;
        a.end = a.start + (1 + next(&seed) % 16) * 4096;
        if (lsim_io(ls, &obj[next(&seed) % WORLD_OSTS], &a) != 0)
            return 1;
    }
    lsim_close(ls);
    return 0;
}

static void test_fight(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;
    pid_t pid[PROCS];

    for (unsigned i = 0; i < PROCS; i++)
        pid[i] = start(w, 1 + i, i, fight);
    for (unsigned i = 0; i < PROCS; i++)
        finish(pid[i], 0);
    c = world_counts(w->client[0]);
    assert_true(c.bl_callback > 0);
    assert_int_equal(c.grant, c.enqueue);
    assert_int_equal(c.cancel, c.grant);
    assert_int_equal(c.conflict, c.cp_callback);
    assert_int_equal(c.evict, 0);
}

/* Everything at random, group locks too, until killed. */
static int churn(struct world *w, struct lsim *ls, struct lsim_object *obj,
                 unsigned id)
{
    uint32_t seed = id * 104729 + 3;

    (void)w;
    for (;;) {
        struct lsim_object *o = &obj[next(&seed) % WORLD_OSTS];
        struct lsim_access a = {.op = 1 + next(&seed) % 2,
                                .flags = next(&seed) % 2 ? LSIM_NOEXPAND : 0};

        a.start = next(&seed) % 4096 * 4096;
        a.end = a.start + (1 + next(&seed) % 64) * 4096;
        lsim_io(ls, o, &a);
        if (next(&seed) % 8 == 0)
            lsim_lockahead(ls, o, LSIM_WRITE, next(&seed) % 2, a.start, a.end);
        if (next(&seed) % 64 == 0) {
            lsim_group_lock(ls, o, 1, 1 + id % 2, 0);
            lsim_group_unlock(ls, o, 1, 1 + id % 2);
        }
        if (next(&seed) % 32 == 0)
            lsim_fsync(ls, o, 1);
        if (next(&seed) % 128 == 0)
            lsim_truncate(ls, o, a.start, 0, 0);
    }
    return 0;
}

static void nap(long us)
{
    struct timespec t = {0, us * 1000};

    nanosleep(&t, NULL);
}

static void test_kill(void **state)
{
    struct world *w = *state;
    pid_t pid[4];
    uint32_t seed = 12345;
    unsigned recovered = 0;
    struct lsim *ls;

    for (unsigned i = 0; i < 4; i++)
        pid[i] = start(w, 1 + i / 2, i, churn);
    for (unsigned i = 0; i < KILLS; i++) {
        unsigned victim = next(&seed) % 4;

        nap(500 + next(&seed) % 3000);
        kill(pid[victim], SIGKILL);
        waitpid(pid[victim], NULL, 0);
        pid[victim] = start(w, 1 + victim / 2, i + 4, churn);
    }
    for (unsigned i = 0; i < 4; i++) {
        kill(pid[i], SIGKILL);
        waitpid(pid[i], NULL, 0);
    }
    /* The next job finds no trace of them. */
    ls = world_attach(w, 9, "none", NULL);
    for (unsigned i = 0; i < WORLD_OSTS; i++)
        recovered += ls->shm->ost[i].recovered;
    print_message("# %u of %u kills hit a process inside the server\n",
                  recovered, KILLS + 4);
    for (unsigned i = 0; i < WORLD_OSTS; i++)
        assert_locks(w, 0, i, "");
    for (unsigned i = 0; i < WORLD_OSTS; i++)
        world_write(w, 0, i, 0, 16 * MIB);
    assert_locks(w, 0, 1, "0:PW[0,EOF]");
    lsim_close(ls);
}

/* Dies inside the server, lists in disorder. */
static int die_inside(struct world *w, struct lsim *ls, struct lsim_object *obj,
                      unsigned id)
{
    struct lsim_access a = {.op = LSIM_WRITE, .end = MIB};
    struct ost *o = &ls->shm->ost[id];

    (void)w;
    lsim_io(ls, &obj[id], &a);
    pthread_mutex_lock(&o->mutex);
    memset(o->hash, 0xff, sizeof o->hash);
    o->lock_pool.free = 0xffffffff;
    o->run_pool.free = 12;
    for (uint32_t i = 1; i <= o->lock_pool.used; i++)
        o->locks[i].next = i;
    for (uint32_t i = 1; i <= o->cobj_pool.used; i++)
        o->cobjs[i].next = o->cobjs[i].osc_next = 0xfffffff;
    kill(getpid(), SIGKILL);
    return 1;
}

static void test_recover(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;
    pid_t pid;

    world_io(w, 0, 2, LSIM_WRITE, 0, MIB, LSIM_NOEXPAND, 0);
    world_io(w, 0, 2, LSIM_WRITE, 2 * MIB, 3 * MIB, LSIM_NOEXPAND, 0);
    pid = start(w, 5, 2, die_inside);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    /* The child called back the first lock, so one of ours is left. It is
     * dead, which no process has noticed yet. */
    assert_locks(w, 0, 2, "0:PW[2097152,3145728) 5:PW[0,2097152)");
    world_write(w, 0, 2, 0, 4096);
    assert_locks(w, 0, 2, "0:PW[0,EOF] 0:PW[2097152,3145728)");
    assert_int_equal(lsim_fsync(w->client[0], &w->obj[0][2], 1), 0);
    c = world_counts(w->client[0]);
    assert_int_equal(w->client[0]->shm->ost[2].recovered, 1);
    assert_int_equal(c.bl_callback, 1);
    assert_int_equal(c.evict, 1);
    assert_int_equal(c.write_bytes, 2 * MIB + 4096);
}

static int hold_group(struct world *w, struct lsim *ls, struct lsim_object *obj,
                      unsigned id)
{
    (void)w;
    lsim_group_lock(ls, obj, WORLD_OSTS, 3, 0);
    if (id) { /* let go after a while */
        nap(100000);
        lsim_group_unlock(ls, obj, WORLD_OSTS, 3);
        lsim_close(ls);
        return 0;
    }
    kill(getpid(), SIGSTOP);
    return 1;
}

static void wait_for_group(struct world *w)
{
    while (world_counts(w->client[0]).group < WORLD_OSTS)
        nap(1000);
}

/* An ordinary write waits until the group lock is given back ... */
static void test_group_waits(void **state)
{
    struct world *w = *state;
    pid_t pid = start(w, 1, 1, hold_group);

    wait_for_group(w);
    assert_int_equal(world_io(w, 0, 0, LSIM_WRITE, 0, 4096, LSIM_NONBLOCK, 0),
                     -EAGAIN);
    world_write(w, 0, 0, 0, 4096);
    finish(pid, 0);
    assert_locks(w, 0, 0, "0:PW[0,EOF]");
}

/* ... or its holder killed, even if its client lives on. */
static void test_group_holder_killed(void **state)
{
    struct world *w = *state;
    pid_t pid = start(w, 0, 0, hold_group);

    wait_for_group(w);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    world_write(w, 0, 0, 0, 4096);
    assert_locks(w, 0, 0, "0:PW[0,EOF]");
    assert_int_equal(world_counts(w->client[0]).evict, 0);
}

/* Threads of one process share client and handle. */
static void *write_some(void *arg)
{
    struct world *w = arg;
    struct lsim_access a = {.op = LSIM_WRITE, .end = 4096};

    for (unsigned i = 0; i < WRITES; i++)
        if (lsim_io(w->client[0], &w->obj[0][i % WORLD_OSTS], &a) != 0)
            return w;
    return NULL;
}

static void test_threads(void **state)
{
    struct world *w = *state;
    pthread_t thread[8];
    void *result;

    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_some, w), 0);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(thread[i], &result), 0);
        assert_null(result);
    }
    world_fsync(w);
    assert_int_equal(world_counts(w->client[0]).enqueue, WORLD_OSTS);
    assert_int_equal(world_counts(w->client[0]).write_bytes, WORLD_OSTS * 4096);
}

static void test_forked(void **state)
{
    struct world *w = *state;
    pid_t pid = fork();

    if (pid == 0) {
        lsim_forked(w->client[0]);
        world_write(w, 0, 0, 0, MIB);
        lsim_close(w->client[0]);
        _exit(0);
    }
    finish(pid, 0);
    assert_locks(w, 0, 0, "0:PW[0,EOF]"); /* the parent keeps it alive */
}

/* What an access to a covered object costs: some way below 15 % of a 1 MiB
 * pwrite, which takes 100 us and more. */
static void test_cheap(void **state)
{
    struct world *w = *state;
    uint64_t ns;
    struct timespec a, b;

    world_write(w, 0, 0, 0, 4096);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (unsigned i = 0; i < 100000; i++)
        world_write(w, 0, 0, i % 1000 * MIB, (i % 1000 + 1) * MIB);
    clock_gettime(CLOCK_MONOTONIC, &b);
    ns = (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000 + (uint64_t)b.tv_nsec -
         (uint64_t)a.tv_nsec;
    print_message("# %u ns a covered write\n", (unsigned)(ns / 100000));
    assert_true(ns / 100000 < 15000);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_no_count_lost), T(test_fight),       T(test_kill),
        T(test_recover),       T(test_group_waits), T(test_group_holder_killed),
        T(test_forked),        T(test_threads),     T(test_cheap),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
