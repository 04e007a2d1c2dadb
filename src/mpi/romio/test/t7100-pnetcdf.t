#!/bin/sh
# t7100-pnetcdf - PnetCDF's tests, examples and benchmarks through the plug-in
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
. "$(dirname "$0")/pnetcdf.sh"
need_plugin
need_sim

# One rank needs no mpiexec.
ours() {
    n=$1
    shift
    if [ "$n" = 1 ]; then
        sim_one "$@"
    else
        sim_run "$n" "$@"
    fi
}

pnetcdf_plain() {
    mpi_run "$@"
}

sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null
is "$(suite_driver "$SIM/driver")" LUSTRE: "the driver is ours"
pnetcdf_suites "PnetCDF, plug-in:" "$MPICC" check plugin
tap_done
