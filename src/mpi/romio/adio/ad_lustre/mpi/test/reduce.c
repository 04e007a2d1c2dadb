/* reduce.c - test of coll/reduce
 *
 * All leaders of 1 to 40 nodes are in one process, with messages in a list. The
 * test steps them in random order, twice in a row. Each must have the words of
 * all leaders in the order of the nodes, and no message may be left.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/reduce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../progress/progress.h"

#define MOST 40
#define LETTERS 1024
#define NO_REQUEST MPI_REQUEST_NULL

/* ---- MPI: letters in the order in which they were sent ---- */

struct letter {
    int from, to, tag, n, taken;
    char bytes[ADL_REDUCE_BYTES];
};

struct wait {
    int me, from, tag;
    void *to;
};

static struct letter post[LETTERS];
static int nposted, nsent;
static struct wait waits[LETTERS];
static int nwaits;
static int me; /* whose turn it is: its rank */

int PMPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    struct letter *l = &post[nposted++];

    (void)type, (void)comm;
    assert_true(nposted < LETTERS);
    *l = (struct letter){.from = me, .to = to, .tag = tag, .n = n};
    memcpy(l->bytes, buf, (size_t)n);
    nsent++;
    *request = NO_REQUEST;
    return 0;
}

/* Requests are 1 + the number of a wait. */
int PMPI_Irecv(void *buf, int n, MPI_Datatype type, int from, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)comm, (void)n;
    assert_true(nwaits < LETTERS);
    waits[nwaits++] = (struct wait){me, from, tag, buf};
    *request = (MPI_Request)(intptr_t)nwaits;
    return 0;
}

int adl_progress_test(MPI_Request *request, MPI_Status *status)
{
    struct wait *w = &waits[(intptr_t)*request - 1];

    (void)status;
    for (int i = 0; i < nposted; i++) {
        struct letter *l = &post[i];

        if (l->taken || l->to != w->me || l->from != w->from ||
            l->tag != w->tag)
            continue;
        memcpy(w->to, l->bytes, (size_t)l->n);
        l->taken = 1;
        *request = NO_REQUEST;
        return 1;
    }
    return 0;
}

/* ---- words: which nodes, in which order ---- */

struct words {
    unsigned char n, node[MOST];
};

static void join(const void *a, void *b)
{
    const struct words *x = a;
    struct words *y = b, sum = *x;

    assert_true(x->n + y->n <= MOST);
    memcpy(sum.node + sum.n, y->node, y->n);
    sum.n += y->n;
    *y = sum;
}

static struct words all_of(int n)
{
    struct words w = {.n = (unsigned char)n};

    for (int i = 0; i < n; i++)
        w.node[i] = (unsigned char)i;
    return w;
}

/* ---- */

/* Nodes of 1 to 3 ranks. */
static struct adl_nodemap *map_of(int n)
{
    struct adl_nodemap *map = adl_nodemap_create();

    for (int i = 0, first = 0; i < n; i++) {
        struct adl_run run = {first, 1 + i % 3, 1, 0, 0};

        assert_int_equal(adl_nodemap_add(map, NULL, &run, 1), 0);
        first += run.count;
    }
    return map;
}

static void step_all(struct adl_reduce *r, int n, int *turn,
                     const struct adl_nodemap *map)
{
    int left = n;

    while (left > 0) {
        int i = rand() % n;

        me = adl_nodemap_first(map, i);
        if (turn[i])
            continue;
        turn[i] = adl_reduce_test(&r[i]);
        left -= turn[i];
    }
}

static void reduce_twice(int n)
{
    static const MPI_Comm world = MPI_COMM_WORLD;
    static struct adl_reduce r[MOST];
    struct adl_nodemap *map = map_of(n);
    struct words words[MOST], expected = all_of(n);
    int most = 0;

    for (int i = 0; i < n; i++) {
        adl_reduce_init(&r[i], &world, 7, map, i);
        most = r[i].nsteps > most ? r[i].nsteps : most;
    }
    for (int turn = 0; turn < 2; turn++) {
        int done[MOST] = {0};

        nposted = nwaits = nsent = 0;
        for (int i = 0; i < n; i++) {
            words[i] = (struct words){1, {(unsigned char)i}};
            adl_reduce_begin(&r[i], &words[i], sizeof(words[i]), join);
        }
        step_all(r, n, done, map);
        for (int i = 0; i < n; i++)
            assert_memory_equal(&words[i], &expected, sizeof(expected));
        for (int i = 0; i < nposted; i++)
            assert_true(post[i].taken);
    }
    /* half of log n, rounded up, and two if pairs fold */
    assert_true(most <= 3 || 1 << (2 * (most - 3)) < n);
    adl_nodemap_destroy(map);
}

static void test_all_sizes(void **state)
{
    (void)state;
    srand(1);
    for (int n = 1; n <= MOST; n++)
        reduce_twice(n);
}

/* Of four leaders one has not come: the others name that one only. */
static void test_names(void **state)
{
    static const MPI_Comm world = MPI_COMM_WORLD;
    static struct adl_reduce r[4];
    struct adl_nodemap *map = map_of(4);
    struct words words[4];

    (void)state;
    for (int absent = 0; absent < 4; absent++) {
        char expected[32];
        int done[4] = {0};

        nposted = nwaits = nsent = 0;
        for (int i = 0; i < 4; i++) {
            adl_reduce_init(&r[i], &world, 7, map, i);
            words[i] = (struct words){1, {(unsigned char)i}};
            adl_reduce_begin(&r[i], &words[i], sizeof(words[i]), join);
        }
        snprintf(expected, sizeof(expected), " rank %d (",
                 adl_nodemap_first(map, absent));
        for (int i = 0; i < 8; i++) {
            me = adl_nodemap_first(map, i % 4);
            if (i % 4 != absent)
                assert_int_equal(adl_reduce_test(&r[i % 4]), 0);
        }
        for (int i = 0; i < 4; i++) {
            struct adl_strbuf sb = ADL_STRBUF_INIT;

            adl_reduce_describe(&r[i], &sb);
            if (i != absent)
                assert_memory_equal(adl_strbuf_text(&sb), expected,
                                    strlen(expected));
            adl_strbuf_release(&sb);
        }
        step_all(r, 4, done, map);
    }
    adl_nodemap_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_sizes),
                                       cmocka_unit_test(test_names)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
