#!/bin/sh
# s0007-kill - 100 processes killed in the middle; the next job works
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
R=$FAST/root
sim mkfs "$R"
sim setstripe -c 4 -S 1M "$R/f"

# 25 jobs of 4 ranks, each rank killed at some moment. Every job starts on
# what the killed ones left: locks, group locks, a mutex held.
killed=0
started=0
for job in $(seq 25); do
    pids=
    for rank in 0 1 2 3; do
        PMI_RANK=$rank "$SIM" run --root "$R" "$PROGS/hammer" forever "$R/f" \
            $((job * 4 + rank)) 2>>"$TMP/err" &
        pids="$pids $!"
    done
    sleep 0.1
    for pid in $pids; do
        kill -0 "$pid" 2>/dev/null && started=$((started + 1))
        kill -9 "$pid" 2>/dev/null && killed=$((killed + 1))
        sleep 0.0$((job % 3))
    done
    # shellcheck disable=SC2086 # a list
    wait $pids 2>/dev/null
done
is "$started" 100 "100 processes were at work"
is "$killed" 100 "and killed"
is "$(cat "$TMP/err")" "" "no message before"

sim drop "$R"
sim reset "$R"
rm -f "$R/f"
sim setstripe -c 4 -S 1M "$R/f"
pids=
for rank in 0 1 2 3; do
    PMI_RANK=$rank limited "$SIM" run --root "$R" "$PROGS/hammer" write \
        "$R/f" $rank 4 65536 64 2>>"$TMP/err" &
    pids="$pids $!"
done
bad=0
for pid in $pids; do
    wait "$pid" || bad=$((bad + 1))
done
is "$bad" 0 "the next job works"
diag_file "$TMP/err"
ok "its file is right" "$PROGS/hammer" verify "$R/f" 4 65536 64
sim drop "$R" # what is cached outlives the processes
is "$(total "$R" write_bytes)" $((4 * 64 * 65536)) "its counts are right"
tap_done
