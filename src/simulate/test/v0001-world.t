#!/bin/sh
# v0001-world - the simulated machine: it repeats itself, tells a hang, scales
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../mpi/romio/test/lib.sh"
TIMEOUT=${ADL_TIMEOUT:-1500}
SIMULATE=$BUILD/simulate
[ -x "$SIMULATE" ] ||
    skip_all "no simulate at $SIMULATE (x86_64 only; make check TESTS=)"

simulate() {
    limited "$SIMULATE" "$@" </dev/null
}
# hash ARG...: of all events of a run
hash_of() {
    simulate "$@" 2>"$TMP/err" | sed -n 's/.*hash \([0-9a-f]*\)$/\1/p'
}

ok "help" simulate --help
not_ok "an unknown option is refused" simulate run 1 --nosuch 2
not_ok "an unknown command is refused" simulate walk

# the same number: the same order of all events, with and without hooks (10:
# copies become visible late)
for n in 10 11 12 13 14 15 16; do
    one=$(hash_of run $n)
    is "$(hash_of run $n)" "${one:-none}" "case $n repeats itself"
done
one=$(hash_of run 11 --hooked 1 --preempt 50)
is "$(hash_of run 11 --hooked 1 --preempt 50)" "${one:-none}" \
    "... with preemption at every access"
is "$(hash_of run 11 --seed 5 --jitter 500 | grep -c "$(hash_of run 11 \
    --seed 6 --jitter 500)")" 0 "another seed, another order"

# ... also elsewhere: other paths, another environment, another address space
mkdir "$TMP/elsewhere"
cp "$SIMULATE" "$BUILD"/libranks*.so "$TMP/elsewhere"
for n in 11 13; do
    one=$(hash_of run $n)
    is "$(cd / && env SOME_MORE="$(seq 200)" TMPDIR="$TMP/elsewhere" \
        "$TMP/elsewhere/simulate" run $n 2>"$TMP/err" </dev/null |
        sed -n 's/.*hash \([0-9a-f]*\)$/\1/p')" "${one:-none}" \
        "case $n is the same from another directory"
done

# ... and whatever descriptors are open
one=$(hash_of run 11)
is "$(hash_of run 11 7</dev/null 8</dev/null)" "${one:-none}" \
    "case 11 is the same with other open descriptors"

# faults, a rank that stops, one that dies
pattern="--ranks 8 --nodes 2 --kind 1 --bytes 64k --hint:striping_unit 65536"
# shellcheck disable=SC2086 # words
ok "a write that fails: one class on all ranks, right when done again" \
    simulate scale $pattern --faults "write:n=1:count=1:errno=EIO"
# shellcheck disable=SC2086 # words
ok "a full OST" simulate scale $pattern --faults ost=0:full
# shellcheck disable=SC2086 # words
ok "an eviction" simulate scale $pattern --faults write:n=1:evict
# shellcheck disable=SC2086 # words
ok "no thread, no shared memory" simulate scale $pattern --scarce 1
# shellcheck disable=SC2086 # words
ok "a rank that is stopped for two seconds" simulate scale $pattern \
    --stop-rank 3 --stop-at 60000 --stop-for 2000000000
# shellcheck disable=SC2086 # words
simulate scale $pattern --calls 3 --kill-rank 5 --kill-at 150000 >"$TMP/out" 2>&1
is $? 0 "a rank that dies: the next job is right"
# shellcheck disable=SC2086 # words
one=$(hash_of scale $pattern --calls 3)
# shellcheck disable=SC2086 # words
is "$(hash_of scale $pattern --calls 3 --kill-rank 5 --kill-at 150000 |
    grep -c "${one:-none}")" 0 "... and another run"

# a run that is stopped tells what every rank waits for
simulate run 12 --until 50 >"$TMP/out" 2>&1
ok "--until stops" grep -q "stopped at" "$TMP/out"
ok "... and tells what ranks wait for" grep -q "fiber" "$TMP/out"
simulate run 12 --until 50 --trace 0 >"$TMP/out" 2>&1
ok "--trace tells a rank's events" grep -q "us  rank 0 " "$TMP/out"


# a case that fails is made smaller, and printed as one command
fault=write:n=1:count=1000:errno=EIO
simulate shrink 7 --faults $fault >"$TMP/out" 2>&1
is $? 1 "shrink: the case fails"
command=$(sed -n "s|^  simulate \(run 7 --without .* --faults $fault\)\$|\1|p" \
    "$TMP/out")
like "$command" "ranks:1[, ]" "... on one rank, too"
not_ok "... and the command that is printed fails" simulate ${command:-run 7}
ok "... but not without the fault" simulate ${command:-run x} --faults none
simulate fuzz --first 7 --cases 1 --faults $fault >"$TMP/out" 2>&1
is "$(sed -n 's/^  simulate //p' "$TMP/out")" "${command:-none}" \
    "fuzz prints the same command"

if gdb -batch -nx -ex run --args true 2>&1 | grep -q "exited normally"; then
    SIMULATE_AGAIN=1 gdb -batch -nx -ex 'set follow-fork-mode child' \
        -ex 'set breakpoint pending on' -ex 'break libc_pwrite' -ex 'run' \
        -ex 'print sched_rank' -ex 'bt' --args "$SIMULATE" run 12 \
        >"$TMP/out" 2>&1 </dev/null
    like "$(cat "$TMP/out")" "^.1 = [0-9]+\$" "gdb stops and tells the rank"
    like "$(cat "$TMP/out")" " entry \\(\\) " "... and its stack, down to its start"
