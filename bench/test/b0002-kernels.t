#!/bin/sh
# b0002-kernels - the inner loops take no more instructions than committed
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
command -v valgrind >/dev/null || skip_all "no valgrind"

TIMEOUT=300
counts=$SRC/bench/kernels.counts
compiler="$(cc -dumpmachine) $(cc -dumpfullversion -dumpversion)"
[ "$(sed -n 's/^# compiler: //p' "$counts")" = "$compiler" ] ||
    skip_all "counts are for $(sed -n 's/^# compiler: //p' "$counts"), not for $compiler"

tap_plan 4
run() {
    status=0
    limited "$SRC/bench/lbench" run kernels --dir "$TMP" --out "$TMP/out" "$@" \
        >"$TMP/said" 2>&1 </dev/null || status=$?
}

run
is "$status" 0 "no kernel takes 5 % more"
sed 's/^/# /' "$TMP/said"
is "$(grep -c 'instructions, committed' "$TMP/said")" \
    "$(grep -c '^[a-z]' "$counts")" "every kernel is compared"

# a limit that is too low
awk '/^coverage/ { $2 = int($2 * 0.9) } { print }' "$counts" >"$TMP/low"
run --counts "$TMP/low"
is "$status" 1 "11 % more: exit status 1"
is "$(grep FAILS "$TMP/said" | cut -d ' ' -f 1)" coverage "of the kernel that has it"
