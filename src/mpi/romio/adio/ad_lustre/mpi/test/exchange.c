/* exchange.c - test of coll/exchange and transport/: whole calls without MPI
 *
 * All ranks of one to three nodes in one process, each with an engine of its
 * own; the ranks of a node share a segment. The test steps them in random
 * order, messages come late (transport.h), and the file is in memory
 * (node/test/disk.h). What the file or the ranks' memory must hold is known
 * from who has which bytes, not from what the driver does.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define DISK_SIZE (1 << 20)
#include "../../node/test/ranks.h"
#include "../../node/test/disk.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "../../core/messages/message.h"
#include "../../core/nodes/nodemap.h"
#include "../coll/exchange.h"
#include "../file/failure.h"
#include "../indep/indep.h"
#include "../locks/lockmode.h"
#include "transport.h"

#define RANKS 9
#define AGGS 3
#define PIECES 4096
#define HANG_SECONDS 3 /* of a processor */

/* One call of all ranks. */
struct plan {
    int nodes, per; /* ranks of a node */
    int naggs;
    int64_t stripe, buffer, pool; /* bytes */
    int64_t unit;                 /* all borders are multiples of it */
    int64_t piece;                /* bytes of one piece in the file, at most */
    int64_t end;                  /* of the span */
    int write, exact, whole;
    int fresh;    /* writing: the file is new, gaps may be filled with zeros */
    int holes;    /* percent of the pieces that no rank has */
    int blocks;   /* a rank's pieces lie together */
    int slowness; /* of messages, see transport.h */
    int lazy;     /* a rank that is stepped rarely, -1: none */
    int ranks;    /* that the job is said to have */
};

struct rank {
    struct ADIOI_FileD fd;
    struct adl_file file;
    struct adl_engine eng;
    struct adl_segment seg;
    struct adl_sink sink[AGGS];
    struct adl_access acc;
    struct adl_tile tile_file, tile_mem;
    int64_t off[PIECES], len[PIECES], mem[PIECES];
    char *user;
    int64_t user_size;
    struct adl_exchange x;
    int done;
};

struct world {
    const struct plan *plan;
    int n;
    struct adl_owner *owner;
    struct adl_nodemap *map;
    struct adl_segment *seg[RANKS]; /* of the nodes */
    int agg_rank[AGGS], agg_node[AGGS];
    struct adl_terms terms;
    struct rank rank[RANKS];
    char want[DISK_SIZE];
};

static struct rng rng;

/* ---- what an exchange calls and is not under test ---- */

int adl_descriptor_ready(ADIO_File fd, int read)
{
    (void)fd, (void)read;
    return 0;
}

int adl_descriptor_renew(ADIO_File fd)
{
    (void)fd;
    return 0;
}

int adl_lockmode_join(ADIO_File fd)
{
    (void)fd;
    return 0;
}

void adl_lockmode_leave_group(ADIO_File fd, int joined)
{
    (void)fd, (void)joined;
}

int adl_lockmode_direct(ADIO_File fd, int wanted)
{
    (void)fd, (void)wanted;
    return -1;
}

int adl_failure_rw(struct adl_file *f, const char *what, int64_t offset, int rc)
{
    (void)f, (void)what, (void)offset;
    return rc;
}

int adl_failure_note(struct adl_file *f, const char *call, int64_t offset,
                     int rc)
{
    (void)f, (void)call, (void)offset;
    return rc;
}

_Noreturn void adl_failure_cannot(const char *name, const char *what, int rc)
{
    (void)name, (void)what, (void)rc;
    abort();
}

int adl_indep_read(ADIO_File fd, void *buf, MPI_Count len, ADIO_Offset offset,
                   MPI_Count *done)
{
    size_t got;
    int rc = adl_rw_read(fd->fd_sys, buf, (size_t)len, offset, &got);

    *done = (MPI_Count)got;
    return rc;
}

int adl_indep_write(ADIO_File fd, const void *buf, MPI_Count len,
                    ADIO_Offset offset, MPI_Count *done)
{
    size_t got;
    int rc = adl_rw_write(fd->fd_sys, buf, (size_t)len, offset, &got);

    *done = (MPI_Count)got;
    return rc;
}

void adl_locks_begin(struct adl_locks *lm, int write)
{
    (void)lm, (void)write;
}

void adl_locks_access(struct adl_locks *lm, int write, int64_t off)
{
    (void)lm, (void)write, (void)off;
}

/* ---- a world ---- */

