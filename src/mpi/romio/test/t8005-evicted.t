#!/bin/sh
# t8005-evicted - clients are evicted: no close reports success for lost bytes
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The rules of evictions are those that were seen on a real Lustre
# (src/lustre-sim/evict.h); romio_lustre_close_sync says what a close does.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
TIMEOUT=${ADL_TIMEOUT:-120}
sim_mkfs --osts 4 >/dev/null

ok "evicted compiles" "$MPICC" -std=gnu11 -O2 -Wall -Wextra -Werror \
    -o "$TMP/evicted" "$SRC/src/mpi/romio/test/evicted.c" -ldl

# play MODE SYNC WHEN WHO: one job of 4 clients; its words in $TMP/log
play() {
    promise=
    [ "$1" = 1 ] && promise="romio_no_indep_rw true"
    rm -f "$SIM/f" "$SIM/f.next"
    # shellcheck disable=SC2086 # a pair
    node_run 4 4 "$TMP/evicted" "$SIM/f" "$3" "$4" striping_factor 4 \
        striping_unit 1048576 romio_cb_write enable \
        cray_cb_write_lock_mode "$1" romio_lustre_close_sync "$2" $promise \
        >"$TMP/log" 2>&1 || echo "exit status $?" >>"$TMP/log"
}
# same: "write W, close C" if all ranks say the same
same() {
    sed -n 's/^rank [0-9]*: //p' "$TMP/log" | sort | uniq -c |
        awk '$1 == 4 { $1 = ""; print substr($0, 2) }'
}
lost() { sed -n 's/^missing \([0-9]*\),.*/\1/p' "$TMP/log"; }
# next_right NAME: the next file is whole
next_right() {
    is "$(sed -n 's/^next: //p' "$TMP/log")" "missing 0" "$1: the next is whole"
}

# Nothing happens: nothing is said, and flush asks no disk.
for sync in off flush sync; do
    sim_fresh "$SIM"
    play 0 $sync close none
    is "$(same), $(lost)" "write 0, close 0, 0" "no eviction, $sync: all right"
    case $sync in
    sync) ok "$sync: sync requests" test "$(sim_count sync)" -gt 0 ;;
    *) is "$(sim_count sync)" 0 "$sync: no sync request" ;;
    esac
done

for mode in 0 1 2; do
    for who in 1 all; do
        for sync in flush sync; do
            name="mode $mode, client $who, $sync"
            play $mode $sync close $who
            is "$(same)" "write 0, close 1" "$name: the close fails everywhere"
            ok "$name: bytes are missing" test "$(lost)" -gt 0
            next_right "$name"
        done
    done
done
like "$(cat "$TMP/log")" "f: fsync on rank [0-3]" "the text names call and rank"
play 0 flush close 1
like "$(cat "$TMP/log")" "f: flush on rank 1" "also of a flush"

# What the hint is for: without it success is reported.
play 0 off close all
is "$(same)" "write 0, close 0" "off: the close says nothing"
ok "off: and bytes are missing" test "$(lost)" -gt 0
next_right "off"

# In the middle of the writes: an error somewhere, never silence.
for mode in 0 1 2; do
    play $mode flush 2 all
    got=$(same)
    case $got in
    "write 1, close "[01] | "write 0, close 1")
        pass "mode $mode, in the writes: $got, the same on all ranks" ;;
    *)
        fail "mode $mode, in the writes: $got, the same on all ranks"
        diag_file "$TMP/log"
        ;;
    esac
    next_right "mode $mode, in the writes"
done
tap_done
