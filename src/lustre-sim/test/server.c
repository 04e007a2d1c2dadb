/* server.c - the lock server: patterns with exact counts */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include <errno.h>
#include <sys/stat.h>

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct world));
    world_make(*state, 4, "none");
    return 0;
}

static int teardown(void **state)
{
    world_free(*state);
    free(*state);
    return 0;
}

#define assert_counts(c, enq, bl, can, cp)     \
    do {                                       \
        assert_int_equal((c).enqueue, enq);    \
        assert_int_equal((c).bl_callback, bl); \
        assert_int_equal((c).cancel, can);     \
        assert_int_equal((c).cp_callback, cp); \
    } while (0)

/* The lockahead paper's figure 3: two writers of every second block. Each
 * write after the first takes the whole object from the other. */
static void test_figure_3(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    for (unsigned i = 0; i < 32; i++) {
        world_write(w, i % 2, 0, i * MIB, (i + 1) * MIB);
        assert_locks(w, 0, 0, i % 2 ? "1:PW[0,EOF]" : "0:PW[0,EOF]");
    }
    c = world_counts(w->client[0]);
    assert_counts(c, 32, 31, 31, 31);
    assert_int_equal(c.grant, 32);
    assert_int_equal(c.conflict, 31);
    assert_int_equal(c.write_rpc, 31); /* the last is still dirty */
    world_fsync(w);
    assert_int_equal(world_counts(w->client[0]).write_rpc, 32);
    assert_int_equal(world_counts(w->client[0]).write_bytes, 32 * MIB);
}

/* One owner an object: one lock each, never a callback, full RPCs, no seek. */
static void test_one_owner(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    for (unsigned i = 0; i < 64; i++)
        world_file_io(w, i % 4, LSIM_WRITE, i * MIB, MIB, 0, 0);
    world_fsync(w);
    c = world_counts(w->client[0]);
    assert_counts(c, 4, 0, 0, 0);
    assert_int_equal(c.write_rpc, 16);
    assert_int_equal(c.seek, 4); /* the first RPC of each OST */
    assert_int_equal(c.write_bytes, 64 * MIB);
    lsim_stats_client(w->client[0], 2, &c);
    assert_int_equal(c.enqueue, 1);
    assert_int_equal(c.write_hist[10], 4); /* up to 4 MiB */
}

static void test_lockahead_strided(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    for (unsigned i = 0; i < 64; i++) {
        uint64_t at = i * 256 * KIB;

        assert_int_equal(lsim_lockahead(w->client[i % 4], &w->obj[i % 4][0],
                                        LSIM_WRITE, 1, at, at + 256 * KIB),
                         0);
    }
    for (unsigned i = 0; i < 64; i++)
        world_write(w, i % 4, 0, i * 256 * KIB, (i + 1) * 256 * KIB);
    world_fsync(w);
    c = world_counts(w->client[0]);
    assert_counts(c, 64, 0, 0, 0);
    assert_int_equal(c.lockahead, 64);
    assert_int_equal(c.write_rpc, 4); /* 4 MiB each, packed */
}

static void test_lockahead_results(void **state)
{
    struct world *w = *state;
    struct lsim *a = w->client[0], *b = w->client[1];
    struct lsim_object *oa = &w->obj[0][0], *ob = &w->obj[1][0];

    assert_int_equal(lsim_lockahead(a, oa, LSIM_WRITE, 1, 1, 65535), 0);
    assert_locks(w, 0, 0, "0:PW[0,65536)");
    assert_int_equal(lsim_lockahead(a, oa, LSIM_WRITE, 1, 0, 65536), 2);
    assert_int_equal(lsim_lockahead(a, oa, LSIM_WRITE, 1, 4096, 8192), 1);
    assert_int_equal(lsim_lockahead(a, oa, LSIM_READ, 1, 4096, 8192), 1);
    assert_int_equal(lsim_lockahead(a, oa, LSIM_WRITE, 0, 0, 65536), 0);
    assert_int_equal(lsim_lockahead(a, oa, LSIM_WRITE, 0, 8192, 8192), -EINVAL);
    assert_int_equal(lsim_lockahead(b, ob, LSIM_WRITE, 1, 0, 4096), 0);
    assert_locks(w, 0, 0, "0:PW[0,65536)");
    assert_int_equal(world_counts(a).refused, 1);
    assert_counts(world_counts(a), 2, 0, 0, 0);
}

