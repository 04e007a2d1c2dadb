#!/bin/sh
# v0002-fuzz - random cases in the simulated machine; those that failed once
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../mpi/romio/test/lib.sh"
TIMEOUT=${ADL_TIMEOUT:-3600}
SIMULATE=$BUILD/simulate
[ -x "$SIMULATE" ] ||
    skip_all "no simulate at $SIMULATE (x86_64 only; make check TESTS=)"

# The corpus, then the same numbers each time, so that a driver that is right
# today is right tomorrow: LEAST cases at least, however slow the machine; what
# 3 minutes allow beyond it; never more than MOST. With --full new numbers for
# an hour.
FIRST=${ADL_TEST_SEED:-9}000
LEAST=150 MOST=600 TIME=180
if [ $FULL = yes ]; then
    FIRST=${ADL_TEST_SEED:-$(date +%s)}000
    LEAST=3000 MOST=1000000000 TIME=3600
fi
JOBS=$(nproc 2>/dev/null || echo 1)
[ "$JOBS" -le 4 ] || JOBS=4 # a case may take some hundred MiB

# fuzz ARG...: its output is in $TMP/log, the last line says how many cases
fuzz() {
    limited "$SIMULATE" fuzz "$@" >"$TMP/log" 2>&1 </dev/null
}
# cases: how many there were, nothing if one failed
cases() {
    sed -n 's/^\([0-9]*\) cases, 0 failed$/\1/p' "$TMP/log"
}

rc=0
fuzz --corpus "$SRC/src/simulate/test/corpus" --jobs "$JOBS" \
    --seconds $TIME --at-least $LEAST --cases $MOST --first "$FIRST" || rc=$?
grep "cases, .* failed" "$TMP/log" | tail -n 1 | awk '{ print "# " $0 }'
n=$(cases)
if [ $rc -eq 0 ] && [ "${n:-0}" -ge $LEAST ]; then
    pass "at least $LEAST cases from $FIRST on"
else
    fail "at least $LEAST cases from $FIRST on"
    grep -v "^simulate:" "$TMP/log" | head -n 60 | awk '{ print "# " $0 }'
fi

# the bounds: time ends what is beyond the least, and both jobs are counted
fuzz --first 3 --seconds 0 --at-least 3
is "$(cases)" 3 "no time: the least number of cases"
fuzz --first 3 --seconds 3600 --cases 5 --jobs 3
is "$(cases)" 5 "much time, three jobs: the largest number"
fuzz --first 3 --cases 4 --jobs 2 --library "$TMP/none"
is $? 2 "what cannot run at all ends the jobs"
for jobs in 1 3; do
    fuzz --first 3 --cases 9 --jobs $jobs --no-shrink \
        --faults write:n=1:count=1000:errno=EIO
    is $? 1 "cases fail, $jobs at a time"
    tail -n 1 "$TMP/log" >"$TMP/last.$jobs"
done
like "$(cat "$TMP/last.1")" "^9 cases, [1-9] failed" "... some of them"
is "$(cat "$TMP/last.3")" "$(cat "$TMP/last.1")" "... and the same number"
tap_done
