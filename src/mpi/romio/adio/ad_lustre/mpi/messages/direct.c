/* direct.c - large parts between a rank's memory and an aggregator elsewhere
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "direct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/messages/message.h"
#include "../progress/progress.h"

#define ITEMS 32 /* under way at a time */

/* Memory that grows and is kept. */
struct buffer {
    char *at;
    size_t room;
};

struct item {
    struct buffer words; /* the message that says which runs */
    struct buffer stage; /* reading: where the bytes come first */
    int64_t start, end;  /* file offsets: first byte, end of the cell */
    int staged;
    char *user;
    struct adl_extents ext;
};

struct adl_direct {
    struct adl_peers peers;
    struct adl_traffic traffic;
    uint64_t ticks;
    int busy;
    int pending[ITEMS]; /* requests that are not complete: 0, 1 or 2 */
    struct item item[ITEMS];
    MPI_Request req[2 * ITEMS]; /* words and bytes of each */
    MPI_Status status[2 * ITEMS];
};

int adl_direct_create(const struct adl_peers *peers, struct adl_direct **out)
{
    struct adl_direct *d = calloc(1, sizeof(*d));

    if (!d)
        return -ENOMEM;
    d->peers = *peers;
    for (int i = 0; i < 2 * ITEMS; i++)
        d->req[i] = MPI_REQUEST_NULL;
    *out = d;
    return 0;
}

void adl_direct_destroy(struct adl_direct *d)
{
    if (!d)
        return;
    for (int i = 0; i < ITEMS; i++) {
        free(d->item[i].words.at);
        free(d->item[i].stage.at);
    }
    free(d);
}

int adl_direct_has_room(const struct adl_direct *d)
{
    return d->busy < ITEMS;
}

int adl_direct_busy(const struct adl_direct *d)
{
    return d->busy > 0;
}

static int free_item(const struct adl_direct *d)
{
    int i = 0;

    while (d->pending[i])
        i++;
    return i;
}

static void begin_item(struct adl_direct *d, int i,
                       const struct adl_direct_of *of,
                       const struct adl_pack *pack)
{
    struct item *it = &d->item[i];

    it->start = pack->start;
    it->end = of->cell->end;
    it->user = of->user;
    it->ext = *of->ext;
    it->staged = 0;
    d->pending[i] = 2;
    d->busy++;
    d->ticks++;
    d->traffic.messages++;
    d->traffic.large++;
    d->traffic.bytes += pack->bytes;
}

static int grow(struct buffer *buf, size_t size)
{
    char *at;

    if (buf->room >= size)
        return 0;
    at = realloc(buf->at, size);
    if (!at)
        return -ENOMEM;
    buf->at = at;
    buf->room = size;
    return 0;
}

static struct adl_part part_of(int i, enum adl_part_kind kind,
                               const struct adl_pack *pack)
{
    return (struct adl_part){.kind = kind,
                             .tag = ADL_TAG_BYTES + i,
                             .pattern = (uint32_t)pack->pattern_size,
                             .bytes = pack->bytes};
}

static void send_words(struct adl_direct *d, int i, const struct adl_part *part,
                       const struct adl_direct_of *of,
                       const struct adl_pack *pack)
{
    struct adl_message head = {of->call, of->cell->window};
    char *words = d->item[i].words.at;

    memcpy(words, &head, sizeof(head));
    adl_part_put(words + sizeof(head), part, pack->pattern);
    PMPI_Isend(words, (int)(sizeof(head) + adl_part_size(part)), MPI_BYTE,
               d->peers.agg_rank[of->cell->owner],
               adl_tag_window(of->cell->window), *d->peers.comm,
               &d->req[2 * i]);
}

/* Room for what says which runs. */
static int make_words(struct adl_direct *d, int i, const struct adl_part *part)
{
    return grow(&d->item[i].words,
                sizeof(struct adl_message) + adl_part_size(part));
}

/* Synchronous, as in outbox.c. */
int adl_direct_send(struct adl_direct *d, const struct adl_direct_of *of,
                    const struct adl_pack *pack)
{
    int i = free_item(d);
    struct adl_part part = part_of(i, ADL_PART_APART, pack);

    if (make_words(d, i, &part) < 0)
        return -ENOMEM;
    begin_item(d, i, of, pack);
    send_words(d, i, &part, of, pack);
    PMPI_Issend(of->user + pack->mem, (int)pack->bytes, MPI_BYTE,
                d->peers.agg_rank[of->cell->owner], ADL_TAG_BYTES + i,
                *d->peers.comm, &d->req[2 * i + 1]);
    return 0;
}

int adl_direct_read(struct adl_direct *d, const struct adl_direct_of *of,
                    const struct adl_pack *pack)
{
    int i = free_item(d);
    struct adl_part part = part_of(i, ADL_PART_WISH, pack);
    struct item *it = &d->item[i];

    if (make_words(d, i, &part) < 0 ||
        (!pack->contig && grow(&it->stage, (size_t)pack->bytes) < 0))
        return -ENOMEM;
    begin_item(d, i, of, pack);
    it->staged = !pack->contig;
    PMPI_Irecv(it->staged ? it->stage.at : of->user + pack->mem,
               (int)pack->bytes, MPI_BYTE, d->peers.agg_rank[of->cell->owner],
               ADL_TAG_BYTES + i, *d->peers.comm, &d->req[2 * i + 1]);
    send_words(d, i, &part, of, pack);
    return 0;
}

/* The bytes of an item came, as far as the file has them. */
static int64_t take_item(struct adl_direct *d, int i, MPI_Status *status)
{
    struct item *it = &d->item[i];
    int got = 0;

    PMPI_Get_count(status, MPI_BYTE, &got);
    if (it->staged) {
        adl_pack_to_user(&it->ext, it->end, it->user, it->stage.at, got);
        d->traffic.copied += got;
    }
    return got;
}

int64_t adl_direct_step(struct adl_direct *d)
{
    int n, index[2 * ITEMS];
    int64_t bytes = 0;

    if (!d->busy)
        return 0;
    n = adl_progress_test_some(2 * ITEMS, d->req, index, d->status);
    for (int k = 0; k < n; k++) {
        int i = index[k] / 2;

        d->ticks++;
        if (index[k] % 2)
            bytes += take_item(d, i, &d->status[k]);
        if (--d->pending[i] == 0)
            d->busy--;
    }
    return bytes;
}

int64_t adl_direct_lowest(const struct adl_direct *d)
{
    int64_t low = INT64_MAX;

    for (int i = 0; d->busy && i < ITEMS; i++)
        if (d->pending[i] && d->item[i].start < low)
            low = d->item[i].start;
    return low;
}

void adl_direct_count(struct adl_direct *d, struct adl_traffic *sum)
{
    adl_traffic_take(&d->traffic, sum);
}

uint64_t adl_direct_ticks(const struct adl_direct *d)
{
    return d->ticks;
}
