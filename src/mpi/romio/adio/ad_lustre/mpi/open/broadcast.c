/* broadcast.c - what rank 0 tells all others at open, in one broadcast */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "broadcast.h"

#include "aggregators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 8192

struct head {
    uint64_t total; /* bytes, head included */
    uint64_t hints_len, layout_len;
    struct adl_verdict verdict;
    struct adl_env env;
    int naggs;
    int on_lustre;
    int seeks, gathered;
    int gid;
};

/* Local, rank 0. */
static void pack_body(const struct adl_file *f, struct head *head,
                      struct adl_strbuf *sb)
{
    void *blob = NULL;
    size_t len = 0, before = sb->len;

    if (adl_hints_pack(&f->hints, sb))
        sb->err = -ENOMEM;
    head->hints_len = sb->len - before;
    if (adl_layout_pack(f->layout, &blob, &len))
        sb->err = -ENOMEM;
    adl_strbuf_add(sb, blob, len);
    head->layout_len = len;
    free(blob);
    head->naggs = f->aggs.count;
    adl_strbuf_add(sb, f->aggs.rank, sizeof(int) * f->aggs.count);
    adl_strbuf_add(sb, f->aggs.node, sizeof(int) * f->aggs.count);
}

/* Local, rank 0. At least FIRST_BYTES long. */
static void pack(const struct adl_file *f, const struct adl_verdict *verdict,
                 struct adl_strbuf *sb)
{
    static const char zero[FIRST_BYTES];
    struct head head = {.verdict = *verdict,
                        .env = f->env,
                        .on_lustre = f->on_lustre,
                        .seeks = f->seeks,
                        .gathered = f->gathered,
                        .gid = f->gid};

    adl_strbuf_add(sb, &head, sizeof(head));
    if (verdict->rc == 0)
        pack_body(f, &head, sb);
    head.total = sb->len;
    if (sb->len < FIRST_BYTES)
        adl_strbuf_add(sb, zero, FIRST_BYTES - sb->len);
    if (!sb->err)
        memcpy(sb->text, &head, sizeof(head));
}

/* Local. `body` is what follows the head; it has head->total bytes with it. */
static int unpack(struct adl_file *f, const struct head *head, const char *body)
{
    size_t aggs_len = sizeof(int) * head->naggs;
    const char *aggs = body + head->hints_len + head->layout_len;
    struct adl_err err;
    int rc;

    rc = adl_hints_unpack(&f->hints, body, head->hints_len);
    if (rc < 0)
        return rc;
    adl_layout_destroy(f->layout);
    f->layout = NULL;
    rc = adl_layout_unpack(body + head->hints_len, head->layout_len, &f->layout,
                           &err);
    if (rc < 0)
        return rc;
    f->env = head->env;
    f->on_lustre = head->on_lustre;
    f->seeks = head->seeks;
    f->gathered = head->gathered;
    f->gid = head->gid;
    return adl_place_take(f, head->naggs, aggs, aggs + aggs_len);
}

/* Collective. The rest after the first bytes; `sb` has room for everything. */
static void bcast_rest(const struct adl_file *f, char *buf, size_t total)
{
    if (total > FIRST_BYTES)
        PMPI_Bcast(buf + FIRST_BYTES, total - FIRST_BYTES, MPI_BYTE, 0,
                   f->comm);
}

/* Collective, rank 0's part. Without memory the message is the head alone. */
static void send_all(struct adl_file *f, struct adl_verdict *verdict)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    char small[FIRST_BYTES] = {0};
    struct head head = {.total = sizeof(head)};

    pack(f, verdict, &sb);
    if (sb.err) {
        verdict->rc = sb.err;
        head.verdict = *verdict;
        memcpy(small, &head, sizeof(head));
        PMPI_Bcast(small, FIRST_BYTES, MPI_BYTE, 0, f->comm);
    } else {
        memcpy(&head, sb.text, sizeof(head));
        PMPI_Bcast(sb.text, FIRST_BYTES, MPI_BYTE, 0, f->comm);
        bcast_rest(f, sb.text, head.total);
    }
    adl_strbuf_release(&sb);
}

/* Collective, the others' part. */
static int receive(struct adl_file *f, struct adl_verdict *verdict)
{
    char first[FIRST_BYTES], *all = first, *more = NULL;
    struct head head;
    int rc = 0;

    PMPI_Bcast(first, FIRST_BYTES, MPI_BYTE, 0, f->comm);
    memcpy(&head, first, sizeof(head));
    *verdict = head.verdict;
    if (head.total > FIRST_BYTES) {
        all = more = ADIOI_Malloc(head.total);
        memcpy(all, first, FIRST_BYTES);
        bcast_rest(f, all, head.total);
    }
    if (verdict->rc == 0)
        rc = unpack(f, &head, all + sizeof(head));
    if (more)
        ADIOI_Free(more);
    return rc;
}

int adl_broadcast_bcast(struct adl_file *f, struct adl_verdict *verdict)
{
    if (f->nprocs == 1)
        return 0;
    if (f->rank != 0)
        return receive(f, verdict);
    send_all(f, verdict);
    return 0;
}
