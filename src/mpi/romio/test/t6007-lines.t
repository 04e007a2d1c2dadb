#!/bin/sh
# t6007-lines - README.lustre explains every line that the reports print
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

. "$SRC/src/mpi/romio/test/reports.sh"
tap_plan 5
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 2 || exit 1
export MPICH_MPIIO_STATS=1 MPICH_MPIIO_TIMERS=1

# lines_of FILE...: what a line of a block begins with, without its numbers
lines_of() {
    sed -n 's/^| *//p' "$@" | sed '
        s/^\(MPIIO .*\) for .*/\1 for/
        s/^\(MPIIO .* by phases\),.*/\1/
        s/^\(time scale:\|lock ahead:\|(\*)\).*/\1/
        s/ *=.*//
        s/ ([^)]*)$//
        s/  */ /g
        /^min max ave$/d
        /^[- ]*$/d' | sort -u
}

# rows: the first cells of the tables in "Reading the reports", a name a line
rows() {
    awk -F ' *[|] *' '/^## / { on = /Reading the reports/ }
        /^### / { lines = on && /line by line/ }
        on && lines && /^\|/ && $2 !~ /^(line|-*)$/ { print $2 }' \
        "$SRC/README.lustre" | sed 's/, /\n/g' | sort -u
}

mode2="-h cray_cb_write_lock_mode=2 -h cray_cb_nodes_multiplier=2"
# shellcheck disable=SC2086 # a list of options
access 4 $mode2 "$SIM/f1" coll=2,$M rcoll=2,$M ind=1,2,100,0 rind=1,2,100,0
cp "$TMP/err" "$TMP/all"
# shellcheck disable=SC2086 # a list of options
access 4 $mode2 -h direct_write=true "$SIM/f2" coll=2,$M
cat "$TMP/err" >>"$TMP/all"
is "$(grep -c '^| MPIIO' "$TMP/all")" 9 "blocks of writes and reads, both kinds"
lines_of "$TMP/all" >"$TMP/printed"
rows >"$TMP/explained"
like "$(cat "$TMP/printed")" '^lock ahead:$' "with the reason for no locks ahead"
is "$(comm -23 "$TMP/printed" "$TMP/explained")" "" "every line is explained"
is "$(comm -13 "$TMP/printed" "$TMP/explained")" "" "and no other"
is "$(awk -F '|' '/^## / { on = /Reading the reports/ } /^### / { on2 = on }
    on && on2 && /^\|/ && NF != 5 { print }' "$SRC/README.lustre")" "" \
    "each with its meaning and what to do"