static int node_of(const struct world *w, int rank)
{
    return rank % w->plan->nodes; /* dealt in turn */
}

static void make_nodes(struct world *w)
{
    w->map = adl_nodemap_create();
    assert_non_null(w->map);
    for (int node = 0; node < w->plan->nodes; node++) {
        struct adl_run run = {node, w->plan->per, w->plan->nodes, 0, 0};

        assert_int_equal(adl_nodemap_add(w->map, NULL, &run, 1), 0);
    }
    for (int a = 0; a < w->plan->naggs; a++) {
        w->agg_rank[a] = (a + 1) % w->n;
        w->agg_node[a] = node_of(w, w->agg_rank[a]);
    }
}

static void make_owner(struct world *w)
{
    struct adl_layout *layout;

    assert_int_equal(adl_layout_plain(w->plan->stripe, w->plan->naggs, &layout),
                     0);
    assert_int_equal(adl_owner_create(layout, w->plan->naggs, &w->owner), 0);
    adl_layout_destroy(layout);
}

/* Aggregators that live on the rank's node, and who sends to the others. */
static int assign(struct world *w, int r, int *here)
{
    struct adl_engine *eng = &w->rank[r].eng;
    int n = 0, others = 0;

    for (int a = 0; a < w->plan->naggs; a++)
        if (w->agg_node[a] == node_of(w, r)) {
            eng->sink_of[a] = n;
            here[n++] = a;
        } else {
            eng->sink_of[a] = -1 - others++ % w->plan->per;
            eng->forwards |= eng->sink_of[a] == -1 - r / w->plan->nodes;
        }
    return n;
}

/* The node's segment, as this rank sees it. */
static void share(struct world *w, int r, int nhere, const int *here)
{
    struct rank *me = &w->rank[r];
    int node = node_of(w, r);
    struct adl_segment_shape shape = {
        nhere, here, adl_window_depth(me->eng.window),
        adl_window_size(me->eng.window),
        adl_pool_memory(w->plan->pool, w->plan->naggs, w->plan->per,
                        adl_window_size(me->eng.window))};

    if (!w->seg[node])
        w->seg[node] = ranks_allocate(&shape, w->plan->per);
    me->seg = *w->seg[node];
    memcpy(me->sink, w->seg[node]->sink, (size_t)nhere * sizeof(*me->sink));
    me->seg.sink = me->sink;
    me->seg.rank = r / w->plan->nodes;
    me->eng.seg = &me->seg;
}

static void make_messages(struct world *w, int r)
{
    struct adl_engine *eng = &w->rank[r].eng;
    int64_t window = adl_window_size(eng->window);
    int64_t pool = w->plan->pool;

    eng->wire = (struct adl_wire){
        .comm = &eng->comm, .agg_rank = eng->agg_rank, .ranks = w->plan->ranks};
    eng->pool_size = pool;
    eng->pool_room = adl_pool_room(pool, window);
    assert_int_equal(
        adl_pool_create(eng->seg, pool, w->plan->naggs, window, &eng->pool), 0);
    assert_int_equal(adl_send_create(&eng->wire, eng->pool, window,
                                     eng->pool_room, &eng->send),
                     0);
    if (eng->forwards)
        assert_int_equal(adl_forward_create(&eng->wire, eng->pool, window,
                                            eng->pool_room, &eng->forward),
                         0);
    if (!eng->mine)
        return;
    assert_int_equal(
        adl_receive_create(&eng->wire, eng->pool_room, &eng->receive), 0);
    transport.me = r;
    adl_receive_open(eng->receive);
}

static void make_leader(struct world *w, int r)
{
    struct adl_engine *eng = &w->rank[r].eng;

    eng->leaders = calloc(1, sizeof(*eng->leaders));
    assert_non_null(eng->leaders);
    eng->frontier = (struct adl_frontier){.seg = eng->seg,
                                          .pool = eng->pool,
                                          .step = adl_window_size(eng->window) *
                                                  w->plan->naggs};
    adl_reduce_init(&eng->frontier.leaders, &eng->comm, ADL_TAG_REDUCE + 1,
                    w->map, node_of(w, r));
}

