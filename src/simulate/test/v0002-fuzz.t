#!/bin/sh
# v0002-fuzz - random cases in the simulated machine; those that failed once
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../mpi/romio/test/lib.sh"
TIMEOUT=${ADL_TIMEOUT:-3600}
SIMULATE=$BUILD/simulate
[ -x "$SIMULATE" ] ||
    skip_all "no simulate at $SIMULATE (x86_64 only; make check TESTS=)"

# A number of cases, not of seconds: a slow machine must not test less. The same
# ones each time; with --full new ones for an hour, 3,000 at least.
FIRST=${ADL_TEST_SEED:-9}000
how="--cases 80 --seconds 100000"
LEAST=80
if [ $FULL = yes ]; then
    FIRST=${ADL_TEST_SEED:-$(date +%s)}000
    LEAST=3000 how="--seconds 3600"
fi

rc=0
# shellcheck disable=SC2086 # words
limited "$SIMULATE" fuzz --corpus "$SRC/src/simulate/test/corpus" $how \
    --at-least $LEAST --first "$FIRST" >"$TMP/log" 2>&1 </dev/null || rc=$?
grep "cases, .* failed" "$TMP/log" | tail -n 1 | awk '{ print "# " $0 }'
cases=$(sed -n 's/^\([0-9]*\) cases, 0 failed$/\1/p' "$TMP/log")
if [ $rc -eq 0 ] && [ "${cases:-0}" -ge $LEAST ]; then
    pass "at least $LEAST cases from $FIRST on"
else
    fail "at least $LEAST cases from $FIRST on"
    grep -v "^simulate:" "$TMP/log" | head -n 60 | awk '{ print "# " $0 }'
fi
tap_done
