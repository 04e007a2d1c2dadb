#!/bin/sh
# t7003-netcdf4 - netCDF-4's parallel tests over HDF5 through the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
need_plugin
need_sim
pkg-config --exists hdf5-mpich 2>/dev/null || skip_all "no libhdf5-mpich-dev"
suite="netCDF-4 parallel, plug-in"

# stop REASON: nothing of it can run
stop() {
    suite_skip nc_test4 "$1"
    suite_summary "$suite"
    tap_done
    exit 0
}

[ "$FULL" = yes ] || stop "built from source, with maint/check --full only"
"$SRC/maint/get-source" netcdf >/dev/null 2>"$TMP/source.err" ||
    stop "no source: $(tail -n 1 "$TMP/source.err")"
tests=$("$SRC/maint/build-netcdf-tests" --mpicc "$MPICC" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "netCDF-4 can be built over libhdf5-mpich"
    tap_done
    exit 1
}
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
TIMEOUT=600

ours() {
    sim_run "$@"
}

# passes RUNNER RANKS PROG: the files go into the working directory
passes() {
    suite_place "$1"
    suite_rc=0
    (cd "$suite_dir" && "$1" "$2" "$tests/nc_test4/$3") >"$TMP/$1.out" 2>&1 ||
        suite_rc=$?
    rm -rf "$suite_dir"
    [ $suite_rc = 0 ]
}

# netcdf RANKS PROG
netcdf() {
    suite_compare "$2-$1" passes "$@"
}

# the ranks of netCDF's own run_par_test.sh
netcdf 1 tst_mode
for prog in tst_mpi_parallel tst_parallel tst_parallel5 tst_parallel6 \
    tst_nc4perf tst_parallel_zlib tst_quantize_par; do
    netcdf 4 $prog
done
netcdf 16 tst_parallel3
for ranks in 1 2 4 8; do
    netcdf $ranks tst_parallel4
done
for ranks in 1 2 4; do
    netcdf $ranks tst_simplerw_coll_r
done
for ranks in 1 4; do
    netcdf $ranks tst_parallel_compress
done
ok "on lustre-sim" [ "$(sim_count write_rpc)" -gt 0 ]
suite_summary "$suite"
tap_done
