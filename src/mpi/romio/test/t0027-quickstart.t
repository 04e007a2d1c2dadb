#!/bin/sh
# t0027-quickstart - the first thing that people run, and its table
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
[ -x "$BUILD/heat3d" ] || skip_all "no heat3d in $BUILD"

tap_plan 6
TIMEOUT=${ADL_TIMEOUT:-600}
ok "it runs" limited "$SRC/maint/quickstart" --dir "$BUILD" --no-install
cp "$TMP/.out" "$TMP/said"
plugins=$(find "$BUILD" -maxdepth 1 -name 'libromio_lustre*.so' | wc -l)
is "$(grep -c '^ *the plug-in fits$' "$TMP/said")" "$plugins" \
    "it says of each of $plugins plug-ins that it fits"

# row TEXT: seconds, lock requests, callbacks, write RPCs, read RPCs
row() {
    sed -n "s/^$1  *\([0-9].*\)/\1/p" "$TMP/said"
}
# shellcheck disable=SC2046 # columns
set -- $(row "the same with lockahead")
diag "lockahead: ${2-?} lock requests, ${3-?} callbacks, ${4-?} write RPCs"
is $# 5 "its table has a row for lockahead"
# 28,311,552 bytes in stripes of 1 MiB
is "$((${2-0} >= 20 && ${2-0} <= 36))" 1 \
    "with about as many lock requests as the 27 stripes"
is "${3-none}" 0 "and no callback"
# shellcheck disable=SC2046
set -- $(row "ours, defaults")
is "${3-none}" 0 "nor by default"