static void test_noexpand(void **state)
{
    struct world *w = *state;

    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(world_io(w, i % 2, 0, LSIM_WRITE, i * 4096,
                                  (i + 1) * 4096, LSIM_NOEXPAND, 0),
                         0);
    assert_counts(world_counts(w->client[0]), 16, 0, 0, 0);
}

/* 33 conflicting locks bound a write lock to 32 MiB, 32 do not. */
static void test_many_locks(void **state)
{
    struct world *w = *state;
    char want[64];

    for (unsigned ost = 0; ost < 2; ost++) {
        struct lsim_lock_info l[64];
        unsigned n = 32 + ost;

        for (unsigned i = 0; i < n; i++)
            lsim_lockahead(w->client[0], &w->obj[0][ost], LSIM_WRITE, 0,
                           i * 128 * KIB, i * 128 * KIB + 64 * KIB);
        world_write(w, 1, ost, 64 * MIB, 64 * MIB + 4096);
        assert_int_equal(lsim_locks(w->client[0], &w->obj[0][ost], l, 64),
                         n + 1);
        snprintf(want, sizeof want, "%llu", (unsigned long long)l[n].end);
        assert_string_equal(want, ost ? "100663296" : "18446744073709551615");
        assert_int_equal(l[n].client, 1);
        assert_int_equal(l[n].start, 64 * MIB);
    }
    assert_counts(world_counts(w->client[0]), 32 + 33 + 2, 0, 0, 0);
}

static void test_group_exclusion(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    assert_int_equal(lsim_group_lock(w->client[0], w->obj[0], 4, 7, 0), 0);
    assert_int_equal(lsim_group_lock(w->client[1], w->obj[1], 4, 7, 1), 0);
    assert_int_equal(lsim_group_lock(w->client[2], w->obj[2], 4, 8, 1),
                     -EAGAIN);
    assert_int_equal(lsim_group_lock(w->client[2], w->obj[2], 4, 0, 1),
                     -EINVAL);
    assert_int_equal(world_io(w, 2, 0, LSIM_READ, 0, 4096, LSIM_NONBLOCK, 0),
                     -EAGAIN);
    assert_int_equal(world_io(w, 0, 0, LSIM_WRITE, 0, 4096, LSIM_NONBLOCK, 0),
                     -EAGAIN);
    for (unsigned i = 0; i < 8; i++)
        world_file_io(w, i % 2, LSIM_WRITE, i * 64 * KIB, 64 * KIB, 0, 7);
    assert_int_equal(lsim_group_unlock(w->client[0], w->obj[0], 4, 7), 0);
    assert_int_equal(lsim_group_unlock(w->client[0], w->obj[0], 4, 7), -EINVAL);
    assert_int_equal(lsim_group_lock(w->client[2], w->obj[2], 4, 8, 1),
                     -EAGAIN);
    assert_int_equal(lsim_group_unlock(w->client[1], w->obj[1], 4, 7), 0);
    assert_locks(w, 0, 0, "");
    assert_int_equal(lsim_group_lock(w->client[2], w->obj[2], 4, 8, 1), 0);
    assert_int_equal(lsim_group_unlock(w->client[2], w->obj[2], 4, 8), 0);
    c = world_counts(w->client[0]);
    assert_int_equal(c.bl_callback, 0);
    assert_int_equal(c.group, 12);
    assert_int_equal(c.write_rpc, 2);
    assert_int_equal(c.write_bytes, 8 * 64 * KIB);
}

