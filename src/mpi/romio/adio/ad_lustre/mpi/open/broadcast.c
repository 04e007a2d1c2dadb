/* broadcast.c - what rank 0 sends to all ranks at open, in one broadcast */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "broadcast.h"

#include "aggregators.h"
#include "../file/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes whose number only rank 0 knows ---- */

#define ROOM 8184

struct first {
    int word;
    uint32_t total;
    char bytes[ROOM];
};

static void send_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb)
{
    struct first first;

    *word = sb->err < 0 && *word >= 0 ? sb->err : *word;
    memset(&first, 0, sizeof(first));
    first.word = *word;
    first.total = *word < 0 ? 0 : (uint32_t)sb->len;
    if (first.total > 0)
        memcpy(first.bytes, sb->text, sb->len < ROOM ? sb->len : ROOM);
    PMPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, comm);
    if (first.total > ROOM)
        PMPI_Bcast(sb->text + ROOM, (int)(sb->len - ROOM), MPI_BYTE, 0, comm);
}

static void receive_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb)
{
    struct first first;
    char *rest;

    PMPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, comm);
    *word = first.word;
    adl_strbuf_add(sb, first.bytes, first.total < ROOM ? first.total : ROOM);
    if (first.total > ROOM) {
        rest = ADIOI_Malloc(first.total - ROOM);
        PMPI_Bcast(rest, (int)(first.total - ROOM), MPI_BYTE, 0, comm);
        adl_strbuf_add(sb, rest, first.total - ROOM);
        ADIOI_Free(rest);
    }
}

/* Collective. All ranks get the contents of rank 0's `sb` (their own is empty
 * before) and of its *word: below 0 it is an error, also that of sb, and
 * there are no bytes. The first broadcast has a fixed size and is mostly the
 * only one; what does not fit (thousands of nodes, stripes or aggregators)
 * follows in a second. Afterwards sb->err (own): the bytes found no memory
 * here. */
static void bcast_bytes(MPI_Comm comm, int *word, struct adl_strbuf *sb)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        send_bytes(comm, word, sb);
    else
        receive_bytes(comm, word, sb);
}

/* ---- what they are ---- */

struct head {
    uint64_t hints_len, layout_len, map_len;
    struct adl_layout_defaults layout_def;
    struct adl_verdict verdict;
    struct adl_env env;
    int naggs;
    int on_lustre;
    int seeks, gathered, ahead;
    int gid, fill_gid;
    int64_t reach;
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
    if (adl_layout_encode(f->layout, &blob, &len))
        sb->err = -ENOMEM;
    adl_strbuf_add(sb, blob, len);
    head->layout_len = len;
    head->layout_def = *adl_layout_defaults(f->layout);
    free(blob);
    head->naggs = f->aggs.count;
    adl_strbuf_add(sb, f->aggs.rank, sizeof(int) * f->aggs.count);
    adl_strbuf_add(sb, f->aggs.node, sizeof(int) * f->aggs.count);
    before = sb->len;
    adl_team_tell(f->team, sb);
    head->map_len = sb->len - before;
}

/* Local, rank 0. */
static void pack(const struct adl_file *f, const struct adl_verdict *verdict,
                 struct adl_strbuf *sb)
{
    struct head head = {.verdict = *verdict,
                        .env = f->env,
                        .on_lustre = f->on_lustre,
                        .seeks = f->seeks,
                        .gathered = f->gathered,
                        .ahead = f->ahead,
                        .gid = f->gid,
                        .fill_gid = f->fill_gid,
                        .reach = f->reach};

    adl_strbuf_add(sb, &head, sizeof(head));
    pack_body(f, &head, sb);
    if (!sb->err)
        memcpy(sb->text, &head, sizeof(head));
}

/* Local. `body` is what follows the head. */
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
    rc = adl_layout_decode(body + head->hints_len, head->layout_len,
                           &head->layout_def, &f->layout, &err);
    if (rc < 0)
        return rc;
    f->env = head->env;
    f->on_lustre = head->on_lustre;
    f->seeks = head->seeks;
    f->gathered = head->gathered;
    f->ahead = head->ahead;
    f->gid = head->gid;
    f->fill_gid = head->fill_gid;
    f->reach = head->reach;
    rc = adl_aggregators_take(f, head->naggs, aggs, aggs + aggs_len);
    return rc < 0 ? rc
                  : adl_team_hear(f->team, f->comm, aggs + 2 * aggs_len,
                                  head->map_len);
}

int adl_broadcast_bcast(struct adl_file *f, struct adl_verdict *verdict)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int rc = verdict->rc;
    struct head head;

    if (f->nprocs == 1)
        return f->hints.incomplete ? -ENOMEM : 0;
    if (f->rank == 0 && rc == 0)
        pack(f, verdict, &sb);
    bcast_bytes(f->comm, &rc, &sb);
    verdict->rc = rc;
    if (rc == 0 && f->rank != 0)
        rc = sb.err;
    if (rc == 0 && f->rank != 0) {
        memcpy(&head, sb.text, sizeof(head));
        *verdict = head.verdict;
        rc = unpack(f, &head, sb.text + sizeof(head));
        f->nodes = f->team->nodes;
    }
    adl_strbuf_release(&sb);
    return rc;
}
