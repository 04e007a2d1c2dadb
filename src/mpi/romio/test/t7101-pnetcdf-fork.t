#!/bin/sh
# t7101-pnetcdf-fork - PnetCDF built with the fork's mpicc, run on the fork
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
. "$(dirname "$0")/pnetcdf.sh"
fork=${ADL_FORK:-}
[ -n "$fork" ] || skip_all "no fork: set ADL_FORK to a prefix of maint/build-fork"
[ -x "$fork/bin/mpiexec" ] || skip_all "no fork at $fork: run maint/build-fork"
need_sim
MPICC=$fork/bin/mpicc

# The thread level makes the fork's waiting loops give up the processor, which
# politewait turns into sleep.
export MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE

ours() {
    n=$1
    shift
    [ "$n" = 1 ] || set -- "$fork/bin/mpiexec" -n "$n" "$@"
    limited env LD_PRELOAD="$(preload)" "$LUSTRE_SIM" run --root "$SIM" "$@" \
        </dev/null
}

# The fork on an ordinary directory: ROMIO's driver for any file system.
pnetcdf_plain() {
    n=$1
    shift
    limited "$fork/bin/mpiexec" -n "$n" -genv LD_PRELOAD "$(preload)" "$@" \
        </dev/null
}

sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null
is "$(suite_driver "$SIM/driver")" LUSTRE: "the driver is ours"
pnetcdf_suites "PnetCDF, fork:" "$MPICC" check
tap_done
