#!/bin/sh
# t7001-hdf5-testpar - HDF5's own parallel tests through the plug-in
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

# in_dir RUNNER DIR PROG: 4 ranks in a directory of their own. The programs find
# it as working directory or by HDF5_PARAPREFIX; t_cache_image starts itself.
in_dir() {
    ln -sf "$tests/t_cache_image" "$2/t_cache_image"
    (cd "$2" && HDF5_PARAPREFIX=$2 "$1" 4 "$tests/$3")
}

# passes RUNNER DIR PROG [FIRST]: FIRST leaves the file that PROG looks at; how
# it ends does not matter, for t_pflush1 leaves without MPI_Finalize.
passes() {
    rm -rf "$2"
    mkdir "$2"
    [ -z "${4:-}" ] || in_dir "$1" "$2" "$4" >"$TMP/$1.first" 2>&1 || true
    suite_rc=0
    in_dir "$1" "$2" "$3" >"$TMP/$1.out" 2>&1 || suite_rc=$?
    rm -rf "$2"
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
    if passes sim_run "$SIM/work" "$@"; then
        suite_pass "$1"
    elif ours_rc=$suite_rc && passes mpi_run "$TMP/plain" "$@"; then
        suite_fail "$1"
        diag "passes with plain MPICH, not with ours (exit status $ours_rc):"
        diag_file "$TMP/sim_run.out"
    else
        suite_skip "$1" "not with plain MPICH either: $(
            suite_reason $suite_rc "$TMP/mpi_run.out")"
    fi
}

is "$(ldd "$tests/testphdf5" | sed -n 's/.*=> \(.*libhdf5[^ ]*\) .*/\1/p' |
    grep -c mpich)" 1 "they use the installed libhdf5-mpich"
export ROMIO_LUSTRE_VERBOSE=1
testpar always 300 t_mpi
unset ROMIO_LUSTRE_VERBOSE
is "$(grep -c '^romio-lustre ' "$TMP/sim_run.out")" 1 "through the plug-in"
ok "on lustre-sim" [ "$(sim_count write_rpc)" -gt 0 ]
for prog in t_init_term t_pread t_pshutdown; do
    testpar always 120 $prog
done
testpar always 120 t_prestart t_pshutdown
testpar always 120 t_pflush2 t_pflush1
testpar always 300 t_filters_parallel
testpar always 300 t_shapesame
testpar always 600 testphdf5
testpar full 1800 t_bigio
testpar full 3600 t_cache
testpar full 3600 t_cache_image
suite_summary "HDF5 testpar, plug-in"
tap_done
