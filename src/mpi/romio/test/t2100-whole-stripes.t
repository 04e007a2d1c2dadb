#!/bin/sh
# t2100-whole-stripes - nodes of one rank each: every system call of a dense
# SPDX-License-Identifier: LicenseRef-romio-lustre
# pattern is a whole stripe, as long as cb_buffer_size holds three
. "$(dirname "$0")/interleaved.sh"

sim_mkfs --osts 16 --stripe-count 16 --stripe-size 1M >/dev/null || exit 1

# stripes NODES RANKS CB MIB: so many MiB of all ranks together
stripes() {
    interleave "$1" "$2" -h cb_buffer_size="$3" -h romio_cb_read=enable \
        "$SIM/f" 4096 $(($4 * MIB / $2))
    for dir in write read; do
        is "$(of $dir 'c["system_calls"], c["stripe_sized"],
            c["system_bytes"], c["io_ranks"]')" \
            "($4, $4, $(($4 * MIB)), 16)" \
            "$1 nodes, $2 ranks, cb_buffer_size $3: ${dir}s are stripes"
    done
}

tap_plan 6
stripes 16 16 $((16 * MIB)) 32
stripes 16 16 $((3 * MIB)) 32
stripes 8 32 $((3 * MIB)) 64
