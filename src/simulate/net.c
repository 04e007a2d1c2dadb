/* net.c - the network: computes when a packet arrives */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "net.h"

#include <stdlib.h>

#include "config.h"
#include "memory.h"
#include "sched.h"

#define HEADER 64 /* bytes of a packet beside its data */

/* Senders that a rank has heard from: an open hash table. */
struct heard {
    int *from; /* rank + 1, 0: free */
    int64_t *last;
    int n, room;
};

struct net_counts net_counts;
static int64_t *port_out, *port_in; /* when a node's port is free */
static struct heard *heard;         /* [ranks] */

void net_start(void)
{
    port_out = must_calloc((size_t)config.nodes, sizeof(*port_out));
    port_in = must_calloc((size_t)config.nodes, sizeof(*port_in));
    heard = must_calloc((size_t)config.ranks, sizeof(*heard));
}

static int slot_of(const struct heard *h, int from)
{
    unsigned i = (unsigned)from * 2654435761u;

    while (h->from[i & (unsigned)(h->room - 1)] &&
           h->from[i & (unsigned)(h->room - 1)] != from + 1)
        i++;
    return (int)(i & (unsigned)(h->room - 1));
}

static void grow(struct heard *h)
{
    struct heard old = *h;

    h->room = old.room ? 2 * old.room : 16;
    h->from = must_calloc((size_t)h->room, sizeof(*h->from));
    h->last = must_calloc((size_t)h->room, sizeof(*h->last));
    for (int i = 0; i < old.room; i++)
        if (old.from[i]) {
            int k = slot_of(h, old.from[i] - 1);

            h->from[k] = old.from[i];
            h->last[k] = old.last[i];
        }
    free(old.from);
    free(old.last);
}

/* When the last packet of this pair arrived: to be read and set. */
static int64_t *last_arrival(int from, int to)
{
    struct heard *h = &heard[to];
    int i;

    if (2 * h->n >= h->room)
        grow(h);
    i = slot_of(h, from);
    if (!h->from[i]) {
        h->from[i] = from + 1;
        h->n++;
    }
    return &h->last[i];
}

static int64_t through(int64_t *port, int64_t at, int64_t takes)
{
    if (*port > at)
        at = *port;
    *port = at + takes;
    return *port;
}

static int64_t between_nodes(int from, int to, int64_t bytes)
{
    int64_t wire = (int64_t)((double)(bytes + HEADER) / config.port_speed);
    int64_t sent = through(&port_out[from], sched_time(), wire);

    net_counts.far_packets++;
    net_counts.far_bytes += (uint64_t)bytes;
    /* the first byte is there `wire` before the last one */
    return through(&port_in[to], sent - wire + config.latency, wire);
}

int64_t net_send(int from, int to, int64_t bytes)
{
    int a = node_of(from), b = node_of(to);
    int64_t *last = last_arrival(from, to), t;

    net_counts.packets++;
    net_counts.bytes += (uint64_t)bytes;
    if (a == b)
        t = sched_time() + config.shm_latency +
            (int64_t)((double)bytes / config.shm_speed);
    else
        t = between_nodes(a, b, bytes);
    t += (int64_t)sched_random((uint64_t)config.jitter + 1);
    if (t <= *last)
        t = *last + 1;
    *last = t;
    return t;
}
