/* agree.c - the start and end reductions of a collective call */
#include "agree.h"

#include <errno.h>
#include <stdlib.h>

struct adl_agree {
    MPI_Op op;
    MPI_Datatype type;
};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int is_empty(const struct adl_claim *c)
{
    return c->start > c->end;
}

/* `b` = `a` followed by `b`, in rank order. */
static void merge(const struct adl_claim *a, struct adl_claim *b)
{
    if (!is_empty(a) && !is_empty(b) && b->start < a->edge)
        b->flags |= ADL_CLAIM_INTERLEAVED;
    b->flags |= a->flags;
    b->edge = max64(a->edge, b->edge);
    b->start = min64(a->start, b->start);
    b->end = max64(a->end, b->end);
    b->bytes += a->bytes;
    b->pieces += a->pieces;
    b->most = max64(a->most, b->most);
    b->least = min64(a->least, b->least);
    b->bits |= a->bits;
    b->error = a->error < b->error ? a->error : b->error;
}

static void merge_all(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct adl_claim *a = in;
    struct adl_claim *b = inout;

    (void)type;
    for (int i = 0; i < *len; i++)
        merge(&a[i], &b[i]);
}

int adl_agree_create(struct adl_agree **out)
{
    struct adl_agree *agree = malloc(sizeof(*agree));

    if (!agree)
        return -ENOMEM;
    MPI_Type_contiguous(sizeof(struct adl_claim), MPI_BYTE, &agree->type);
    MPI_Type_commit(&agree->type);
    MPI_Op_create(merge_all, 0, &agree->op);
    *out = agree;
    return 0;
}

void adl_agree_destroy(struct adl_agree *agree)
{
    if (!agree)
        return;
    MPI_Op_free(&agree->op);
    MPI_Type_free(&agree->type);
    free(agree);
}

int adl_agree_start(struct adl_agree *agree, MPI_Comm comm,
                    struct adl_claim *claim)
{
    struct adl_claim mine = *claim;

    if (MPI_Allreduce(&mine, claim, 1, agree->type, agree->op, comm))
        return -EIO;
    return 0;
}

int adl_agree_istart(struct adl_agree *agree, MPI_Comm comm,
                     const struct adl_claim *mine, struct adl_claim *all,
                     MPI_Request *request)
{
    if (MPI_Iallreduce(mine, all, 1, agree->type, agree->op, comm, request))
        return -EIO;
    return 0;
}

int adl_agree_end(MPI_Comm comm, int rc)
{
    int worst;

    if (MPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, comm))
        return -EIO;
    return worst;
}
