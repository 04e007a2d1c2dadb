#!/bin/sh
# t0110-mpich-io - MPICH's I/O tests (C, C++, three Fortrans) and the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
need_plugin

# The programs choose their file names: force the driver.
ours() {
    n=$1
    shift
    limited "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$(preload "$PLUGIN")" \
        -genv ROMIO_FSTYPE_FORCE lustre: "$@" </dev/null
}

tests=$("$SRC/maint/build-mpi-tests" --mpicc "$MPICC" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "the test programs can be built"
    tap_done
    exit 1
}
is "$(suite_driver "$TMP/driver")" LUSTRE: "the driver is ours"
for suite in io errors/io f77/io; do
    suite_list "$tests/mpi/$suite" "$suite"
done
for suite in f90/io f08/io cxx/io; do
    suite_list "$tests/mpi/$suite" "$suite" light
done
suite_summary "MPICH I/O, plug-in"
tap_done
