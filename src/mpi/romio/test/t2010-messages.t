#!/bin/sh
# t2010-messages - messages of a collective write are few: two small reductions
# SPDX-License-Identifier: LicenseRef-romio-lustre
# a call among the nodes' leaders, a header and its bytes for each window from
# each other node, nothing on ranks without a part
. "$(dirname "$0")/oracle.sh"
TIMEOUT=${ADL_TIMEOUT:-120}

tap_plan 25

ok "the program compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/messages" \
    "$here/messages.c" -ldl
ok "the counter compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/count.so" "$here/count_mpi.c" -ldl

CALLS=4
# run NODES RANKS OWNERS [BYTES of a rank in a call]
run() {
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$MPIEXEC" -n "$2" \
        -genv LD_PRELOAD "$CALM:$TMP/count.so:$PLUGIN" "$TMP/messages" \
        "lustre:$FAST/m" "$3" "$CALLS" ${4:+"$4"} </dev/null 2>"$TMP/err" |
        sort >"$TMP/out" || diag_file "$TMP/err"
}
# lines PATTERN: how many
lines() {
    grep -c -e "$1" "$TMP/out"
}
# sum WORD: of the number after it, over all ranks
sum() {
    sed -n "s/.* $1 \([0-9]*\).*/\1/p" "$TMP/out" |
        awk '{ s += $1 } END { print s + 0 }'
}

# ---- one node ----
run 1 8 2
is "$(lines '^rank ')" 8 "8 ranks on one node"
is "$(sum collectives)" 0 "agree in shared memory: no collective of MPI's"
is "$(sum data) $(sum large) $(sum receives)" "0 0 0" "and send nothing"

# ---- several nodes ----
# check RANKS: NODES nodes and OWNERS owners, as run
check() {
    limit=$(sed -n 's/^limit: //p' "$TMP/out")
    is "$(lines '^rank ')" "$1" "$NODES nodes, $OWNERS owners, $1 ranks"
    is "$(lines ": collectives 0 ")" "$1" "no collective of MPI's"
    # 3 nodes: each exchanges with the two others
    is "$(sum words)" $((2 * CALLS * 6)) \
        "leaders send six messages an agreement, all together"
    is "$(lines "member .* words 0 of 0 bytes")" $(($1 - NODES)) \
        "other ranks none"
    is "$(sed -n 's/.* words \([0-9]*\) of \([0-9]*\) bytes;.*/\1 \2/p' \
        "$TMP/out" | awk '$2 > 256 * $1')" "" "none has more than 256 bytes"
    data=$(sum data)
    diag "headers: $data, nodes x owners x windows allow ${limit:-?}"
    ok "headers are within nodes x owners x windows" \
        [ "$data" -gt 0 -a "$data" -le "${limit:-0}" ]
    is "$(grep idle "$TMP/out" | grep -v -e 'words 0 .*data 0 bytes 0 large 0' |
        grep -v ' leader ')" "" "ranks without data send nothing"
    is "$(grep 'member idle' "$TMP/out" | grep -v -e 'receives 0$')" "" \
        "and receive nothing"
}
NODES=3 OWNERS=3
run $NODES 12 $OWNERS
check 12
first=$(grep 'rank 11 ' "$TMP/out" | sed 's/^rank [0-9]*//')
run $NODES 16 $OWNERS
check 16
is "$(grep 'rank 15 ' "$TMP/out" | sed 's/^rank [0-9]*//')" "$first" \
    "nothing grows with the number of ranks on an idle one"

# ---- who waits until a message has been taken ----
run $NODES 12 $OWNERS
is "$(sum synchronous) $(sum large)" "$(sum data) $(sum data)" \
    "large calls: one message for each header, until it has been taken"
run $NODES 12 $OWNERS 1024
ok "small calls send messages too" [ "$(sum data)" -gt 0 ]
is "$(sum synchronous) $(sum large)" "0 0" \
    "in one piece, and do not wait until they have been taken"
