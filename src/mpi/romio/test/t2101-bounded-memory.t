#!/bin/sh
# t2101-bounded-memory - 32 nodes of one rank: a node needs its pool, an owner
# SPDX-License-Identifier: LicenseRef-romio-lustre
# its windows and receive buffers besides, whatever the number of aggregators
#
# VmHWM of each rank, and what the pool itself counts. An image of every
# aggregator's windows on every node would need 64 MiB.
. "$(dirname "$0")/interleaved.sh"

POOL=$((2 * MIB))
CB=$((2 * MIB))
# an aggregator has up to 32 receive buffers of 1 MiB and a description each,
# allocated as messages come; these runs must not need more than eight of them
RECEIVE=$((8 * (MIB + 65536)))
# what the MPI library and ROMIO take at an open; reading, also what the library
# copies of answers under way, at most all nodes' pools over the owners
OTHER=$((8 * MIB))
sim_mkfs --osts 32 --stripe-count 32 --stripe-size 256K >/dev/null || exit 1

tap_plan 10
# grown DIRECTION AGGREGATORS
grown() {
    bound=$((POOL + CB + RECEIVE + OTHER))
    [ "$1" = write ] || bound=$((bound + 32 * POOL / $2))
    kib=$(sed -n "s/^rank .* $1 \([0-9]*\) KiB.*/\1/p" "$TMP/out" | sort -n |
        tail -n 1)
    ok "$2 aggregators, $1: a rank grew by ${kib:-?} KiB of $((bound / 1024))" \
        [ "${kib:-$bound}" -lt $((bound / 1024)) ]
    peak=$(of "$1" 'c["pool_peak"]')
    ok "... $peak bytes of a pool of $POOL were in use" \
        [ "$peak" -gt 0 -a "$peak" -le $POOL ]
}
for aggs in 4 32; do
    interleave 32 32 -h cb_nodes=$aggs -h cb_buffer_size=$CB \
        -h romio_lustre_node_buffer_size=$POOL -h romio_cb_read=enable \
        "$SIM/f" 4096 $((2 * MIB))
    is "$(grep -c '^rank' "$TMP/out")" 32 "$aggs aggregators: 32 ranks"
    grown write $aggs
    grown read $aggs
done
