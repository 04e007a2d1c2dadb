#!/bin/sh
# t2050-plan - calls of the same shape reuse what the first has taught
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
. "$SRC/src/mpi/romio/test/reports.sh"
sim_mkfs --osts 4 --stripe-size 64K --stripe-count 4 || exit 1
export ROMIO_LUSTRE_REPORT="$TMP/report.json"

# planned DIRECTION: collective calls by a plan, all ranks together
planned() {
    tr '{' '\n' <"$TMP/report.json" | awk -v dir="\"$1\":" '
        index($0, "\"collective_planned\":") {
            n++
            sub(/.*"collective_planned": */, "")
            sub(/[^0-9].*/, "")
            if (n == (dir ~ /write/ ? 1 : 2)) print
        }'
}

# case TEXT WRITES READS OP...: so many planned calls
case_of() {
    text=$1 writes=$2 reads=$3
    shift 3
    rm -f "$SIM/f" "$TMP/report.json"
    access 4 "$SIM/f" "$@"
    like "$(cat "$TMP/out")" '^counted:' "$text: done"
    is "$(planned write) $(planned read)" "$writes $reads" "$text: planned"
}

# 4 ranks: the first call of a shape teaches, the others are counted
case_of "ten time steps" 36 0 coll=10,100000
case_of "and read back" 36 40 coll=10,100000 rcoll=10,100000
case_of "nonblocking ones" 16 8 coll=1,50000 icoll=4,50000 ircoll=2,50000
case_of "holes: never" 0 0 holes=3,1000 holes=3,1000 holes=3,1000
case_of "other sizes" 0 0 coll=1,1000 coll=1,2000 coll=1,3000 rcoll=1,4000
case_of "some ranks only" 4 0 some=2,5000,0 some=2,5000,10000 some=3,5000,20000
case_of "an independent write between" 12 0 coll=2,4096 ind=1,1,100,0 \
    coll=2,4096,500

# On several nodes, too.
export MPIR_CVAR_NUM_CLIQUES=2
case_of "two nodes" 36 16 coll=10,100000 rcoll=4,100000
unset MPIR_CVAR_NUM_CLIQUES

# A read may fetch bytes that no rank asked for: it does not show the holes.
unset ROMIO_LUSTRE_REPORT
ok "the program that reads first compiles" "$MPICC" -Wall -Wextra -Werror \
    -o "$TMP/readfirst" "$SRC/src/mpi/romio/test/readfirst.c"
for nodes in 1 2 4; do
    export MPIR_CVAR_NUM_CLIQUES=$nodes
    rm -f "$SIM/f"
    ok "read, then write with holes, $nodes nodes" \
        sim_run 4 "$TMP/readfirst" holes "$SIM/f"
    rm -f "$SIM/f"
    ok "reads that overlap and leave holes, $nodes nodes" \
        sim_run 4 "$TMP/readfirst" overlap "$SIM/f"
done

tap_done