/* A group lock calls ordinary locks back first. */
static void test_group_after_write(void **state)
{
    struct world *w = *state;

    world_write(w, 1, 0, 0, MIB);
    assert_int_equal(lsim_group_lock(w->client[0], w->obj[0], 1, 7, 0), 0);
    assert_locks(w, 0, 0, "0:GR[0,EOF]");
    assert_counts(world_counts(w->client[0]), 2, 1, 1, 1);
    assert_int_equal(world_counts(w->client[0]).write_rpc, 1);
    assert_int_equal(lsim_group_unlock(w->client[0], w->obj[0], 1, 7), 0);
}

static void test_readers_share(void **state)
{
    struct world *w = *state;

    world_write(w, 0, 0, 0, MIB);
    lsim_drop_cache(w->client[0], NULL);
    lsim_stats_reset(w->client[0]);
    for (unsigned i = 0; i < 4; i++)
        world_read(w, i, 0, 0, 64 * KIB);
    assert_locks(w, 0, 0, "0:PR[0,EOF] 1:PR[0,EOF] 2:PR[0,EOF] 3:PR[0,EOF]");
    assert_counts(world_counts(w->client[0]), 4, 0, 0, 0);
    assert_int_equal(world_counts(w->client[0]).read_rpc, 4);
    /* Cached: nothing. A writer calls all four back, its own too. */
    world_read(w, 2, 0, 0, 64 * KIB);
    assert_int_equal(world_counts(w->client[0]).read_rpc, 4);
    world_write(w, 2, 0, 0, 4096);
    assert_counts(world_counts(w->client[0]), 5, 4, 4, 1);
    assert_locks(w, 0, 0, "2:PW[0,EOF]");
}

static void test_own_write_is_cached(void **state)
{
    struct world *w = *state;

    world_write(w, 0, 0, 0, 8 * MIB);
    world_read(w, 0, 0, MIB, 2 * MIB);
    assert_int_equal(world_counts(w->client[0]).read_rpc, 0);
    world_write(w, 1, 0, 0, 4096);
    world_read(w, 0, 0, MIB, 2 * MIB);
    assert_int_equal(world_counts(w->client[0]).read_rpc, 1);
}

/* Rewriting dirty data before it left costs nothing more. */
static void test_rewrite(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    for (unsigned i = 0; i < 10; i++)
        world_write(w, 0, 0, MIB - i * 4096, MIB + 4096);
    world_fsync(w);
    c = world_counts(w->client[0]);
    assert_int_equal(c.write_rpc, 1);
    assert_int_equal(c.write_bytes, 10 * 4096);
}

static void test_direct(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    world_write(w, 1, 0, 0, MIB);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(world_io(w, 0, 0, LSIM_WRITE, i * 2 * MIB,
                                  (i + 1) * 2 * MIB, LSIM_DIRECT, 0),
                         0);
    c = world_counts(w->client[0]);
    assert_counts(c, 1, 1, 1, 0); /* only the cached writer's lock */
    assert_int_equal(c.write_rpc, 5);
    assert_locks(w, 0, 0, "");
}

static void test_glimpse(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    world_write(w, 0, 0, 0, MIB);
    lsim_glimpse(w->client[0], &w->obj[0][0], 1);
    lsim_glimpse(w->client[1], &w->obj[1][0], 1);
    lsim_glimpse(w->client[1], &w->obj[1][1], 1);
    c = world_counts(w->client[0]);
    assert_int_equal(c.glimpse, 2);
    assert_int_equal(c.gl_callback, 1);
    assert_locks(w, 0, 0, "0:PW[0,EOF]");
}

