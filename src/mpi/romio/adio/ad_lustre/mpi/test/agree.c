/* agree.c - test of coll/agree
 *
 * Ranks of one node, as threads and as processes, agree again and again. Every
 * rank must get the words of all ranks, merged in the order of the ranks. Then
 * there is a second node, whose leader answers late.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../../node/test/ranks.h"

#include <sched.h>
#include <sys/wait.h>

#include "../coll/agree.h"
#include "../progress/progress.h"

#define RANKS 5
#define ROUNDS 300

/* ---- one more node, whose leader answers a message after some looks ---- */

static union adl_words elsewhere; /* what the other node says */
static int looks;                 /* without success, before its answer */

/* It is behind ours in order of nodes, and answers what it is sent. */
int PMPI_Irecv(void *buf, int n, MPI_Datatype type, int from, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)from, (void)tag, (void)comm;
    memcpy(buf, &elsewhere, (size_t)n);
    *request = (MPI_Request)1;
    return 0;
}

int PMPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)n, (void)type, (void)to, (void)tag, (void)comm;
    *request = MPI_REQUEST_NULL;
    return 0;
}

int adl_progress_test(MPI_Request *request, MPI_Status *status)
{
    (void)status;
    if (looks > 0) {
        looks--;
        return 0;
    }
    *request = MPI_REQUEST_NULL;
    return 1;
}

/* No test calls it. */
int PMPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)
{
    (void)in, (void)out, (void)n, (void)type, (void)op, (void)comm;
    abort();
}

/* ---- words, and what all of them come to ---- */

/* Rank r's in a round; never the same in two rounds. */
static union adl_words claim_of(int r, int round)
{
    union adl_words w = {.claim = {.start = round * 1000 + r * 10,
                                   .end = round * 1000 + r * 10 + 10,
                                   .edge = round * 1000 + r * 10 + 10,
                                   .bytes = 10 + round,
                                   .pieces = 1,
                                   .most = 10 + round,
                                   .least = 10 + round,
                                   .moved = ADL_MOVED_ANY,
                                   .alone_lo = INT64_MAX,
                                   .alone_hi = 0}};

    return w;
}

static union adl_words outcome_of(int r, int round)
{
    union adl_words w = {.outcome = {.active = r + round,
                                     .swift = 100 - r,
                                     .offset = r == round % RANKS ? r : -1,
                                     .error = r == round % RANKS ? -5 : 0,
                                     .rank = r}};

    return w;
}

/* The smallest of the words is another rank's for each. */
static union adl_words least_of(int r, int n, int round)
{
    union adl_words w;

    for (int i = 0; i < ADL_LEAST_WORDS; i++)
        w.least[i] = (r + i) % n - round;
    return w;
}

static int least_is_right(const int64_t *all, int round)
{
    for (int i = 0; i < ADL_LEAST_WORDS; i++)
        if (all[i] != -round)
            return 0;
    return 1;
}

static int claim_is_right(const struct adl_claim *all, int n, int round)
{
    return all->start == round * 1000 &&
           all->end == round * 1000 + (n - 1) * 10 + 10 &&
           all->bytes == n * (10 + (int64_t)round) && all->pieces == n &&
           !(all->flags & ADL_CLAIM_INTERLEAVED);
}

static int outcome_is_right(const struct adl_outcome *all, int n, int round)
{
    return all->active == n * (int64_t)round + n * (n - 1) / 2 &&
           all->swift == 100 - (n - 1) && all->error == -5 &&
           all->rank == round % RANKS && all->offset == round % RANKS;
}

/* ---- ranks ---- */

struct rank {
    struct adl_segment seg;
    struct adl_sink sink;
    struct adl_agree *agree;
    struct adl_reduce leaders;
    int wrong;
};

static void agree_once(struct rank *me, enum adl_agree_kind kind,
                       const union adl_words *mine, union adl_words *all)
{
    adl_agree_begin(me->agree, kind, mine);
    while (!adl_agree_test(me->agree, all)) {
        uint32_t seen;
        struct adl_bell *bell = adl_agree_bell(me->agree, &seen);

        if (bell)
            adl_bell_wait(bell, seen);
        else
            sched_yield();
    }
}

static void *agree_often(void *arg)
{
    struct rank *me = arg;
    int r = me->seg.rank, n = RANKS;

    for (int round = 0; round < ROUNDS; round++) {
        union adl_words claim = claim_of(r, round), outcome, least, all;

        agree_once(me, ADL_AGREE_START, &claim, &all);
        me->wrong += !claim_is_right(&all.claim, n, round);
        outcome = outcome_of(r, round);
        agree_once(me, ADL_AGREE_END, &outcome, &all);
        me->wrong += !outcome_is_right(&all.outcome, n, round);
        least = least_of(r, n, round);
        agree_once(me, ADL_AGREE_LEAST, &least, &all);
        me->wrong += !least_is_right(all.least, round);
    }
    return NULL;
}

