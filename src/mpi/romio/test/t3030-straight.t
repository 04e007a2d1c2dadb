#!/bin/sh
# t3030-straight - what one rank elsewhere reads goes straight into its reply
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Windows of two stripes, and 64 of them for each aggregator: most wishes come
# before their window is read. Every byte is compared by the program itself.
. "$(dirname "$0")/interleaved.sh"

sim_mkfs --osts 2 --stripe-count 2 --stripe-size 256K >/dev/null || exit 1

# straight NODES BLOCK YES: 64 MiB; do the owners copy less than all that goes to
# other nodes?
straight() {
    interleave "$1" 4 -h romio_cb_read=enable -h cb_buffer_size=$((2 * MIB)) \
        "$SIM/f" "$2" $((16 * MIB))
    elsewhere=$((64 * MIB / $1 * ($1 - 1)))
    diag "$1 nodes, blocks of $2: $(of read 'd["copies_per_byte"]')"
    is "$(of read "c['collective_bytes'],
        c['copied_owner_bytes'] < 0.95 * $elsewhere")" \
        "($((64 * MIB)), $3)" "$1 nodes, blocks of $2"
    is "$(of read 'c["system_calls"]')" 256 "... a read a stripe all the same"
}

tap_plan 6
straight 2 16384 True
straight 4 16384 True
straight 4 1024 False
