#!/bin/sh
# t4009-stall - a collective call that does not move says what it waits for
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
TIMEOUT=${ADL_TIMEOUT:-600}
stuck='has not moved for'

tap_plan 48

ok "stall compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/stall" \
    "$here/stall.c"
sim_mkfs --osts 2 --stripe-count 2 --stripe-size 1M >/dev/null

# stalled NODES LATE SECONDS [BYTES]: 4 ranks; its words in err, its status in rc
stalled() {
    nodes=$1
    shift
    rc=0
    node_run "$nodes" 4 "$TMP/stall" "$SIM/f$nodes" "$@" >"$TMP/out" 2>&1 ||
        rc=$?
    err=$(grep "$stuck" "$TMP/out")
}
# said RANK: how many lines about collective reads and writes it printed
said() {
    printf '%s\n' "$err" |
        grep -c "^romio-lustre: rank $1: .*: collective .* $stuck"
}

# ---- a rank that comes late, to a blocking and to a nonblocking call ----
export ROMIO_LUSTRE_STALL=1
stalled 1 2 4
is $rc 0 "1 node, a late rank: the calls end, every byte is right"
is "$(said 0) $(said 1) $(said 2) $(said 3)" "2 2 0 2" \
    "every rank that waits says it once a call, the late one nothing"
like "$err" "rank 0: $SIM/f1: collective write number [0-9]+ $stuck 1 s: start \
agreement: waits for rank 2 \(1 of 4 ranks of this node\) to come" \
    "rank 0: which file, call, phase and rank"
stalled 2 3 4
is $rc 0 "2 nodes: they end"
like "$err" "rank 1: .*: waits for rank 3 \(1 of 2 ranks of this node\) to come" \
    "the node's leader names the late rank"
like "$err" "rank 0: .*: waits for rank 1 \(another node's first\)" \
    "rank 0 names the leader that it misses"
like "$err" "rank 2: .*: waits for rank 0, which asks the other nodes" \
    "the others name their leader"
stalled 4 1 4
is $rc 0 "as many nodes as ranks: they end"
like "$err" "rank 0: .*: waits for rank 1 \(another node's first\)" \
    "rank 0 names the late one, and no other"

# ---- an OST that is slow, without a page cache before it ----
LUSTRE_SIM_PROFILE=disk LUSTRE_SIM_FAULT=ost=0:slow=50 \
    MPICH_MPIIO_HINTS='*:direct_io=true' stalled 2 -1 0 262144
is $rc 0 "a slow OST: the calls end, every byte is right"
like "$err" "rank 0: .* write .*: moving bytes; .*; own file I/O: at it" \
    "its aggregator says that it is at the file"
like "$err" "rank 2: .* write .*: end agreement: waits for rank 0 " \
    "the others that they wait for the aggregator's rank"

# ---- a rank that never comes, to any call of all ranks ----
ok "absent compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/absent" \
    "$here/absent.c"
# More than one second: on a busy machine the start of 36 ranks may take one.
export ROMIO_LUSTRE_STALL=2
calls="open first ifirst second isecond view size sync close"
others="waits for other ranks of 4 in MPI_"

# words CALL: what the ranks that wait in it print
words() {
    case $1 in
    open) echo "MPI_File_open or another call of all ranks $stuck 2 s: $others" ;;
    first) echo "f.first: the first collective read or write $stuck 2 s: $others" ;;
    ifirst) echo "f.ifirst: collective write $stuck 2 s: end agreement, no \
aggregators: waits for other ranks" ;;
    second | isecond) echo "f.$1: collective write number 1 $stuck 2 s: start \
agreement: waits for rank" ;;
    sync) echo "f.sync: MPI_File_sync $stuck 2 s: $others" ;;
    *) echo "f.$1: a call of all ranks $stuck 2 s: $others" ;;
    esac
}
# counts CALL: the lines that each rank printed, in $TMP/said.CALL
counts() {
    for r in 0 1 2 3; do
        grep -c "^romio-lustre: rank $r: .*$(words "$1")" "$TMP/said.$1"
    done | tr '\n' ' '
}
# all_said: has each rank that waits printed its line, in every job?
all_said() {
    for call in $calls; do
        [ "$(counts "$call")" = "1 1 1 0 " ] || return 1
    done
}
for nodes in 1 2 4; do
    rm -f "$TMP/end"
    for call in $calls; do
        node_run $nodes 4 "$TMP/absent" "$SIM/f.$call" "$call" 3 "$TMP/end" \
            >"$TMP/said.$call" 2>&1 &
    done
    for _ in $(seq 600); do # ends as soon as all have spoken
        ! all_said || break
        sleep 0.5
    done
    sleep 3 # for a line too many
    touch "$TMP/end"
    wait
    for call in $calls; do
        is "$(counts "$call")" "1 1 1 0 " \
            "$nodes nodes, $call: the ranks that wait say it once"
    done
    like "$(cat "$TMP/said.second")" "waits for rank 3 " \
        "$nodes nodes: a rank names the absent one"
done

# ---- nothing to say ----
ROMIO_LUSTRE_STALL=0 stalled 1 2 3
is "$rc$err" 0 "0: nothing is said"
ROMIO_LUSTRE_STALL=60 stalled 2 2 2
is "$rc$err" 0 "nor when the time has not come"
ROMIO_LUSTRE_STALL=soon stalled 1 -1 0
is $rc 0 "a bad value: it runs"
like "$(cat "$TMP/out")" "ROMIO_LUSTRE_STALL=soon: expected a number.*using 60" \
    "and is named"
