#!/bin/sh
# v0003-planted - known bugs in a copy of the driver, which simulate finds
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../mpi/romio/test/lib.sh"
TIMEOUT=${ADL_TIMEOUT:-7200}
SIMULATE=$BUILD/simulate
[ -x "$SIMULATE" ] ||
    skip_all "no simulate at $SIMULATE (x86_64 only; make check TESTS=)"
[ -f "$BUILD/Makefile" ] || skip_all "no build directory that make knows"

# what the list replaces must stand in the driver, once
"$SRC/maint/plant-bugs" --dry-run >"$TMP/log" 2>&1 </dev/null
is $? 0 "the edits of all bugs fit"
grep -v ': fits$' "$TMP/log" | awk '{ print "# " $0 }'
is "$(grep -c ': fits$' "$TMP/log")" \
    "$(grep -c '^bug ' "$SRC/src/simulate/test/planted")" "... of every one"
not_ok "a bug that is not in the list" "$SRC/maint/plant-bugs" --dry-run nosuch

# two that are found in seconds; with --full all of the list
names="round-dropped short-write"
[ $FULL = no ] || names=$(awk '$1 == "bug" { print $2 }' \
    "$SRC/src/simulate/test/planted")
rc=0
# shellcheck disable=SC2086 # names
limited "$SRC/maint/plant-bugs" "$BUILD" $names >"$TMP/log" 2>&1 </dev/null ||
    rc=$?
for name in $names; do
    line=$(grep "^$name: " "$TMP/log")
    case $line in
    *": found by"*) pass "$line" ;;
    *) fail "${line:-$name: nothing said}" ;;
    esac
done
is $rc 0 "all of them are found"
tap_done