/* Ranks 0 and 1 are on this node, 2 on the other. */
static void lead_two_nodes(struct adl_reduce *r)
{
    const struct adl_run here = {0, 2, 1, 0, 0}, there = {2, 1, 1, 0, 0};
    static const MPI_Comm world = MPI_COMM_WORLD;
    struct adl_nodemap *map = adl_nodemap_create();

    adl_nodemap_add(map, NULL, &here, 1);
    adl_nodemap_add(map, NULL, &there, 1);
    adl_reduce_init(r, &world, 1, map, 0);
    adl_nodemap_destroy(map);
}

static void rank_begin(struct rank *me, const struct adl_segment *seg, int r,
                       int nodes)
{
    int leads = nodes > 1 && r == 0;

    *me = (struct rank){0};
    me->seg = ranks_seen_by(seg, r, &me->sink);
    if (leads)
        lead_two_nodes(&me->leaders);
    assert_int_equal(adl_agree_create(&me->seg, nodes,
                                      leads ? &me->leaders : NULL, &me->agree),
                     0);
}

static void test_threads(void **state)
{
    struct adl_segment *seg = ranks_segment(RANKS, 4096, 0);
    struct rank rank[RANKS];
    pthread_t thread[RANKS];

    (void)state;
    for (int r = 0; r < RANKS; r++)
        rank_begin(&rank[r], seg, r, 1);
    for (int r = 0; r < RANKS; r++)
        pthread_create(&thread[r], NULL, agree_often, &rank[r]);
    for (int r = 0; r < RANKS; r++) {
        pthread_join(thread[r], NULL);
        assert_int_equal(rank[r].wrong, 0);
        adl_agree_destroy(rank[r].agree);
    }
    adl_segment_destroy(seg);
}

static void test_processes(void **state)
{
    struct adl_segment *seg = ranks_segment(RANKS, 4096, 0);
    pid_t pid[RANKS];

    (void)state;
    for (int r = 0; r < RANKS; r++) {
        pid[r] = fork();
        assert_true(pid[r] >= 0);
        if (pid[r] == 0) {
            struct rank me;

            alarm(SECONDS_MAX);
            rank_begin(&me, seg, r, 1);
            agree_often(&me);
            _exit(me.wrong ? 1 : 0);
        }
    }
    for (int r = 0; r < RANKS; r++) {
        int status;

        assert_true(waitpid(pid[r], &status, 0) == pid[r]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    adl_segment_destroy(seg);
}

/* ---- two nodes ---- */

/* The result has the other node's words, in every kind of agreement. No rank of
 * this node gets a result before these words have come. */
static void test_two_nodes(void **state)
{
    struct adl_segment *seg = ranks_segment(2, 4096, 0);
    struct rank leader, other;
    union adl_words all, mine = claim_of(0, 3), its = claim_of(1, 3);

    (void)state;
    rank_begin(&leader, seg, 0, 2);
    rank_begin(&other, seg, 1, 2);
    elsewhere = claim_of(2, 3);
    looks = 2;
    adl_agree_begin(leader.agree, ADL_AGREE_START, &mine);
    assert_int_equal(adl_agree_test(leader.agree, &all), 0);
    assert_int_equal(adl_agree_steps(leader.agree), 0);
    adl_agree_begin(other.agree, ADL_AGREE_START, &its);
    for (int look = 0; look < 2; look++) {
        assert_int_equal(adl_agree_test(leader.agree, &all), 0);
        assert_int_equal(adl_agree_steps(leader.agree), 1);
        assert_int_equal(adl_agree_test(other.agree, &all), 0);
    }
    assert_int_equal(adl_agree_test(leader.agree, &all), 1);
    assert_true(claim_is_right(&all.claim, 3, 3));
    assert_int_equal(adl_agree_test(other.agree, &all), 1);
    assert_true(claim_is_right(&all.claim, 3, 3));

    elsewhere = outcome_of(2, 2); /* the error is there */
    mine = outcome_of(0, 2);
    its = outcome_of(1, 2);
    adl_agree_begin(other.agree, ADL_AGREE_END, &its);
    assert_int_equal(adl_agree_test(other.agree, &all), 0);
    adl_agree_begin(leader.agree, ADL_AGREE_END, &mine);
    while (!adl_agree_test(leader.agree, &all))
        ;
    assert_int_equal(adl_agree_test(other.agree, &all), 1);
    assert_true(outcome_is_right(&all.outcome, 3, 2));

    elsewhere = least_of(2, 3, 7);
    mine = least_of(0, 3, 7);
    its = least_of(1, 3, 7);
    adl_agree_begin(other.agree, ADL_AGREE_LEAST, &its);
    adl_agree_begin(leader.agree, ADL_AGREE_LEAST, &mine);
    while (!adl_agree_test(leader.agree, &all))
        ;
    assert_true(least_is_right(all.least, 7));
    assert_int_equal(adl_agree_test(other.agree, &all), 1);
    assert_true(least_is_right(all.least, 7));
    adl_agree_destroy(leader.agree);
    adl_agree_destroy(other.agree);
    adl_segment_destroy(seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_two_nodes),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