static void make_rank(struct world *w, int r)
{
    struct rank *me = &w->rank[r];
    struct adl_engine *eng = &me->eng;
    int here[AGGS], nhere;

    me->fd.fs_ptr = &me->file;
    me->file.nodes = (struct adl_nodes){r / w->plan->nodes, w->plan->per,
                                        node_of(w, r), w->plan->nodes};
    me->file.aggs = (struct adl_aggs){.count = w->plan->naggs, .mine = -1};
    me->file.on_lustre = 1;
    eng->file = &me->file;
    eng->comm = MPI_COMM_WORLD;
    eng->rank = r;
    eng->size = w->n;
    eng->naggs = w->plan->naggs;
    eng->agg_rank = w->agg_rank;
    eng->sink_of = calloc(AGGS, sizeof(*eng->sink_of));
    assert_int_equal(adl_window_create(w->owner, w->plan->buffer, &eng->window),
                     0);
    nhere = assign(w, r, here);
    share(w, r, nhere, here);
    for (int a = 0; a < w->plan->naggs; a++)
        if (w->agg_rank[a] == r) {
            me->file.aggs.mine = a;
            eng->mine = &me->sink[eng->sink_of[a]];
            assert_int_equal(adl_iothread_create(&eng->io), 0);
        }
    if (w->plan->nodes == 1)
        return;
    make_messages(w, r);
    if (me->seg.rank == 0)
        make_leader(w, r);
}

static void free_rank(struct rank *me)
{
    struct adl_engine *eng = &me->eng;

    adl_iothread_destroy(eng->io);
    adl_send_destroy(eng->send);
    adl_forward_destroy(eng->forward);
    adl_receive_destroy(eng->receive);
    adl_pool_destroy(eng->pool);
    adl_window_destroy(eng->window);
    free(eng->leaders);
    free(eng->sink_of);
    free(me->user);
}

/* ---- who has which bytes ---- */

/* Bytes `from` .. `from + n` of the rank's data are at `off`. */
static void add_piece(struct rank *me, int64_t off, int64_t len)
{
    int64_t n = me->tile_file.n++;

    assert_true(n < PIECES);
    me->off[n] = off;
    me->len[n] = len;
    me->mem[n] = me->user_size; /* memory has a gap behind each piece */
    me->user_size += len + 8;
    me->acc.sel.bytes += len;
}

/* The exchange is not called if no rank has bytes: some rank has the first
 * piece. */
static int owner_of_piece(const struct world *w, int64_t off)
{
    if (off > 0 && rng_chance(&rng, w->plan->holes))
        return -1;
    return w->plan->blocks ? (int)(off * w->n / w->plan->end)
                           : (int)rng_in(&rng, 0, w->n - 1);
}

static void deal(struct world *w)
{
    int64_t units = w->plan->piece / w->plan->unit, len;

    for (int64_t off = 0; off < w->plan->end; off += len) {
        int r = owner_of_piece(w, off);

        len = rng_in(&rng, 1, units) * w->plan->unit;
        len = len < w->plan->end - off ? len : w->plan->end - off;
        if (r >= 0)
            add_piece(&w->rank[r], off, len);
    }
}

static char byte_of(int64_t off)
{
    return (char)(off * 7 + off / 251 + off / 65537);
}

static void make_access(struct world *w, struct rank *me)
{
    struct adl_access *acc = &me->acc;
    int64_t bytes = acc->sel.bytes;

    me->user = calloc(1, (size_t)me->user_size + 1);
    assert_non_null(me->user);
    me->tile_file =
        (struct adl_tile){me->off, me->len, me->tile_file.n, DISK_SIZE, bytes};
    me->tile_mem = (struct adl_tile){me->mem, me->len, me->tile_file.n,
                                     me->user_size + 8, bytes};
    acc->buf = me->user;
    adl_extents_begin(&acc->sel.ext, bytes ? &me->tile_file : NULL, 0, 0,
                      bytes ? &me->tile_mem : NULL, bytes);
    w->terms.bytes += bytes;
    for (int64_t i = 0; i < me->tile_file.n; i++)
        for (int64_t k = 0; k < me->len[i]; k++) {
            if (w->plan->write)
                me->user[me->mem[i] + k] = byte_of(me->off[i] + k);
            if (w->plan->write)
                w->want[me->off[i] + k] = byte_of(me->off[i] + k);
        }
}

static struct world *world_begin(const struct plan *plan)
{
    struct world *w = calloc(1, sizeof(*w));
    int64_t first = INT64_MAX, end = 0;

