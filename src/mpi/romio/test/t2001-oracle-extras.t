#!/bin/sh
# t2001-oracle-extras - random cases with all that programs do beside plain calls
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Node buffers of 64 KiB to 4 MiB and more data than they hold, hints, atomicity
# and views that change between outstanding calls, memory with ghost layers,
# views for reading that overlap themselves, uneven ranks, several files at
# once, ranks that are stopped for a while. These cases are larger than those of
# t2000 and t3000: 80 of them, 2,000 with ADL_CHECK_FULL=1.
. "$(dirname "$0")/oracle.sh"
EXTRAS=${ADL_TEST_EXTRAS:-all}

tap_plan 9

ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"

batch on_memory 1 8 10 all
batch on_memory 2 8 15 write
batch on_memory 2 8 15 read
batch on_memory 3 9 10 nonblock
batch on_memory 6 6 10 all
batch on_lustre 2 8 10 all
batch on_lustre 4 4 10 nonblock

# A case that does not end is a failure, told with the line that repeats it: a
# write takes longer than the case may.
hangs() {
    rm -rf "$FAST/sim"
    "$SIM" mkfs --osts 2 "$FAST/sim" || return 1
    limited "$SIM" run --root "$FAST/sim" --fault write:delay=9000:n=2 \
        "$MPIEXEC" -n 2 -genv LD_PRELOAD \
        "$CALM:$PLUGIN:$("$SIM" --preload)" "$TMP/oracle" --what write \
        --extras none --seed 3 --cases 20 --timeout 2 \
        --file "lustre:$FAST/sim/f" </dev/null >"$TMP/hang" 2>&1
    rc=$?
    cat "$TMP/hang"
    [ $rc -ne 0 ] && [ $rc -lt 124 ] && grep -q "HANGS seed 3 case" "$TMP/hang" &&
        grep -q "replay: .*--extras none .*--seed 3 --case" "$TMP/hang"
}
if [ -x "$SIM" ]; then
    ok "a case that does not end is told, with the line that repeats it" hangs
else
    skip 1 "no lustre-sim at $SIM"
fi
