/* outlives.c - unit test: locks and caches that outlive a program, and two
 * processes of one client that ask at once
 *
 * As seen on a real Lustre: for other clients the next program costs a
 * callback, a request and a completion an object, for the same ones nothing.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actors.h"
#include "virtual.h"

static struct stage stage;

enum { A, B, C };

/* The next program: the process of a client ends, another one begins. */
static void next_program(unsigned client)
{
    struct actor *a = &stage.actor[client];

    sim_file_destroy(a->buffered.file);
    close(a->fd);
    lsim_close(a->p.server);
    a->p.server = stage_attach(&stage, client, "none");
    stage_open(&stage, client);
}

/* bl callbacks, enqueues, completions, read RPCs of what `what` does. */
static void costs(unsigned client, enum sim_call call, const char *want)
{
    struct lsim_counts a = stage_counts(&stage, 0), b;
    char text[80];

    assert_int_equal(stage_io(&stage, client, call, 0, 0, 4 * MIB), 0);
    b = stage_counts(&stage, 0);
    snprintf(text, sizeof text, "bl %d enq %d cp %d read %d",
             (int)(b.bl_callback - a.bl_callback), (int)(b.enqueue - a.enqueue),
             (int)(b.cp_callback - a.cp_callback),
             (int)(b.read_rpc - a.read_rpc));
    assert_string_equal(text, want);
}

static void test_next_program(void **state)
{
    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 4, MIB, 0);
    costs(A, SIM_CALL_WRITE, "bl 0 enq 4 cp 0 read 0");
    next_program(A);
    costs(A, SIM_CALL_WRITE, "bl 0 enq 0 cp 0 read 0");
    next_program(A);
    costs(A, SIM_CALL_READ, "bl 0 enq 0 cp 0 read 0");
    next_program(A);
    next_program(B);
    costs(B, SIM_CALL_WRITE, "bl 4 enq 4 cp 4 read 0");
    next_program(B);
    costs(C, SIM_CALL_READ, "bl 4 enq 4 cp 4 read 4");
    costs(B, SIM_CALL_READ, "bl 0 enq 4 cp 0 read 4");
    stage_free(&stage);
}

/* lustre-sim drop, and clients that forget. */
static void test_dropped(void **state)
{
    struct lsim_counts c;

    (void)state;
    stage_make(&stage, "none");
    stage_plain(&stage, 4, MIB, 0);
    costs(A, SIM_CALL_WRITE, "bl 0 enq 4 cp 0 read 0");
    assert_int_equal(lsim_drop_all(stage.actor[C].p.server), 0);
    c = stage_counts(&stage, 0);
    assert_int_equal(c.write_bytes, 4 * MIB);
    assert_int_equal(c.cancel, 4);
    costs(B, SIM_CALL_READ, "bl 0 enq 4 cp 0 read 4");
    stage_free(&stage);
}

static void ask(unsigned self, void *arg)
{
    struct lsim *ls = stage.actor[A].p.server;
    struct lsim_access access = {.op = LSIM_WRITE, .end = 4096};
    struct lsim_object obj;

    (void)self;
    (void)arg;
    if (sim_file_object(stage.actor[A].buffered.file, ls, 0, &obj) == 0)
        lsim_io(ls, &obj, &access);
}

/* The second one asks while the first one's request travels; the server then
 * calls the first one's lock back for it (real: 1/4/17 instead of 0/2/16). The
 * third one finds the lock. */
static void test_both_ask(void **state)
{
    struct lsim_counts before, after;

    (void)state;
    stage_make(&stage, "vm");
    stage_plain(&stage, 1, MIB, 0);
    before = stage_counts(&stage, 0);
    virtual_run(2, ask, NULL);
    after = stage_counts(&stage, 0);
    assert_int_equal(after.enqueue - before.enqueue, 2);
    virtual_run(1, ask, NULL);
    assert_int_equal(stage_counts(&stage, 0).enqueue, after.enqueue);
    stage_free(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_next_program),
                                       cmocka_unit_test(test_dropped),
                                       cmocka_unit_test(test_both_ask)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
