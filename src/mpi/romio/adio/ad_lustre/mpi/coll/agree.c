/* agree.c - the start and end agreements of a collective call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "agree.h"

#include <errno.h>
#include <stdlib.h>

#include "../progress/progress.h"

struct adl_agree {
    struct adl_segment *seg;
    MPI_Comm leaders; /* COMM_NULL: one node, or not a leader */
    MPI_Op op[ADL_AGREE_KINDS];
    MPI_Datatype type[ADL_AGREE_KINDS];
    int nnodes;
    enum adl_agree_kind kind;
    uint32_t turn;      /* the meeting's bell `done` when we came */
    uint32_t gathering; /* ... and `complete` */
    int reducing;       /* leader: the reduction is under way */
    MPI_Request request;
    union adl_words node; /* leader: its node's, being reduced */
};

/* ---- merging ---- */

static void merge_claims(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct adl_claim *a = in;
    struct adl_claim *b = inout;

    (void)type;
    for (int i = 0; i < *len; i++)
        adl_claim_merge(&a[i], &b[i]);
}

static void merge_outcomes(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct adl_outcome *a = in;
    struct adl_outcome *b = inout;

    (void)type;
    for (int i = 0; i < *len; i++)
        adl_outcome_merge(&a[i], &b[i]);
}

static MPI_User_function *const merge[ADL_AGREE_KINDS] = {merge_claims,
                                                          merge_outcomes};
static const int size[ADL_AGREE_KINDS] = {sizeof(struct adl_claim),
                                          sizeof(struct adl_outcome)};

/* In order of ranks, as merging wants it. */
static void merge_node(const struct adl_segment *seg, enum adl_agree_kind kind,
                       union adl_words *sum)
{
    int one = 1;

    *sum = seg->seat[0].words;
    for (int r = 1; r < seg->size; r++) {
        union adl_words next = seg->seat[r].words;

        merge[kind](sum, &next, &one, NULL);
        *sum = next;
    }
}

/* ---- */

int adl_agree_create(struct adl_segment *seg, int nnodes, MPI_Comm leaders,
                     struct adl_agree **out)
{
    struct adl_agree *agree = calloc(1, sizeof(*agree));

    if (!agree)
        return -ENOMEM;
    agree->seg = seg;
    agree->nnodes = nnodes;
    agree->leaders = leaders;
    agree->request = MPI_REQUEST_NULL;
    for (int k = 0; leaders != MPI_COMM_NULL && k < ADL_AGREE_KINDS; k++) {
        PMPI_Type_contiguous(size[k], MPI_BYTE, &agree->type[k]);
        PMPI_Type_commit(&agree->type[k]);
        PMPI_Op_create(merge[k], 0, &agree->op[k]);
    }
    *out = agree;
    return 0;
}

void adl_agree_destroy(struct adl_agree *agree)
{
    if (!agree)
        return;
    for (int k = 0; agree->leaders != MPI_COMM_NULL && k < ADL_AGREE_KINDS;
         k++) {
        PMPI_Op_free(&agree->op[k]);
        PMPI_Type_free(&agree->type[k]);
    }
    free(agree);
}

/* Everybody has come and reads the result before coming again, so that
 * nothing here is overwritten too early. */
static void conclude(struct adl_meeting *m, const union adl_words *result)
{
    m->result = *result;
    __atomic_store_n(&m->arrived, 0, __ATOMIC_SEQ_CST);
    adl_bell_ring(&m->done);
}

void adl_agree_begin(struct adl_agree *agree, enum adl_agree_kind kind,
                     const union adl_words *mine)
{
    struct adl_segment *seg = agree->seg;
    struct adl_meeting *m = seg->meeting;
    union adl_words all;
    int n;

    agree->kind = kind;
    seg->seat[seg->rank].words = *mine;
    agree->turn = adl_bell_read(&m->done);
    agree->gathering = adl_bell_read(&m->complete);
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
    return __atomic_load_n(&agree->seg->meeting->arrived, __ATOMIC_SEQ_CST) ==
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
        PMPI_Iallreduce(MPI_IN_PLACE, &agree->node, 1, agree->type[agree->kind],
                        agree->op[agree->kind], agree->leaders,
                        &agree->request);
        agree->reducing = 1;
    }
    if (!adl_progress_test(&agree->request, MPI_STATUS_IGNORE))
        return 0;
    agree->reducing = 0;
    *all = agree->node;
    conclude(agree->seg->meeting, all);
    return 1;
}

int adl_agree_test(struct adl_agree *agree, union adl_words *all)
{
    struct adl_meeting *m = agree->seg->meeting;

    if (agree->leaders != MPI_COMM_NULL)
        return reduce_words(agree, all);
    if (adl_bell_read(&m->done) == agree->turn)
        return 0;
    *all = m->result;
    return 1;
}

/* `seen` is of the time when this rank came; only the leader of several nodes
 * has to look again. */
struct adl_bell *adl_agree_bell(struct adl_agree *agree, uint32_t *seen)
{
    struct adl_meeting *m = agree->seg->meeting;

    if (agree->leaders == MPI_COMM_NULL) {
        *seen = agree->turn;
        return &m->done;
    }
    if (agree->reducing)
        return NULL;
    *seen = agree->gathering;
    return &m->complete;
}

int adl_agree_plain(MPI_Comm comm, int rc)
{
    int worst;

    if (PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, comm))
        return -EIO;
    return worst;
}