static void test_truncate(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;

    world_write(w, 0, 0, 0, MIB);
    lsim_truncate(w->client[0], &w->obj[0][0], 4096, 0, 0);
    world_fsync(w);
    c = world_counts(w->client[0]);
    assert_counts(c, 1, 0, 0, 0);
    assert_int_equal(c.punch, 1);
    assert_int_equal(c.write_bytes, 4096);
    lsim_truncate(w->client[1], &w->obj[1][0], 0, 0, 0);
    assert_counts(world_counts(w->client[0]), 2, 1, 1, 1);
    assert_locks(w, 0, 0, "1:PW[0,EOF]");
}

static void test_destroy(void **state)
{
    struct world *w = *state;

    world_write(w, 0, 0, 0, MIB);
    assert_int_equal(lsim_object_destroy(w->client[1], &w->obj[1][0], 1), 0);
    assert_locks(w, 0, 0, "");
    world_write(w, 1, 0, 0, MIB); /* the old handles find the new object */
    assert_locks(w, 0, 0, "1:PW[0,EOF]");
    assert_int_equal(world_counts(w->client[0]).bl_callback, 0);
}

/* The locks that were used least recently go first. */
static void test_lru(void **state)
{
    struct world *w = *state;
    struct lsim_lock_info l[8];
    struct lsim_config cfg = {.osts = 1, .client = 9};
    struct lsim_object obj;
    struct lsim *ls;
    char err[80];

    lsim_profile_load("none", &cfg.profile, err, sizeof err);
    cfg.profile.lru = 3;
    assert_int_equal(lsim_open(w->path, &cfg, &ls), 0);
    lsim_object_get(ls, 99, 0, 0, &obj);
    for (unsigned i = 0; i < 5; i++)
        lsim_lockahead(ls, &obj, LSIM_WRITE, 0, i * 8192, i * 8192 + 4096);
    assert_int_equal(lsim_locks(ls, &obj, l, 8), 3);
    assert_int_equal(l[0].start, 2 * 8192);
    lsim_lockahead(ls, &obj, LSIM_WRITE, 0, 2 * 8192, 2 * 8192 + 4096);
    lsim_lockahead(ls, &obj, LSIM_WRITE, 0, 9 * 8192, 9 * 8192 + 4096);
    assert_int_equal(lsim_locks(ls, &obj, l, 8), 3);
    assert_int_equal(l[0].start, 2 * 8192);
    assert_int_equal(l[1].start, 4 * 8192);
    lsim_close(ls);
}

/* The last process of a client takes its locks and dirty data with it. */
static void test_last_process(void **state)
{
    struct world *w = *state;
    struct lsim *again = world_attach(w, 3, "none", NULL);

    world_write(w, 3, 0, 0, MIB);
    lsim_close(again);
    assert_locks(w, 0, 0, "3:PW[0,EOF]");
    lsim_close(w->client[3]);
    w->clients = 3;
    assert_locks(w, 0, 0, "");
    assert_int_equal(world_counts(w->client[0]).write_rpc, 1);
    assert_int_equal(world_counts(w->client[0]).cancel, 1);
}

static int count_objects(const struct lsim_object *obj,
                         const struct lsim_counts *counts, void *arg)
{
    unsigned *n = arg;

    (void)obj;
    *n += counts->enqueue == 1;
    return 0;
}

