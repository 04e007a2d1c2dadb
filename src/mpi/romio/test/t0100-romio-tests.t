#!/bin/sh
# t0100-romio-tests - ROMIO's own test programs through the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
need_plugin

ours() {
    plugin_run "$@"
}
OURS_PREFIX=lustre:

tests=$("$SRC/maint/build-mpi-tests" --mpicc "$MPICC" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "the test programs can be built"
    tap_done
    exit 1
}
is "$(suite_driver "lustre:$TMP/driver")" LUSTRE: "the driver is ours"
suite_romio "$tests/romio"
suite_summary "ROMIO, plug-in"
tap_done
