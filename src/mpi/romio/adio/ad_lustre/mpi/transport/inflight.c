/* inflight.c - a list of active MPI requests, each with a number */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "inflight.h"

#include "../progress/progress.h"

static MPI_Request *add_request(struct adl_inflight *f, int id)
{
    f->id[f->n] = id;
    f->wire->ticks++;
    return &f->request[f->n++];
}

void adl_inflight_send(struct adl_inflight *f, int id, const void *buf,
                       int64_t bytes, int to, int tag, int sync)
{
    MPI_Request *request = add_request(f, id);

    if (sync)
        PMPI_Issend(buf, (int)bytes, MPI_BYTE, to, tag, *f->wire->comm,
                    request);
    else
        PMPI_Isend(buf, (int)bytes, MPI_BYTE, to, tag, *f->wire->comm, request);
}

void adl_inflight_receive(struct adl_inflight *f, int id, void *buf,
                          int64_t bytes, int from, int tag)
{
    PMPI_Irecv(buf, (int)bytes, MPI_BYTE, from, tag, *f->wire->comm,
               add_request(f, id));
}

static void remove_done(struct adl_inflight *f)
{
    int left = 0;

    for (int i = 0; i < f->n; i++)
        if (f->request[i] != MPI_REQUEST_NULL) {
            f->request[left] = f->request[i];
            f->id[left++] = f->id[i];
        }
    f->n = left;
}

int adl_inflight_poll(struct adl_inflight *f, struct adl_arrival *out)
{
    MPI_Status status[ADL_INFLIGHT];
    int index[ADL_INFLIGHT], n;

    if (f->n == 0)
        return 0;
    n = adl_progress_test_some(f->n, f->request, index, status);
    for (int i = 0; i < n; i++)
        out[i] = (struct adl_arrival){f->id[index[i]], status[i]};
    if (n > 0)
        remove_done(f);
    f->wire->ticks += (uint64_t)n;
    return n;
}

int adl_inflight_bytes(const struct adl_arrival *a)
{
    int n = 0;

    PMPI_Get_count(&a->status, MPI_BYTE, &n);
    return n;
}

void adl_inflight_cancel(struct adl_inflight *f)
{
    MPI_Status status;

    for (int i = 0; i < f->n; i++) {
        PMPI_Cancel(&f->request[i]);
        while (!adl_progress_test(&f->request[i], &status))
            ;
    }
    f->n = 0;
}
