#!/bin/sh
# t6001-stats - every number of the statistics, against independent counts
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# "counted" is what the program saw of its own system calls, standing before
# them; sim_count is what the servers of lustre-sim saw; the rest is arithmetic.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

. "$SRC/src/mpi/romio/test/reports.sh"
sim_mkfs --osts 8 --stripe-size 1M --stripe-count 2 || exit 1
export MPICH_MPIIO_STATS=1

# wrote WRITES STRIPES BYTES GAPS TEXT: what all cases have in common
wrote() {
    is "$(field 'system writes')" "$1" "$5: system writes"
    is "$(counted writes)" "$1" "$5: the program counted as many"
    is "$(field 'stripe sized writes')" "$2" "$5: of a whole stripe"
    is "$(field 'total bytes for writes' | sed 's/ .*//')" "$3" "$5: bytes"
    is "$(counted written)" "$3" "$5: the program counted them"
    is "$(sim_count write_bytes)" "$3" "$5: so did the servers"
    is "$(field 'ave system write size')" "$(($3 / $1))" "$5: average"
    is "$(field 'number of write gaps')" "$4" "$5: gaps"
}

# ---- one write_all by 4 ranks ----
access 4 "$SIM/f1" coll=1,$M
is "$(grep -c '^| MPIIO' "$TMP/err")" 1 "one block: nothing was read"
like "$(cat "$TMP/err")" "^\| MPIIO write access patterns for $SIM/f1\$" "title"
is "$(field 'collective writes')" 4 "one write_all by 4 ranks: 4"
is "$(field 'independent writes')" 0 "no independent ones"
is "$(field 'independent writers')" 0 "nor writers"
is "$(field aggregators)" 2 "aggregators"
is "$(field 'stripe count') $(field 'stripe size')" "2 $M" "stripes"
is "$(field 'aggregators active')" "0,0,0,4 (1, <= 1, > 1, 2)" "both were active"
is "$(field 'total bytes for writes')" "4194304 = 4 MiB" "MiB where it is large"
is "$(field 'read-modify-write count') $(field 'read-modify-write bytes')" \
    "0 0" "no read-modify-write"
is "$(field 'ave write gap size')" NA "no gap, no size"
wrote 4 4 $((4 * M)) 0 "4 stripes"

# ---- small calls, one stripe a call ----
access 4 "$SIM/f2" coll=4,65536
is "$(field 'collective writes')" 16 "4 calls of 4 ranks"
is "$(field 'aggregators active')" "16,0,0,0 (1, <= 1, > 1, 2)" "one active"
is "$(field 'total bytes for writes')" "1048576 = 1 MiB" "bytes"
wrote 4 0 $M 0 "small calls"

# ---- the four buckets ----
access 4 -h striping_factor=4 "$SIM/f3" some=4,$M,0 some=3,$M,4194304 \
    some=2,$M,8388608 some=1,$M,12582912 some=0,$M,0
is "$(field 'collective writes')" 20 "5 calls of 4 ranks"
is "$(field 'aggregators active')" "8,4,4,4 (1, <= 2, > 2, 4)" \
    "4, 3, 2, 1 and 0 of 4 aggregators"
is "$(field 'aggregators active' | sed 's/ .*//' | tr , '\n' |
    awk '{ n += $1 } END { print n }')" "$(field 'collective writes')" \
    "they add up to the collective writes"
wrote 10 10 $((10 * M)) 0 "buckets"

# ---- gaps: the second aggregator's stripes follow each other, too ----
access 4 "$SIM/f4" coll=2,$M coll=1,$M,$((16 * M))
# each of the two: 4 stripes, then from stripe 8 to 16: as far as 8 stripes
is "$(field 'ave write gap size')" $((8 * M)) "the size of a gap"
wrote 12 12 $((12 * M)) 2 "gaps"
access 4 "$SIM/f5" coll=1,$M coll=1,$M
is "$(field 'ave write gap size')" $((4 * M)) "going back is a gap"
is "$(field 'number of write gaps')" 2 "for both"

# ---- independent ones ----
access 4 "$SIM/f6" ind=1,5,100,0 coll=1,$M ind=3,2,1000,500
is "$(field 'independent writes')" 7 "independent writes"
is "$(field 'independent writers')" 2 "by two ranks"
is "$(field 'collective writes')" 4 "beside collective ones"
is "$(field 'number of write gaps')" 0 "they are no gaps"
is "$(field 'system writes')" 11 "7 and 4 system writes"
is "$(counted writes)" 11 "the program counted as many"
is "$(field 'total bytes for writes' | sed 's/ .*//')" $((2500 + 4 * M)) "bytes"
is "$(counted written)" $((2500 + 4 * M)) "the program counted them"

