#!/bin/sh
# t2102-copies - a byte is copied at most once by its rank and at most once by
# SPDX-License-Identifier: LicenseRef-romio-lustre
# its owner, as the report says
. "$(dirname "$0")/interleaved.sh"

sim_mkfs --osts 4 --stripe-count 4 --stripe-size 256K >/dev/null || exit 1

# copies NODES BLOCK: of 4 MiB a rank in blocks
copies() {
    interleave "$1" 4 -h romio_cb_read=enable -h romio_cb_write=enable \
        "$SIM/f" "$2" $((4 * MIB))
    for dir in write read; do
        diag "$1 nodes, blocks of $2, $dir: $(of $dir 'd["copies_per_byte"]')"
        is "$(of $dir 'd["copies_per_byte"]["rank"] <= 1,
            d["copies_per_byte"]["owner"] <= 1, c["collective_bytes"]')" \
            "(True, True, $((16 * MIB)))" "$1 nodes, blocks of $2: ${dir}s"
        # the ratio is of what was counted, and something was
        is "$(of $dir 'round(c["copied_bytes"] / c["collective_bytes"], 2) ==
            round(sum(d["copies_per_byte"].values()), 2),
            c["copied_bytes"] > 0')" "(True, True)" "... as counted"
    done
}

tap_plan 16
copies 1 4096
copies 4 4096
copies 1 $MIB
copies 4 $MIB
