#!/bin/sh
# t6003-parse - a script that reads known reports reads ours
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# listings/: the reports printed in "Exploring Lustre Lockahead" (CUG 2017),
# listings 3 to 6, in the shape the typesetter left them. The parser (parse in
# reports.sh) is what users have: one line of awk for a label and a value.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
. "$SRC/src/mpi/romio/test/reports.sh"
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 2 || exit 1
here=$SRC/src/mpi/romio/test/listings

# labels FILE: blocks and labels, in order
labels() {
    parse "$1" | cut -f 1,2
}
# value FILE LABEL
value() {
    parse "$1" | awk -F '\t' -v l="$2" '$2 == l { print $3; exit }'
}
# only BLOCK: of the last run
only() {
    parse "$TMP/err" | awk -F '\t' -v b="$1" '$1 == b { print $1 "\t" $2 }'
}

# ---- the parser reads the listings ----
is "$(value "$here/3.txt" 'collective writes')" 196608 "listing 3"
is "$(value "$here/3.txt" 'aggregators active')" \
    "0,0,0,196608 (1,<=96,>96,192)" "its buckets"
is "$(labels "$here/3.txt" | wc -l)" 15 "its 15 lines"
is "$(value "$here/4.txt" 'lock ahead write misses')" 128 "listing 4"
is "$(labels "$here/4.txt" | wc -l)" 18 "its 18 lines"
is "$(value "$here/5.txt" 'file write' | cut -d ' ' -f 4)" "52%" "listing 5"
is "$(value "$here/6.txt" 'file write' | cut -d ' ' -f 4)" "11%" "listing 6"
is "$(value "$here/6.txt" total)" 874687367 "its total"

# ---- and ours: the same labels in the same order ----
export MPICH_MPIIO_STATS=1 MPICH_MPIIO_TIMERS=1
access 4 "$SIM/f1" coll=4,$M
is "$(only 'MPIIO write access patterns')" "$(labels "$here/3.txt")" \
    "access patterns: as listing 3"
# The paper left out the row open/close/trunc: without it nothing adds up.
is "$(only 'MPIIO write by phases, writers only' | grep -v open/close)" \
    "$(labels "$here/5.txt")" "phases: as listing 5"
access 4 -h cray_cb_write_lock_mode=2 "$SIM/f2" coll=4,$M
# One line more than the paper's: extents that were locked and not used.
is "$(only 'MPIIO write access patterns' | grep -v 'never used')" \
    "$(labels "$here/4.txt")" "access patterns in mode 2: as listing 4"
is "$(only 'MPIIO write by phases, writers only' | grep -v open/close)" \
    "$(labels "$here/6.txt")" "phases in mode 2: as listing 6"
is "$(value "$TMP/err" 'collective writes')" 16 "a number of ours"
like "$(value "$TMP/err" 'aggregators active' | tr -d ' ')" \
    '^[0-9]+(,[0-9]+){3}\(1,<=[0-9]+,>[0-9]+,[0-9]+\)$' "the buckets' shape"

# ---- exact columns, for scripts that count characters ----
like "$(cat "$TMP/err")" '^\+-{56}\+$' "the rule of access patterns"
like "$(cat "$TMP/err")" '^\+-{74}\+$' "the rule of phases"
is "$(grep -c '^|   .\{23\} = ' "$TMP/err")" 19 "labels of 23 characters"
is "$(grep -c '^|   .\{30\} = .\{34\} *[0-9]*%*$' "$TMP/err")" 30 \
    "labels of 30, columns to the 69th"

tap_done
