#!/bin/sh
# b0007-blocks - blocks that no two ranks share: the driver's choice, in a model
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A part of the suite blocks, in virtual time: its figures do not depend on the
# machine.
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
need_plugin
need_sim
[ -x "$BUILD/simulate" ] || skip_all "no simulate"

TIMEOUT=600
lbench=$SRC/bench/lbench

# run SET LABEL
run() {
    status=0
    limited "$lbench" run blocks --build "$BUILD" --dir "$TMP" --out "$TMP/out" \
        --sets "$1" --labels "$2" >"$TMP/said" 2>"$TMP/err" </dev/null ||
        status=$?
    [ $status = 0 ] || { diag_file "$TMP/said"; diag_file "$TMP/err"; }
}

# figure COLUMN VARIANT PHASE: of the results
figure() {
    awk -F , -v name="$1" -v v="$2" -v ph="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["variant"] == v && $c["phase"] == ph { print $c[name] }' \
        "$TMP/out/results.csv"
}

# ratio PHASE: time of ours over that of the better way, in percent
ratio() {
    awk -v ours="$(figure value_s ours "$1")" \
        -v a="$(figure value_s aggregators "$1")" \
        -v b="$(figure value_s ranks "$1")" \
        'BEGIN { printf "%d", 100 * ours / (a < b ? a : b) + 0.5 }'
}

# near PHASE SET LABEL [LIMIT]: not slower than the better way by more than a
# tenth, or the limit in percent
near() {
    run "$2" "$3"
    r=$(ratio "$1")
    ok "$3, $1, $2: $r % of the better way" [ "$r" -le "${4:-110}" ]
}

near write blocks-flash-4 once_4m # locks of a block at the same time
is "$(figure callbacks ours write)" 0 "without a callback"
is "$(figure locks ours write)" 32 "a lock for each block and object"
near write blocks-disk-4 once_4m 115 # the first lock takes 10 ms
near write blocks-flash-4 turns_512k # the time of a lock is measured
near write blocks-disk-4 turns_1m
near write blocks-flash-4 segments_1m # and needed once
near write blocks-flash-1 once_64k
near write blocks-flash-16 again_1m
near read blocks-flash-4 turns_1m # aggregators read on
near read blocks-disk-4 turns_256k
near read blocks-flash-4 once_4m
tap_done
