/* agree.c - small reductions among all ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "agree.h"

#include <errno.h>
#include <stdlib.h>

#include "../../core/text/minmax.h"
#include "../../sys/atomic.h"

struct adl_agree {
    struct adl_segment *seg;
    struct adl_reduce *leaders; /* NULL: one node, or not a leader */
    int nnodes;
    enum adl_agree_kind kind;
    uint32_t turn;        /* the node's bell `done` when we came */
    uint32_t gathering;   /* ... and `complete` */
    int reducing;         /* leader: the reduction is under way */
    union adl_words node; /* leader: its node's, being reduced */
};

/* ---- merging ---- */

static void merge_claims(const void *a, void *b)
{
    adl_claim_merge(a, b);
}

static void merge_outcomes(const void *a, void *b)
{
    adl_outcome_merge(a, b);
}

static void merge_least(const void *a, void *b)
{
    const int64_t *lower = a;
    int64_t *sum = b;

    for (int i = 0; i < ADL_LEAST_WORDS; i++)
        sum[i] = adl_min(lower[i], sum[i]);
}

static adl_reduce_merge *const merge[ADL_AGREE_KINDS] = {
    merge_claims, merge_outcomes, merge_least};
static const int size[ADL_AGREE_KINDS] = {sizeof(struct adl_claim),
                                          sizeof(struct adl_outcome),
                                          sizeof(int64_t[ADL_LEAST_WORDS])};

_Static_assert(sizeof(union adl_words) <= ADL_REDUCE_BYTES, "words");

/* In order of ranks, as merging wants it. */
static void merge_node(const struct adl_segment *seg, enum adl_agree_kind kind,
                       union adl_words *sum)
{
    *sum = seg->seat[0].words;
    for (int r = 1; r < seg->size; r++) {
        union adl_words next = seg->seat[r].words;

        merge[kind](sum, &next);
        *sum = next;
    }
}

/* ---- */

int adl_agree_create(struct adl_segment *seg, int nnodes,
                     struct adl_reduce *leaders, struct adl_agree **out)
{
    struct adl_agree *agree = calloc(1, sizeof(*agree));

    if (!agree)
        return -ENOMEM;
    agree->seg = seg;
    agree->nnodes = nnodes;
    agree->leaders = leaders;
    *out = agree;
    return 0;
}

void adl_agree_destroy(struct adl_agree *agree)
{
    free(agree);
}

/* All ranks have come, and each reads the result before it comes again, so that
 * nothing here is overwritten too early. */
static void conclude(struct adl_node_state *m, const union adl_words *result)
{
    m->result = *result;
    __atomic_store_n(&m->arrived, 0, __ATOMIC_SEQ_CST);
    adl_bell_ring(&m->done);
}

void adl_agree_begin(struct adl_agree *agree, enum adl_agree_kind kind,
                     const union adl_words *mine)
{
    struct adl_segment *seg = agree->seg;
    struct adl_node_state *m = seg->node;
    union adl_words all;
    int n;

    agree->kind = kind;
    seg->seat[seg->rank].words = *mine;
    agree->turn = adl_bell_read(&m->done);
    agree->gathering = adl_bell_read(&m->complete);
    adl_atomic_store(&seg->seat[seg->rank].came, seg->seat[seg->rank].came + 1);
    n = __atomic_add_fetch(&m->arrived, 1, __ATOMIC_SEQ_CST);
    if (n < seg->size)
        return;
    if (agree->nnodes == 1) {
        merge_node(seg, kind, &all);
        conclude(m, &all);
    } else {
        adl_bell_ring(&m->complete);
    }
}

static int node_is_complete(const struct adl_agree *agree)
{
    return __atomic_load_n(&agree->seg->node->arrived, __ATOMIC_SEQ_CST) ==
           agree->seg->size;
}

/* Leader: reduce with the other leaders once the node is complete. 1: the
 * result is there. */
static int reduce_words(struct adl_agree *agree, union adl_words *all)
{
    if (!agree->reducing) {
        if (!node_is_complete(agree))
            return 0;
        merge_node(agree->seg, agree->kind, &agree->node);
        adl_reduce_begin(agree->leaders, &agree->node, size[agree->kind],
                         merge[agree->kind]);
        agree->reducing = 1;
    }
    if (!adl_reduce_test(agree->leaders))
        return 0;
    agree->reducing = 0;
    *all = agree->node;
    conclude(agree->seg->node, all);
    return 1;
}

int adl_agree_test(struct adl_agree *agree, union adl_words *all)
{
    struct adl_node_state *m = agree->seg->node;

    if (agree->leaders)
        return reduce_words(agree, all);
    if (adl_bell_read(&m->done) == agree->turn)
        return 0;
    *all = m->result;
    return 1;
}

int adl_agree_steps(const struct adl_agree *agree)
{
    return agree->reducing ? 1 + agree->leaders->at : 0;
}

/* `seen` is of the time when this rank came; only the leader of several nodes
 * has to look again. */
struct adl_bell *adl_agree_bell(struct adl_agree *agree, uint32_t *seen)
{
    struct adl_node_state *m = agree->seg->node;

    if (!agree->leaders) {
        *seen = agree->turn;
        return &m->done;
    }
    if (agree->reducing)
        return NULL;
    *seen = agree->gathering;
    return &m->complete;
}

/* ---- words ---- */

/* Enough to find one; a node may have hundreds. */
enum { NAMES = 16 };

static void describe_node(const struct adl_segment *seg, struct adl_strbuf *sb)
{
    int64_t turn = seg->seat[seg->rank].came;
    int missing = 0;

    for (int r = 0; r < seg->size; r++) {
        if (adl_atomic_load(&seg->seat[r].came) >= turn)
            continue;
        if (missing++ < NAMES)
            adl_strbuf_printf(sb, "%s %lld", missing == 1 ? " rank" : ",",
                              (long long)seg->seat[r].rank);
    }
    adl_strbuf_printf(sb, " (%d of %d ranks of this node) to come", missing,
                      seg->size);
}

void adl_agree_describe(const struct adl_agree *agree, struct adl_strbuf *sb)
{
    adl_strbuf_puts(sb, ": waits for");
    if (!node_is_complete(agree))
        describe_node(agree->seg, sb);
    else if (agree->reducing)
        adl_reduce_describe(agree->leaders, sb);
    else
        adl_strbuf_printf(sb, " rank %lld, which asks the other nodes",
                          (long long)agree->seg->seat[0].rank);
}

int adl_agree_plain(MPI_Comm comm, int rc)
{
    int worst;

    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, comm);
    return worst;
}