static void test_object_stats(void **state)
{
    struct world *w = *state;
    struct lsim_counts c;
    unsigned n = 0;

    world_write(w, 0, 1, 0, 4096);
    world_file(w);
    world_write(w, 0, 1, 0, 4096);
    assert_int_equal(lsim_stats_objects(w->client[0], 1, count_objects, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(lsim_stats_object(w->client[0], &w->obj[0][1], &c), 0);
    assert_int_equal(c.enqueue, 1);
}

/* More objects than there is room for: idle ones are forgotten. */
static void test_many_objects(void **state)
{
    struct world *w = *state;
    struct lsim_access a = {.op = LSIM_WRITE, .end = 4096};
    struct lsim_object obj;

    for (unsigned i = 0; i < 40000; i++) {
        assert_int_equal(lsim_object_get(w->client[0], 1000 + i, 0, 0, &obj),
                         0);
        assert_int_equal(lsim_io(w->client[0], &obj, &a), 0);
    }
    assert_int_equal(world_counts(w->client[0]).enqueue, 40000);
    lsim_drop_cache(w->client[0], NULL);
    assert_int_equal(world_counts(w->client[0]).write_rpc, 40000);
}

static void test_bad_arguments(void **state)
{
    struct world *w = *state;
    struct lsim_object obj;
    struct lsim_access a = {.op = LSIM_WRITE, .end = LSIM_EOF};

    assert_int_equal(lsim_object_get(w->client[0], 1, 0, 99, &obj), -EINVAL);
    assert_int_equal(lsim_io(w->client[0], &w->obj[0][0], &a), -EINVAL);
    a.end = 0;
    assert_int_equal(lsim_io(w->client[0], &w->obj[0][0], &a), 0);
}

/* A state file of another kind is replaced. */
static void test_foreign_file(void **state)
{
    struct world *w = *state;
    struct lsim *ls;
    FILE *f;

    unlink(w->path);
    f = fopen(w->path, "w");
    fputs("something else", f);
    fclose(f);
    ls = world_attach(w, 5, "none", NULL);
    lsim_close(ls);
}

static void test_trace(void **state)
{
    static const int want[] = {101, 101, 104, 4, 103, 105};
    struct world *w = *state;
    struct lsim *a = world_attach(w, 5, "none", w->dir);
    struct lsim *b = world_attach(w, 6, "none", w->dir);
    struct lsim_access io = {.op = LSIM_WRITE, .end = 4096};
    struct lsim_object oa, ob;
    char path[400], line[400];
    size_t n = 0;
    int others = 0;
    FILE *f;

    lsim_object_get(a, 77, 0, 2, &oa);
    lsim_object_get(b, 77, 0, 2, &ob);
    lsim_io(a, &oa, &io);
    lsim_io(b, &ob, &io);
    snprintf(path, sizeof path, "%s/oss2.log", w->dir);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *nid, *at = strstr(line, ") Handling RPC pname:cluuid+ref:pid:xid:"
                                      "nid:opc:job l");

        if (strstr(line, "ofd_rw_hpreq_check"))
            assert_non_null(strstr(line, "lustre-OST0002 ll_ost_io00_005: "
                                         "refresh rw locks for [0x100000002:"
                                         "0x4d:0x0] (0->4095)"));
        if (strstr(line, "blocking AST"))
            assert_non_null(strstr(line, "nid: 192.168.1.6@o2ib"));
        if (strstr(line, "Transferring"))
            assert_non_null(strstr(line, " 1 pages 4096 bytes via "));
        others += !at;
        if (!at)
            continue;
        assert_true(n < sizeof want / sizeof want[0]);
        assert_memory_equal(line, "00000100:00100000:", 18);
        nid = strstr(line, "@o2ib:");
        assert_non_null(nid);
        assert_int_equal(atoi(nid + 6), want[n++]);
    }
    assert_int_equal(n, 6);
    assert_int_equal(others, 5); /* 2 of the write, 3 of the callbacks */
    fclose(f);
    unlink(path);
    lsim_close(a);
    lsim_close(b);
    unlink(path);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_figure_3),          T(test_one_owner),
        T(test_lockahead_strided), T(test_lockahead_results),
        T(test_noexpand),          T(test_many_locks),
        T(test_group_exclusion),   T(test_group_after_write),
        T(test_readers_share),     T(test_own_write_is_cached),
        T(test_rewrite),           T(test_direct),
        T(test_glimpse),           T(test_truncate),
        T(test_destroy),           T(test_lru),
        T(test_last_process),      T(test_object_stats),
        T(test_many_objects),      T(test_bad_arguments),
        T(test_foreign_file),      T(test_trace),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
