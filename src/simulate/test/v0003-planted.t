#!/bin/sh
# v0003-planted - known bugs in a copy of the driver, which simulate finds
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../mpi/romio/test/lib.sh"
TIMEOUT=${ADL_TIMEOUT:-7200}
SIMULATE=$BUILD/simulate
[ -x "$SIMULATE" ] ||
    skip_all "no simulate at $SIMULATE (x86_64 only; make check TESTS=)"
[ -f "$BUILD/Makefile" ] || skip_all "no build directory that make knows"

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
