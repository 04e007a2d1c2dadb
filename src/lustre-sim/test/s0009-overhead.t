#!/bin/sh
# s0009-overhead - without a profile a 1 MiB pwrite costs under 15 % more
. "$(dirname "$0")/sim.sh"
BENCH=$SRC/src/lustre-sim/bench/sim-overhead
tap_plan 1
[ -x "$BUILD/src/lustre-sim/bench/overhead" ] || { skip 1 "not built"; exit 0; }
# A busy machine may spoil a run: one in three must be good.
for _ in 1 2 3; do
    out=$(limited "$BENCH" --build "$BUILD" --dir "$FAST" --limit 1.15) && break
done
diag "$out"
like "$out" 'ratio (0\.|1\.0|1\.1[0-4])' "ratio below 1.15"