else
    skip 2 "no gdb, or it may not trace"
fi

for kind in 0 1 2 3 4 5; do
    ok "pattern $kind on 12 ranks" simulate scale --ranks 12 --nodes 3 \
        --kind $kind --bytes 60000 --hint:striping_unit 65536
done

for hand in 0 1; do
    ok "a 4-D lattice, by hand: $hand" simulate scale --ranks 24 --nodes 3 \
        --kind 6 --record 100 --bytes 30000 --calls 2 --by-hand $hand \
        --hint:striping_unit 65536
done
not_ok "by hand from memory with gaps is refused" simulate scale --by-hand 1 \
    --gaps 512

# stock ROMIO in the same world; the last line
for driver in "--stock 1" "--stock 1 --generic 1"; do
    # shellcheck disable=SC2086 # words
    ok "stock ROMIO, $driver" simulate scale $driver --ranks 64 --nodes 8 \
        --bytes 16k --record 2k --hint:striping_factor 4
done
simulate scale --ranks 16 --nodes 4 --bytes 16k >"$TMP/out" 2>&1
like "$(tail -n 1 "$TMP/out")" \
    "^scale: driver=ours ranks=16 .* write_ms=[0-9.]+ .* far_messages=[0-9]+ .* rank_kib=[0-9]+ " \
    "scale ends with one line of figures"

# twice the same run: the same figures, but for what this process needed
figures_of() {
    tail -n 1 "$1" | sed 's/ memory_mib=.*//'
}
simulate scale --ranks 16 --nodes 4 --bytes 16k >"$TMP/again" 2>&1
is "$(figures_of "$TMP/again")" "$(figures_of "$TMP/out")" \
    "... and the same line once more"

# Four times the ranks, nodes, OSTs and bytes. What grows as P log P grows 4 to
# 6 times from 16 to 64 nodes; a quadratic term would grow 16 times.
# growth NAME SMALL BIG: "phase kind ratio" of messages and of bytes
growth() {
    awk 'function each(   i, part) {
            for (i = 2; i <= NF; i++) {
                split($i, part, "[=/]")
                if (FILENAME == ARGV[1]) {
                    was[$1, part[1]] = part[2]
                    bytes[$1, part[1]] = part[3]
                    continue
                }
                print $1, part[1], part[2] / was[$1, part[1]], \
                    part[3] / (bytes[$1, part[1]] + !part[3])
            }
        }
        /^  (open|write|read|close):/ { each() }' "$1" "$2"
}
field() {
    tail -n 1 "$2" | sed "s/.* $1=\([0-9]*\).*/\1/"
}
for kind in 1 3; do
    for size in "256 16 16" "1024 64 64"; do
        # shellcheck disable=SC2086 # three words
        set -- $size
        simulate scale --ranks "$1" --nodes "$2" --osts "$3" --kind $kind \
            --bytes 8k --record 1k --jitter 0 --poll-time 5000 --cores 128 \
            --hint:striping_factor "$3" --hint:striping_unit 65536 \
            --hint:cb_buffer_size 1048576 \
            >"$TMP/on$2" 2>&1
    done
    growth "$TMP/on16" "$TMP/on64" >"$TMP/growth"
    ok "pattern $kind: messages by kind" test "$(wc -l <"$TMP/growth")" -ge 12
    is "$(awk '$2 != "frontier" && ($3 > 6.5 || $4 > 6.5)' "$TMP/growth")" "" \
        "... none grows by more than P log P"
    # a leader enters a round of the frontier when its node has come far, or
    # 100 us after the last one: at most so many of 576 messages
    is "$(sed -n 's/.*frontier=\([0-9]*\).*/\1/p' "$TMP/on64" |
        awk '$1 > 12 * 576')" "" "... few rounds of the frontier"
    for figure in rank_kib node_shared_kib aggregator_kib; do
        more=64 # an aggregator: some buffers of 1 MiB, at most 32
        [ $figure != aggregator_kib ] || more=3072
        small=$(field $figure "$TMP/on16") big=$(field $figure "$TMP/on64")
        ok "... $figure: $small, then $big" test "$big" -le \
            $((small + small / 10 + more))
    done
done

ok "variables of a weather model, cut in tiles" simulate scale --ranks 24 \
    --nodes 4 --kind 7 --record 120 --bytes 20000 --calls 3 \
    --hint:striping_unit 65536
ok "1,000 OSTs, a rank on each of 100 nodes" simulate scale --ranks 100 \
    --nodes 100 --osts 1000 --bytes 640k --record 64k \
    --hint:striping_factor 1000 --hint:striping_unit 65536
ok "512 ranks on 64 nodes" simulate scale --ranks 512 --nodes 64 --osts 16 \
    --bytes 16k --record 2k --hint:striping_factor 16
ok "4,096 ranks on 256 nodes" simulate scale --ranks 4096 --nodes 256 \
    --osts 64 --bytes 8k --record 2k --poll-time 100000 \
    --hint:striping_factor 64 --hint:cb_buffer_size 1048576
tap_done
