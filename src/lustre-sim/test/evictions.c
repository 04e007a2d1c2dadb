/* evictions.c - unit test: what an eviction does, rule by rule (evict.h), and
 * what many small writes cost */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actors.h"

#include "../shm.h"

static struct stage stage;

enum { A, B };

static void set_up(void)
{
    stage_make(&stage, "none");
    stage_plain(&stage, 1, MIB, 0);
}

static int write_at(unsigned client, uint64_t start, uint64_t end)
{
    return stage_io(&stage, client, SIM_CALL_WRITE, 0, start, end);
}

static int sync_of(unsigned client)
{
    struct actor *a = &stage.actor[client];

    return sim_io_sync(&a->p, &a->buffered, a->fd);
}

static int flush_of(unsigned client)
{
    struct actor *a = &stage.actor[client];

    return sim_io_flush(&a->p, &a->buffered, a->fd);
}

static int close_of(unsigned client)
{
    struct actor *a = &stage.actor[client];

    return sim_io_closing(&a->p, &a->buffered, a->fd);
}

static void evict(unsigned client, unsigned ost)
{
    assert_int_equal(lsim_evict(stage.actor[client].p.server, ost), 0);
}

static long locks_held(void)
{
    struct lsim_lock_info info[16];
    struct lsim_object obj;

    assert_int_equal(sim_file_object(stage.actor[B].buffered.file,
                                     stage.actor[B].p.server, 0, &obj),
                     0);
    return lsim_locks(stage.actor[B].p.server, &obj, info, 16);
}

/* E1: the client goes on as before, no other client waits and no lock is
 * called back. */
static void test_silent(void **state)
{
    struct lsim_counts before, after;

    (void)state;
    set_up();
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 0);
    assert_int_equal(write_at(A, 4096, 8192), 0); /* its lock covers it */
    before = stage_counts(&stage, 0);
    assert_int_equal(write_at(B, 0, 4096), 0);
    after = stage_counts(&stage, 0);
    assert_int_equal(after.enqueue - before.enqueue, 1);
    assert_int_equal(after.bl_callback - before.bl_callback, 0);
    assert_int_equal(after.write_rpc - before.write_rpc, 0);
    stage_free(&stage);
}

/* E2: the next RPC tells: EIO, locks and dirty data gone, then all is well. */
static void test_next_rpc(void **state)
{
    struct lsim_counts before, after;

    (void)state;
    set_up();
    assert_int_equal(write_at(A, 0, 8192), 0);
    evict(A, 0);
    before = stage_counts(&stage, 0);
    assert_int_equal(stage_io(&stage, A, SIM_CALL_WRITE, 1, 0, 4096), -EIO);
    assert_int_equal(locks_held(), 0);
    assert_int_equal(write_at(A, 0, 4096), 0);
    assert_int_equal(sync_of(A), -EIO); /* of the 8192 bytes, once */
    assert_int_equal(sync_of(A), 0);
    after = stage_counts(&stage, 0);
    assert_int_equal(after.write_bytes - before.write_bytes, 4096);
    stage_free(&stage);
}

/* E2 of a write that asks for a lock, and of one that completes an RPC. */
static void test_write_told(void **state)
{
    (void)state;
    set_up();
    assert_int_equal(write_at(A, 0, 4096), 0);
    assert_int_equal(write_at(B, MIB, 2 * MIB), 0); /* A's lock is gone */
    evict(A, 0);
    assert_int_equal(write_at(A, 0, 4096), -EIO);
    assert_int_equal(write_at(A, 0, 4096), 0);
    assert_int_equal(sync_of(A), 0); /* nothing had been dirty */
    evict(A, 0);
    assert_int_equal(write_at(A, 0, 4 * MIB), -EIO);
    stage_free(&stage);
}

/* E2 of another OST than the evicting one: nothing. */
static void test_other_ost(void **state)
{
    (void)state;
    set_up();
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 1);
    assert_int_equal(sync_of(A), 0);
    stage_free(&stage);
}

