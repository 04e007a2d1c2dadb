/* measured.c - the cases of a real Lustre's table, side by side
 *
 * Lockstep there meant: all clients write their next block at once, then meet
 * at a barrier. Of those that write the same object at once the one that
 * holds the lock goes through first; the others queue. MEASURED.md shows the
 * numbers beside the real ones and says why some differ.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

enum how { PLAIN, GROUP, NOEXPAND, LOCKAHEAD, LOCKAHEAD_ASYNC };

struct measured {
    const char *name;
    unsigned clients, blocks;
    uint64_t size;
    enum how how;
    struct {
        unsigned bl, enqueue, rpc;
    } real, model;
};

static const struct measured cases[] = {
    {"2 clients, 256 KiB, plain",
     2,
     64,
     256 * KIB,
     PLAIN,
     {64, 76, 112},
     {64, 68, 68}},
    {"2 clients, 256 KiB, group lock",
     2,
     64,
     256 * KIB,
     GROUP,
     {0, 8, 8},
     {0, 8, 8}},
    {"2 clients, 256 KiB, locknoexpand",
     2,
     64,
     256 * KIB,
     NOEXPAND,
     {0, 128, 8},
     {0, 128, 8}},
    {"2 clients, 256 KiB, lockahead",
     2,
     64,
     256 * KIB,
     LOCKAHEAD,
     {0, 128, 8},
     {0, 128, 8}},
    {"2 clients, 256 KiB, lockahead async",
     2,
     64,
     256 * KIB,
     LOCKAHEAD_ASYNC,
     {0, 128, 8},
     {0, 128, 8}},
    {"4 clients, 64 KiB, plain",
     4,
     64,
     64 * KIB,
     PLAIN,
     {69, 209, 101},
     {192, 196, 196}},
    {"4 clients, 64 KiB, group lock",
     4,
     64,
     64 * KIB,
     GROUP,
     {0, 16, 16},
     {0, 16, 16}},
    {"4 clients, 64 KiB, lockahead",
     4,
     64,
     64 * KIB,
     LOCKAHEAD,
     {0, 256, 16},
     {0, 256, 16}},
    {"4 clients, 1 MiB, plain", 4, 16, MIB, PLAIN, {0, 4, 16}, {0, 4, 16}},
    {"3 clients, 1 MiB, plain", 3, 16, MIB, PLAIN, {44, 48, 48}, {44, 48, 48}},
    {"3 clients, 1 MiB, group lock",
     3,
     16,
     MIB,
     GROUP,
     {0, 12, 12},
     {0, 12, 12}},
};

/* Whether a client holds a lock on the object of this file offset. */
static int holds(struct world *w, unsigned client, uint64_t pos)
{
    struct lsim_lock_info l[256];
    unsigned ost = pos / MIB % WORLD_OSTS;
    long n = lsim_locks(w->client[client], &w->obj[client][ost], l, 256);

    for (long i = 0; i < n && i < 256; i++)
        if (l[i].client == client)
            return 1;
    return 0;
}

static void ahead(struct world *w, unsigned client, uint64_t pos, uint64_t size,
                  int async)
{
    uint64_t at = pos / MIB / WORLD_OSTS * MIB + pos % MIB;
    unsigned ost = pos / MIB % WORLD_OSTS;

    assert_int_equal(lsim_lockahead(w->client[client], &w->obj[client][ost],
                                    LSIM_WRITE, async, at, at + size),
                     0);
}

static void prepare(struct world *w, const struct measured *m)
{
    for (unsigned c = 0; c < m->clients; c++) {
        if (m->how == GROUP)
            lsim_group_lock(w->client[c], w->obj[c], WORLD_OSTS, 5, 0);
        if (m->how != LOCKAHEAD && m->how != LOCKAHEAD_ASYNC)
            continue;
        for (unsigned i = 0; i < m->blocks; i++)
            ahead(w, c, (uint64_t)(i * m->clients + c) * m->size, m->size,
                  m->how == LOCKAHEAD_ASYNC);
    }
}

/* All clients write one block: first those that hold a lock there. */
static void step(struct world *w, const struct measured *m, unsigned i)
{
    unsigned flags = m->how == NOEXPAND ? LSIM_NOEXPAND : 0;
    int first[WORLD_CLIENTS];

    for (unsigned c = 0; c < m->clients; c++)
        first[c] = holds(w, c, (uint64_t)(i * m->clients + c) * m->size);
    for (int turn = 1; turn >= 0; turn--)
        for (unsigned c = 0; c < m->clients; c++)
            if (first[c] == turn)
                world_file_io(w, c, LSIM_WRITE,
                              (uint64_t)(i * m->clients + c) * m->size, m->size,
                              flags, m->how == GROUP ? 5 : 0);
}

static void test_case(void **state)
{
    const struct measured *m = *state;
    struct lsim_counts c;
    struct world w;

    world_make(&w, m->clients, "none");
    prepare(&w, m);
    for (unsigned i = 0; i < m->blocks; i++)
        step(&w, m, i);
    world_fsync(&w);
    c = world_counts(w.client[0]);
    print_message("# %-36s bl %3u/%3u enqueue %3u/%3u write RPC %3u/%3u "
                  "(model/real)\n",
                  m->name, (unsigned)c.bl_callback, m->real.bl,
                  (unsigned)c.enqueue, m->real.enqueue, (unsigned)c.write_rpc,
                  m->real.rpc);
    assert_int_equal(c.bl_callback, m->model.bl);
    assert_int_equal(c.enqueue, m->model.enqueue);
    assert_int_equal(c.write_rpc, m->model.rpc);
    assert_int_equal(c.write_bytes, m->clients * m->blocks * m->size);
    world_free(&w);
}

int main(void)
{
    enum { N = sizeof cases / sizeof cases[0] };
    struct CMUnitTest tests[N];

    for (unsigned i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = test_case,
                                       .initial_state = (void *)&cases[i]};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests("measured", tests, N, NULL, NULL);
}
