/* net.h - the network: computes when a packet arrives
 *
 * Every node has a port that sends and a port that receives. A packet occupies
 * both ports for its size divided by their speed, one packet after the other.
 * Packets between the same two ranks arrive in the order in which they were
 * sent; others may overtake each other (jitter).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_NET_H
#define SIMULATE_NET_H

#include <stdint.h>

void net_start(void);

/* Send a packet of `bytes` from rank `from` to rank `to`. Returns its arrival
 * time. */
int64_t net_send(int from, int to, int64_t bytes);

struct net_counts {
    uint64_t packets, bytes;         /* all */
    uint64_t far_packets, far_bytes; /* between nodes */
};
extern struct net_counts net_counts;

#endif
