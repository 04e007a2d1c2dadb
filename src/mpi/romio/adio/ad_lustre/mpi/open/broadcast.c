/* broadcast.c - what rank 0 tells all others at open, in one broadcast */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "broadcast.h"

#include "aggregators.h"
#include "bcast.h"
#include "../file/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct head {
    uint64_t hints_len, layout_len, map_len;
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
    if (adl_layout_pack(f->layout, &blob, &len))
        sb->err = -ENOMEM;
    adl_strbuf_add(sb, blob, len);
    head->layout_len = len;
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
    rc = adl_layout_unpack(body + head->hints_len, head->layout_len, &f->layout,
                           &err);
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
        return 0;
    if (f->rank == 0 && rc == 0)
        pack(f, verdict, &sb);
    adl_bcast_bytes(f->comm, &rc, &sb);
    verdict->rc = rc;
    if (rc == 0 && f->rank != 0)
        rc = sb.err;
    if (rc == 0 && f->rank != 0) {
        memcpy(&head, sb.text, sizeof(head));
        *verdict = head.verdict;
        rc = unpack(f, &head, sb.text + sizeof(head));
        adl_aggregators_nodes(f);
    }
    adl_strbuf_release(&sb);
    return rc;
}
