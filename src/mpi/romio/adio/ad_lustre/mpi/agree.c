/* agree.c - the start and end agreements of a collective call */
#include "agree.h"

#include <errno.h>
#include <stdlib.h>

#include "progress.h"

struct adl_agree {
    MPI_Comm comm;
    struct adl_segment *seg;
    MPI_Comm leaders; /* COMM_NULL: one node, or not a leader */
    MPI_Op op;
    MPI_Datatype type;
    int nnodes;
    uint32_t turn; /* the meeting's bell when we came */
    int reducing;  /* leader: the reduction is under way */
    MPI_Request request;
    struct adl_claim node; /* leader: its node's, being reduced */
};

static void merge_all(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct adl_claim *a = in;
    struct adl_claim *b = inout;

    (void)type;
    for (int i = 0; i < *len; i++)
        adl_claim_merge(&a[i], &b[i]);
}

int adl_agree_create(MPI_Comm comm, int nnodes, struct adl_segment *seg,
                     struct adl_agree **out)
{
    struct adl_agree *agree = calloc(1, sizeof(*agree));
    int leads = seg->rank == 0 && nnodes > 1;

    if (adl_agree_plain(comm, agree ? 0 : -ENOMEM) < 0) {
        free(agree);
        return -ENOMEM;
    }
    agree->comm = comm;
    agree->seg = seg;
    agree->nnodes = nnodes;
    agree->leaders = MPI_COMM_NULL;
    agree->request = MPI_REQUEST_NULL;
    if (nnodes > 1)
        PMPI_Comm_split(comm, leads ? 0 : MPI_UNDEFINED, 0, &agree->leaders);
    PMPI_Type_contiguous(sizeof(struct adl_claim), MPI_BYTE, &agree->type);
    PMPI_Type_commit(&agree->type);
    PMPI_Op_create(merge_all, 0, &agree->op);
    *out = agree;
    return 0;
}

void adl_agree_destroy(struct adl_agree *agree)
{
    if (!agree)
        return;
    if (agree->leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&agree->leaders);
    PMPI_Op_free(&agree->op);
    PMPI_Type_free(&agree->type);
    free(agree);
}

/* In order of ranks, as merging wants it. */
static struct adl_claim merge_node(const struct adl_segment *seg)
{
    struct adl_claim sum = seg->seat[0]->claim;

    for (int r = 1; r < seg->size; r++) {
        struct adl_claim next = seg->seat[r]->claim;

        adl_claim_merge(&sum, &next);
        sum = next;
    }
    return sum;
}

/* Everybody has come and reads the result before coming again, so that
 * nothing here is overwritten too early. */
static void conclude(struct adl_meeting *m, const struct adl_claim *result)
{
    m->result = *result;
    __atomic_store_n(&m->arrived, 0, __ATOMIC_SEQ_CST);
    adl_bell_ring(&m->done);
}

void adl_agree_begin(struct adl_agree *agree, const struct adl_claim *mine)
{
    struct adl_segment *seg = agree->seg;
    struct adl_meeting *m = seg->meeting;
    struct adl_claim all;
    int n;

    seg->seat[seg->rank]->claim = *mine;
    agree->turn = adl_bell_read(&m->done);
    n = __atomic_add_fetch(&m->arrived, 1, __ATOMIC_SEQ_CST);
    if (n < seg->size)
        return;
    if (agree->nnodes == 1) {
        all = merge_node(seg);
        conclude(m, &all);
    } else {
        adl_bell_ring(&m->complete);
    }
}

/* Leader: reduce with the other leaders once the node is complete. 1: the
 * result is there. */
static int lead(struct adl_agree *agree, struct adl_claim *all)
{
    struct adl_segment *seg = agree->seg;
    struct adl_meeting *m = seg->meeting;

    if (!agree->reducing) {
        if (__atomic_load_n(&m->arrived, __ATOMIC_SEQ_CST) < seg->size)
            return 0;
        agree->node = merge_node(seg);
        PMPI_Iallreduce(MPI_IN_PLACE, &agree->node, 1, agree->type, agree->op,
                        agree->leaders, &agree->request);
        agree->reducing = 1;
    }
    if (!adl_progress_test(&agree->request, MPI_STATUS_IGNORE))
        return 0;
    agree->reducing = 0;
    *all = agree->node;
    conclude(m, all);
    return 1;
}

int adl_agree_test(struct adl_agree *agree, struct adl_claim *all)
{
    struct adl_meeting *m = agree->seg->meeting;

    if (agree->leaders != MPI_COMM_NULL)
        return lead(agree, all);
    if (adl_bell_read(&m->done) == agree->turn)
        return 0;
    *all = m->result;
    return 1;
}

/* The bell that announces what this rank waits for; NULL: it waits for MPI. */
static struct adl_bell *awaited(const struct adl_agree *agree)
{
    struct adl_meeting *m = agree->seg->meeting;

    if (agree->leaders == MPI_COMM_NULL)
        return &m->done;
    return agree->reducing ? NULL : &m->complete;
}

/* Somebody who has not come yet may be waiting for a message that we began to
 * send before this call, or for another call of ours: pause. */
void adl_agree_on(struct adl_agree *agree, struct adl_claim *claim)
{
    struct adl_pause pause;

    adl_agree_begin(agree, claim);
    adl_pause_begin(&pause, agree->comm, agree->seg->size);
    for (;;) {
        struct adl_bell *bell = awaited(agree);
        uint32_t seen = bell ? adl_bell_read(bell) : 0;

        if (adl_agree_test(agree, claim))
            return;
        adl_pause(&pause, bell, seen);
    }
}

int adl_agree_error(struct adl_agree *agree, int rc)
{
    struct adl_claim claim = {.start = INT64_MAX, .error = rc};

    adl_agree_on(agree, &claim);
    return claim.error;
}

int adl_agree_plain(MPI_Comm comm, int rc)
{
    int worst;

    if (PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, comm))
        return -EIO;
    return worst;
}