    assert_non_null(w);
    w->plan = plan;
    w->n = plan->nodes * plan->per;
    disk_begin(plan->fresh ? 0 : plan->end);
    for (int64_t i = 0; !plan->write && i < plan->end; i++)
        disk.data[i] = byte_of(i);
    memcpy(w->want, disk.data, sizeof(w->want));
    make_nodes(w);
    make_owner(w);
    deal(w);
    for (int r = 0; r < w->n; r++) {
        const struct rank *me = &w->rank[r];
        int64_t n = me->tile_file.n;

        make_rank(w, r);
        make_access(w, &w->rank[r]);
        if (n && me->off[0] < first)
            first = me->off[0];
        if (n && me->off[n - 1] + me->len[n - 1] > end)
            end = me->off[n - 1] + me->len[n - 1];
    }
    w->terms.call = 1;
    w->terms.start = first;
    w->terms.end = end;
    w->terms.shift = __builtin_ctzll(
        (uint64_t)(plan->unit | adl_window_grain(w->rank[0].eng.window)));
    w->terms.write = plan->write;
    w->terms.whole = plan->whole;
    w->terms.exact = plan->exact;
    w->terms.fresh = plan->fresh ? 0 : INT64_MAX;
    return w;
}

static void world_end(struct world *w)
{
    for (int r = 0; r < w->n; r++)
        free_rank(&w->rank[r]);
    for (int node = 0; node < w->plan->nodes; node++)
        adl_segment_destroy(w->seg[node]);
    adl_nodemap_destroy(w->map);
    adl_owner_destroy(w->owner);
    free(w);
}

/* ---- a call ---- */

static void print_plan(const struct plan *p)
{
    print_message("# %d nodes of %d ranks, %d aggregators, stripe %lld, buffer "
                  "%lld, pool %lld, unit %lld, piece %lld, end %lld, %s%s%s%s, "
                  "holes %d, blocks %d, slowness %d, lazy %d\n",
                  p->nodes, p->per, p->naggs, (long long)p->stripe,
                  (long long)p->buffer, (long long)p->pool, (long long)p->unit,
                  (long long)p->piece, (long long)p->end,
                  p->write ? "write" : "read", p->exact ? " exact" : "",
                  p->whole ? " whole" : "", p->fresh ? " fresh" : "", p->holes,
                  p->blocks, p->slowness, p->lazy);
}

static void step_rank(struct world *w, int r)
{
    struct rank *me = &w->rank[r];

    transport.me = r;
    if (!me->done)
        me->done = adl_exchange_step(&me->x);
}

static int all_done(const struct world *w)
{
    int left = 0;

    for (int r = 0; r < w->n; r++)
        left += !w->rank[r].done;
    return left == 0;
}

/* Changes whenever anything has moved. */
static uint64_t state_of_all(const struct world *w)
{
    uint64_t sum = (uint64_t)transport.nletters + (uint64_t)transport.nreceived;

    for (int r = 0; r < w->n; r++)
        sum += w->rank[r].x.moved + (uint64_t)w->rank[r].done;
    return sum;
}

/* Every rank has its turn in the end, the lazy one rarely. The call hangs when
 * nothing moves while this process, not the machine, works for seconds. */
static void step_all(struct world *w)
{
    clock_t since = clock();
    uint64_t state = 0;

    while (!all_done(w)) {
        int r = (int)rng_in(&rng, 0, w->n - 1);

        if (r == w->plan->lazy && !rng_chance(&rng, 10))
            continue;
        step_rank(w, r);
        if (rng_chance(&rng, 5))
            sched_yield(); /* io threads */
        if (state_of_all(w) != state)
            since = clock();
        state = state_of_all(w);
        if (clock() - since > HANG_SECONDS * CLOCKS_PER_SEC) {
            print_plan(w->plan);
            fail_msg("the call hangs");
        }
    }
}

/* Returns the first error of any rank. */
static int play(struct world *w)
{
    int rc = 0;

    for (int r = 0; r < w->n; r++)
        adl_exchange_prepare(&w->rank[r].eng, &w->rank[r].acc);
    for (int r = 0; r < w->n; r++) {
        struct rank *me = &w->rank[r];

        transport.me = r;
        adl_exchange_start(&me->x, &me->eng, &me->acc, &w->terms, &me->fd);
    }
    step_all(w);
    for (int r = 0; r < w->n; r++) {
        int one = adl_exchange_end(&w->rank[r].x);

        rc = rc < 0 ? rc : one;
    }
    return rc;
}

static void check_memory(const struct world *w)
{
    for (int r = 0; r < w->n; r++) {
        const struct rank *me = &w->rank[r];

        assert_true(me->x.bytes == me->acc.sel.bytes);
        for (int64_t i = 0; i < me->tile_file.n; i++)
            for (int64_t k = 0; k < me->len[i]; k++)
                if (me->user[me->mem[i] + k] != byte_of(me->off[i] + k)) {
                    print_plan(w->plan);
                    fail_msg("rank %d: byte %lld of the file is wrong", r,
                             (long long)(me->off[i] + k));
                }
    }
}