# ---- collective calls without aggregators ----
access 4 -h romio_cb_write=disable "$SIM/f7" coll=2,$M
is "$(field 'collective writes')" 8 "every rank alone: still collective"
is "$(field 'independent writes')" 0 "and not independent"
is "$(field 'aggregators active')" "8,0,0,0 (1, <= 1, > 1, 2)" \
    "no aggregator was active"
wrote 8 8 $((8 * M)) 0 "alone"

# ---- nonblocking: the first one before anything collective goes alone ----
access 4 "$SIM/f8" coll=1,$M icoll=3,$M,$((4 * M)) ircoll=3,$M
is "$(field 'collective writes')" 16 "nonblocking: collective writes"
is "$(field 'aggregators active')" "0,0,0,16 (1, <= 1, > 1, 2)" "all active"
is "$(field 'collective reads')" 12 "nonblocking: collective reads"
wrote 16 16 $((16 * M)) 0 "nonblocking"
is "$(field 'system reads') $(counted reads)" "12 12" "nonblocking reads"

# ---- holes: written exactly, or by read-modify-write ----
access 4 "$SIM/f9" holes=8,4096
is "$(field 'read-modify-write count')" 0 "holes stay holes"
# 32 pieces with a hole behind each, all in one stripe
wrote 32 0 $((32 * 4096)) 31 "holes"
is "$(field 'ave write gap size')" 4096 "a hole is a gap"
access 4 -h romio_lustre_ds_in_coll=enable "$SIM/f10" holes=8,4096
is "$(field 'read-modify-write count')" 1 "ds_in_coll: one read-modify-write"
is "$(field 'read-modify-write bytes')" $((63 * 4096)) "of the span"
is "$(field 'system writes') $(counted writes)" "1 1" "one write"

# ---- reads ----
access 4 "$SIM/f11" coll=2,$M rcoll=2,$M rind=2,3,1000,0
is "$(grep -c '^| MPIIO' "$TMP/err")" 2 "a block for writes, one for reads"
like "$(cat "$TMP/err")" "^\| MPIIO read access patterns for $SIM/f11\$" "title"
is "$(field 'collective reads')" 8 "collective reads"
is "$(field 'independent reads')" 3 "independent reads"
is "$(field 'independent readers')" 1 "by one rank"
is "$(field 'system reads')" 11 "system reads"
is "$(counted reads)" 11 "the program counted as many"
is "$(field 'stripe sized reads')" 8 "of a whole stripe"
is "$(field 'total bytes for reads' | sed 's/ .*//')" $((8 * M + 3000)) "bytes"
is "$(counted read)" $((8 * M + 3000)) "the program counted them"
is "$(field 'ave system read size')" $(((8 * M + 3000) / 11)) "average"
is "$(field 'number of read gaps')" 0 "no gaps"
is "$(field 'ave read gap size')" NA "no gap, no size"

# ---- lockahead ----
access 4 -h cray_cb_write_lock_mode=2 -h cray_cb_nodes_multiplier=2 "$SIM/f12" \
    coll=4,$M
is "$(($(field 'lock ahead write hits') + $(field 'lock ahead write misses')))" \
    16 "lock mode 2: every write hits or misses"
is "$(field 'lock ahead extent count')" "$(sim_count lockahead)" \
    "the servers were asked for as many extents"
wrote 16 16 $((16 * M)) 0 "lock mode 2"
access 4 "$SIM/f13" coll=1,$M
is "$(grep -c 'lock ahead' "$TMP/err")" 0 "no such lines in mode 0"

# ---- one rank; nothing done; nothing asked ----
access 1 "$SIM/f14" coll=3,$M
is "$(field 'collective writes')" 3 "one rank"
wrote 3 3 $((3 * M)) 0 "one rank"
access 4 "$SIM/f15"
is "$(cat "$TMP/err")" "" "nothing read or written: nothing to say"
MPICH_MPIIO_STATS=0 access 4 "$SIM/f16" coll=1,$M
is "$(cat "$TMP/err")" "" "not asked: nothing is said"
unset MPICH_MPIIO_STATS
MPICH_MPIO_STATS=1 access 4 "$SIM/f17" coll=1,$M
is "$(field 'collective writes')" 4 "MPICH_MPIO_STATS works, too"

tap_done