/* E3: fsync and sync_file_range tell, E4: close does not. */
static void test_flush_told(void **state)
{
    (void)state;
    set_up();
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 0);
    assert_int_equal(flush_of(A), -EIO);
    assert_int_equal(flush_of(A), 0);
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 0);
    assert_int_equal(sync_of(A), -EIO);
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 0);
    assert_int_equal(close_of(A), 0);
    stage_free(&stage);
}

/* E3: a group unlock returns 0, what follows it ESHUTDOWN. */
static void test_group(void **state)
{
    struct actor *a = &stage.actor[A];

    (void)state;
    set_up();
    assert_int_equal(
        sim_ioctl(&a->p, &a->buffered, a->fd, ADL_IOC_GROUP_LOCK, (void *)5),
        0);
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 0);
    assert_int_equal(
        sim_ioctl(&a->p, &a->buffered, a->fd, ADL_IOC_GROUP_UNLOCK, (void *)5),
        0);
    assert_int_equal(locks_held(), 0);
    assert_int_equal(sync_of(A), -ESHUTDOWN);
    assert_int_equal(sync_of(A), 0);
    stage_free(&stage);
}

/* E4: what was not told comes out at the close of a later open. */
static void test_left_over(void **state)
{
    struct actor *a = &stage.actor[A];

    (void)state;
    set_up();
    assert_int_equal(write_at(A, 0, 4096), 0);
    evict(A, 0);
    assert_int_equal(close_of(A), 0);
    a->buffered.evictions = sim_io_evictions(&a->p); /* opened again */
    assert_int_equal(write_at(A, 0, 4096), 0);
    assert_int_equal(close_of(A), -EIO);
    assert_int_equal(close_of(A), 0);
    stage_free(&stage);
}

/* The bytes that never came to the servers are not in the file. */
static void test_bytes(void **state)
{
    static char buf[3 * 4096];
    struct actor *a = &stage.actor[A];

    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 2, 65536, 0);
    memset(buf, 'x', sizeof buf);
    /* around the border of the two stripes, of which OST 1 has the second */
    assert_int_equal(write_at(A, 65536 - 4096, 65536 + 8192), 0);
    assert_int_equal(pwrite(a->fd, buf, sizeof buf, 65536 - 4096),
                     (ssize_t)sizeof buf);
    evict(A, 1);
    assert_int_equal(sync_of(A), -EIO);
    assert_int_equal(pread(a->fd, buf, sizeof buf, 65536 - 4096),
                     (ssize_t)sizeof buf);
    for (size_t i = 0; i < sizeof buf; i++)
        assert_int_equal(buf[i], i < 4096 ? 'x' : 0);
    stage_free(&stage);
}

/* 500,000 small writes with gaps, forwards: what is looked at in the lists of
 * the client's pages is a few entries a write, whatever their number. */
static void test_small_writes(void **state)
{
    const unsigned n = 500000;
    struct lsim *ls;
    struct lsim_object obj;
    const struct cobj *co;
    uint64_t steps;

    (void)state;
    set_up();
    ls = stage.actor[A].p.server;
    assert_int_equal(sim_file_object(stage.actor[A].buffered.file, ls, 0, &obj),
                     0);
    for (unsigned i = 0; i < n; i++) {
        struct lsim_access a = {.op = LSIM_WRITE,
                                .start = i * UINT64_C(8192),
                                .end = i * UINT64_C(8192) + 64};

        assert_int_equal(lsim_io(ls, &obj, &a), 0);
    }
    co = &ls->shm->ost[obj.ost].cobjs[obj.cslot];
    steps = (uint64_t)co->runs[RUN_DIRTY].steps + co->runs[RUN_CACHED].steps;
    print_message("# %llu entries looked at in %u writes\n",
                  (unsigned long long)steps, n);
    assert_true(steps < 10 * (uint64_t)n);
    stage_free(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silent),       cmocka_unit_test(test_next_rpc),
        cmocka_unit_test(test_write_told),   cmocka_unit_test(test_other_ost),
        cmocka_unit_test(test_flush_told),   cmocka_unit_test(test_group),
        cmocka_unit_test(test_left_over),    cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_small_writes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