static void check_file(const struct world *w)
{
    for (int64_t i = 0; i < DISK_SIZE; i++)
        if (disk.data[i] != w->want[i]) {
            print_plan(w->plan);
            fail_msg("byte %lld of the file is %d, not %d", (long long)i,
                     disk.data[i], w->want[i]);
        }
}

/* What a message says: all runs in whole units, of the right call. */
static int64_t unit_of_call;
static int parts_of_rank; /* that are under way, at the most */
static int longest_header;
static int largest_header, parts_alone; /* messages of the call */

static void check_parts(struct adl_message_iter *it)
{
    struct adl_part part;
    const char *pattern, *bytes;
    int rc;

    while ((rc = adl_message_next(it, &part, &pattern, &bytes)) == 1) {
        struct adl_pattern_iter runs;
        int64_t off, len, sum = 0;

        adl_pattern_open(&runs, pattern, part.pattern, DISK_SIZE);
        while (adl_pattern_next(&runs, &off, &len) == 1) {
            assert_int_equal(off % unit_of_call, 0);
            assert_int_equal(len % unit_of_call, 0);
            sum += len;
        }
        assert_int_equal(sum, part.bytes);
    }
    assert_int_equal(rc, 0);
}

static void check_message(const struct letter *l)
{
    struct adl_message_iter it;
    struct adl_message head;

    if (l->tag == ADL_TAG_HEADER) {
        assert_true(l->n <= longest_header);
        largest_header = l->n > largest_header ? (int)l->n : largest_header;
        assert_int_equal(adl_message_open(&it, l->bytes, (size_t)l->n, &head),
                         0);
        assert_int_equal(head.call, 1);
        check_parts(&it);
    } else if (l->tag >= ADL_TAG_PARTS && l->tag < ADL_TAG_REPLY) {
        parts_alone++;
        adl_message_parts(&it, l->bytes, (size_t)l->n);
        check_parts(&it);
    } else if (l->tag >= ADL_TAG_DIRECT && l->tag < ADL_TAG_PARTS) {
        assert_true(l->tag - ADL_TAG_DIRECT < parts_of_rank);
    }
}

static void play_and_check(const struct plan *plan)
{
    struct world *w;
    int rc;

    transport_begin(&rng, plan->slowness);
    w = world_begin(plan);
    transport.sent = check_message;
    unit_of_call = INT64_C(1) << w->terms.shift;
    longest_header = plan->exact && plan->end <= ADL_FEW_BYTES ? ADL_HEADER_ROOM
                                                               : ADL_HEADER_MAX;
    largest_header = parts_alone = 0;
    parts_of_rank = adl_direct_most(plan->ranks);
    rc = play(w);
    if (rc < 0)
        print_plan(plan);
    assert_int_equal(rc, 0);
    if (plan->write)
        check_file(w);
    else
        check_memory(w);
    assert_int_equal(transport_left(), 0);
    world_end(w);
}

/* ---- tests ---- */

static struct plan random_plan(void)
{
    static const int64_t stripes[] = {4096, 16384, 65536, 65536, 131072};
    static const int64_t units[] = {1, 8, 512, 512, 4096};
    struct plan p = {.nodes = (int)rng_in(&rng, 1, 3),
                     .per = (int)rng_in(&rng, 1, 3),
                     .write = rng_chance(&rng, 50),
                     .exact = rng_chance(&rng, 40),
                     .blocks = rng_chance(&rng, 50),
                     .slowness = rng_chance(&rng, 50) ? 0 : 12,
                     .lazy = -1};

    p.naggs = (int)rng_in(&rng, 1, AGGS);
    p.naggs = p.naggs < p.nodes * p.per ? p.naggs : p.nodes * p.per;
    p.stripe = stripes[rng_in(&rng, 0, 4)];
    p.buffer = p.stripe * rng_in(&rng, 1, 4);
    p.pool = 65536 << rng_in(&rng, 0, 2);
    p.unit = units[rng_in(&rng, 0, 4)];
    p.end = p.unit * rng_in(&rng, 1, (DISK_SIZE / 2) / p.unit);
    p.piece = p.unit * rng_in(&rng, 1, 20);
    while (p.piece < p.end / (PIECES / 4))
        p.piece *= 2;
    if (!p.exact)
        p.holes = (int)rng_in(&rng, 0, 60);
    p.fresh =
        getenv("ADL_CHECK_FULL") && p.write && !p.exact && rng_chance(&rng, 50);
    p.whole = !p.write && (p.exact || rng_chance(&rng, 30));
    if (rng_chance(&rng, 30))
        p.lazy = (int)rng_in(&rng, 0, p.nodes * p.per - 1);
    p.ranks = rng_chance(&rng, 50) ? p.nodes * p.per : 100000;
    return p;
}

