/* runs.c - ranges of bytes against a plain bitmap, at random */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include "../pool.h"
#include "../runs.h"

#define BLOCKS 256
#define STEPS 20000

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static unsigned set(unsigned char *map, unsigned from, unsigned to, int value)
{
    unsigned changed = 0;

    for (unsigned i = from; i < to; i++) {
        changed += map[i] != value;
        map[i] = (unsigned char)value;
    }
    return changed;
}

/* The list is sorted, its runs do not touch, and it says what the map says. */
static void check(struct ost *o, uint32_t cobj, const unsigned char *map)
{
    const struct runs *l = &o->cobjs[cobj].runs[RUN_CACHED];
    unsigned char seen[BLOCKS] = {0};
    uint64_t bytes = 0, last = 0;
    uint32_t count = 0;

    for (uint32_t at = l->head; at; at = o->runs[at].next, count++) {
        const struct run *r = &o->runs[at];

        assert_true(r->start < r->end);
        assert_true(count == 0 || r->start > last);
        last = r->end;
        bytes += r->end - r->start;
        for (uint64_t i = r->start; i < r->end; i++)
            seen[i] = 1;
    }
    assert_memory_equal(seen, map, BLOCKS);
    assert_int_equal(bytes, l->bytes);
    assert_int_equal(count, l->count);
}

static void test_random(void **state)
{
    struct ost *o = calloc(1, sizeof *o);
    unsigned char map[BLOCKS] = {0};
    uint32_t seed = 42, cobj;

    (void)state;
    assert_non_null(o);
    cobj = cobj_make(o, object_make(o, 1, 0), 0);
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned from = next(&seed) % BLOCKS;
        unsigned to = from + next(&seed) % 24;
        unsigned n;

        to = to > BLOCKS ? BLOCKS : to;
        if (next(&seed) % 2) {
            n = set(map, from, to, 1);
            assert_int_equal(runs_add(o, cobj, RUN_CACHED, from, to), n);
        } else {
            n = set(map, from, to, 0);
            assert_int_equal(runs_cut(o, cobj, RUN_CACHED, from, to), n);
        }
        check(o, cobj, map);
    }
    free(o);
}

static void test_after(void **state)
{
    struct ost *o = calloc(1, sizeof *o);
    uint32_t cobj = cobj_make(o, object_make(o, 1, 0), 0);

    (void)state;
    assert_int_equal(runs_after(o, cobj, RUN_DIRTY, 0), 0);
    runs_add(o, cobj, RUN_DIRTY, 10, 20);
    runs_add(o, cobj, RUN_DIRTY, 30, 40);
    assert_int_equal(o->runs[runs_after(o, cobj, RUN_DIRTY, 0)].start, 10);
    assert_int_equal(o->runs[runs_after(o, cobj, RUN_DIRTY, 19)].start, 10);
    assert_int_equal(o->runs[runs_after(o, cobj, RUN_DIRTY, 20)].start, 30);
    assert_int_equal(runs_after(o, cobj, RUN_DIRTY, 40), 0);
    free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_after),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
