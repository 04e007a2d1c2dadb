/* iothread.c - tests of sys/iothread and sys/futex */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../futex.h"
#include "../iothread.h"

#define TASKS 1000

struct job {
    struct adl_iotask task; /* first: run() gets a pointer to it */
    int *log;
    int *next;
    int number;
};

static void write_number(struct adl_iotask *task)
{
    struct job *job = (struct job *)task;

    job->log[(*job->next)++] = job->number;
}

static void test_order(void **state)
{
    struct adl_iothread *thread;
    struct job job[TASKS];
    int log[TASKS], next = 0;

    (void)state;
    assert_int_equal(adl_iothread_create(&thread), 0);
    for (int i = 0; i < TASKS; i++) {
        job[i] = (struct job){
            .task.run = write_number, .log = log, .next = &next, .number = i};
        adl_iothread_submit(thread, &job[i].task);
    }
    adl_iothread_wait(thread, &job[TASKS - 1].task);
    assert_int_equal(next, TASKS);
    for (int i = 0; i < TASKS; i++) {
        assert_int_equal(log[i], i);
        assert_true(adl_iothread_done(thread, &job[i].task));
    }
    adl_iothread_destroy(thread);
}

static void test_destroy_finishes(void **state)
{
    struct adl_iothread *thread;
    struct job job[8];
    int log[8], next = 0;

    (void)state;
    assert_int_equal(adl_iothread_create(&thread), 0);
    for (int i = 0; i < 8; i++) {
        job[i] = (struct job){
            .task.run = write_number, .log = log, .next = &next, .number = i};
        adl_iothread_submit(thread, &job[i].task);
    }
    adl_iothread_destroy(thread);
    assert_int_equal(next, 8);
    adl_iothread_destroy(NULL);
}

/* Two processes take turns: each waits for the other's bell. A wake-up that
 * gets lost shows as a turn that takes the net's second. */
static void play(struct adl_bell *mine, struct adl_bell *other, int turns)
{
    for (int i = 0; i < turns; i++) {
        uint32_t seen;

        while ((seen = adl_bell_read(mine)) <= (uint32_t)i)
            adl_bell_wait(mine, seen);
        adl_bell_ring(other);
    }
}

static void test_ping_pong(void **state)
{
    struct adl_bell *bell = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    pid_t child;

    (void)state;
    assert_ptr_not_equal(bell, MAP_FAILED);
    child = fork();
    if (child == 0) {
        alarm(30);
        play(&bell[1], &bell[0], 2000);
        _exit(0);
    }
    assert_true(child > 0);
    adl_bell_ring(&bell[0]);
    play(&bell[0], &bell[1], 2000);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(bell[0].count, 2001);
    assert_int_equal(bell[1].count, 2000);
    assert_int_equal(bell[0].sleepers + bell[1].sleepers, 0);
    munmap(bell, 4096);
}

static void test_nap(void **state)
{
    struct adl_bell bell = {0};

    (void)state;
    assert_int_equal(adl_bell_nap(&bell, 0, 1000000), 1); /* no ring */
    adl_bell_ring(&bell);
    assert_int_equal(adl_bell_nap(&bell, 0, 1000000), 0); /* rang already */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_destroy_finishes),
        cmocka_unit_test(test_ping_pong),
        cmocka_unit_test(test_nap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