/* Each rank has a range of the file, and memory in small pieces: nothing goes
 * without the pool. It holds a fraction of the call; the rank whose bytes the
 * aggregator waits for must always be let in. */
static void test_pool_is_full(void **unused)
{
    (void)unused;
    for (int i = 0; i < 60; i++) {
        struct plan p = {.nodes = 2,
                         .per = 1 + i % 3,
                         .naggs = 1,
                         .stripe = 65536 << i / 3 % 2,
                         .buffer = i % 7 < 4 ? 65536 : 3 * 65536,
                         .pool = 65536,
                         .unit = i % 2 ? 512 : 1,
                         .piece = i % 11 < 6 ? 2048 : 512,
                         .end = DISK_SIZE,
                         .write = i % 4 < 2,
                         .exact = i % 5 < 3,

                         .holes = i % 5 < 4 ? 0 : 10,
                         .blocks = 1,
                         .slowness = i % 7,
                         .lazy = -1};

        p.whole = !p.write && p.exact;
        p.lazy =
            rng_chance(&rng, 50) ? (int)rng_in(&rng, 0, 2 * p.per - 1) : -1;
        play_and_check(&p);
    }
}

/* Pieces that go alone. In a large job a rank has few of them under way. */
static void test_large_parts(void **unused)
{
    (void)unused;
    for (int i = 0; i < 16; i++) {
        struct plan p = {.nodes = 2,
                         .per = 1 + i % 2,
                         .naggs = 1,
                         .stripe = 131072,
                         .buffer = 131072,
                         .pool = 65536,
                         .unit = 4096,
                         .piece = 65536,
                         .end = DISK_SIZE,
                         .write = i / 2 % 2,
                         .exact = 1,
                         .blocks = 1,
                         .slowness = 12,
                         .lazy = -1,
                         .ranks = i < 8 ? 100000 : 2 + 2 * (i % 2)};

        p.whole = !p.write;
        play_and_check(&p);
    }
}

/* A few KiB of a rank travel in the header, with those of the node's other
 * rank: the call needs no second message. */
static void test_small_calls(void **unused)
{
    (void)unused;
    for (int i = 0; i < 24; i++) {
        struct plan p = {.nodes = 2,
                         .per = 2,
                         .naggs = 1,
                         .stripe = 65536,
                         .buffer = 65536,
                         .pool = 65536,
                         .unit = 512,
                         .piece = 4096,
                         .end = 4 * 4096,
                         .write = 1,
                         .exact = 1,
                         .blocks = 1,
                         .slowness = i % 7,
                         .lazy = i % 2 ? i / 2 % 4 : -1};

        play_and_check(&p);
        assert_int_equal(parts_alone, 0);
        assert_true(largest_header > ADL_HEADER_MAX);
    }
}

/* Bytes that did not come are never taken for bytes: the job ends. In a process
 * of its own, which ends as the job would. */
static void test_receive_fails(void **unused)
{
    struct plan p = {.nodes = 2,
                     .per = 2,
                     .naggs = 1,
                     .stripe = 65536,
                     .buffer = 3 * 65536,
                     .pool = 65536,
                     .unit = 512,
                     .piece = 2048,
                     .end = DISK_SIZE / 2,
                     .exact = 1,
                     .lazy = -1};

    (void)unused;
    for (int i = 0; i < 8; i++) {
        pid_t pid;
        int status;

        p.write = i % 2;
        p.whole = !p.write;
        fflush(stdout);
        pid = fork();
        if (pid == 0) {
            transport_begin(&rng, 0);
            transport.fail_at = i * 2;
            _exit(play(world_begin(&p)) < 0 ? 1 : 0);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), TRANSPORT_ABORTED);
    }
}

static void test_random(void **unused)
{
    (void)unused;
    for (int i = 0; i < 150; i++) {
        struct plan p = random_plan();

        play_and_check(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_is_full),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_small_calls),
        cmocka_unit_test(test_receive_fails),
        cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    rng = rng_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
