/* net.h - when a packet arrives
 *
 * Every node has a port that sends and one that receives; a packet takes its
 * bytes' time at both, one packet after the other. Packets of one pair of ranks
 * arrive in the order they were sent; others may overtake (jitter).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_NET_H
#define SIMULATE_NET_H

#include <stdint.h>

void net_start(void);

/* A packet of `bytes` leaves rank `from` for rank `to`: when it is there. */
int64_t net_send(int from, int to, int64_t bytes);

struct net_counts {
    uint64_t packets, bytes;         /* all */
    uint64_t far_packets, far_bytes; /* between nodes */
};
extern struct net_counts net_counts;

#endif
