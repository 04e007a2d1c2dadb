#!/bin/sh
# t7001-hdf5-testpar - HDF5's own parallel tests through the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
need_plugin
need_sim
pkg-config --exists hdf5-mpich 2>/dev/null || skip_all "no libhdf5-mpich-dev"

"$SRC/maint/get-source" hdf5 >/dev/null 2>"$TMP/source.err" || {
    suite_skip testpar "no source: $(tail -n 1 "$TMP/source.err")"
    suite_summary "HDF5 testpar, plug-in"
    tap_done
    exit 0
}
tests=$("$SRC/maint/build-hdf5-tests" --mpicc "$MPICC" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "HDF5's parallel tests can be built"
    tap_done
    exit 1
}
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null

ours() {
    sim_run "$@"
}

ranks=4

# in_dir RUNNER PROG: in suite_dir, which the programs find as working directory
# or by HDF5_PARAPREFIX; t_cache_image starts itself from there.
in_dir() {
    ln -sf "$tests/t_cache_image" "$suite_dir/t_cache_image"
    (cd "$suite_dir" && HDF5_PARAPREFIX=$suite_dir "$1" $ranks "$tests/$2")
}

# passes RUNNER PROG [FIRST]: FIRST leaves the file that PROG looks at; how it
# ends does not matter, for t_pflush1 leaves without MPI_Finalize.
passes() {
    suite_place "$1"
    [ -z "${3:-}" ] || in_dir "$1" "$3" >"$TMP/first.out" 2>&1 || true
    suite_rc=0
    in_dir "$1" "$2" >"$TMP/$1.out" 2>&1 || suite_rc=$?
    rm -rf "$suite_dir"
    [ $suite_rc = 0 ]
}

# testpar WHEN LIMIT PROG [FIRST]: WHEN is always or full
testpar() {
    if [ "$1" = full ] && [ "$FULL" = no ]; then
        suite_skip "$3" "minutes, with maint/check --full only"
        return 0
    fi
    TIMEOUT=$2
    shift 2
    suite_compare "$1" passes "$@"
}

is "$(ldd "$tests/testphdf5" | sed -n 's/.*=> \(.*libhdf5[^ ]*\) .*/\1/p' |
    grep -c mpich)" 1 "they use the installed libhdf5-mpich"
export ROMIO_LUSTRE_VERBOSE=1
testpar always 300 t_mpi
unset ROMIO_LUSTRE_VERBOSE
is "$(grep -c '^romio-lustre ' "$TMP/ours.out")" 1 "through the plug-in"
ok "on lustre-sim" [ "$(sim_count write_rpc)" -gt 0 ]

# The rest, the short ones first.
for prog in t_init_term t_pread t_pshutdown; do
    testpar always 120 $prog
done
testpar always 120 t_prestart t_pshutdown
testpar always 120 t_pflush2 t_pflush1
testpar always 300 t_filters_parallel
testpar always 600 testphdf5
[ "$FULL" = no ] || export HDF5TestExpress=0 # they leave nothing out
testpar always 600 t_shapesame
testpar full 1800 t_bigio
unset HDF5TestExpress
testpar full 3600 t_cache
testpar full 3600 t_cache_image
suite_summary "HDF5 testpar, plug-in"

# Data and I/O again, with ranks that are dealt to three nodes.
if [ "$FULL" = yes ]; then
    ranks=6
    ours() {
        node_run 3 "$@"
    }
    for prog in t_mpi t_pread t_filters_parallel t_shapesame testphdf5; do
        testpar full 1200 $prog
    done
    suite_summary "HDF5 testpar, 3 nodes"
fi
tap_done
