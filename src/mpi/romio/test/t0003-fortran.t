#!/bin/sh
# t0003-fortran - Fortran programs: mpif.h, module mpi, module mpi_f08
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test
MPIFORT=${ADL_MPIFORT:-$(command -v mpifort.mpich || echo mpifort)}
command -v "$MPIFORT" >/dev/null || skip_all "no mpifort"
command -v gfortran >/dev/null || skip_all "no Fortran compiler"

tap_plan 9

for source in fortran_mpif.f fortran_mpi.f90 fortran_f08.f90; do
    prog=$TMP/${source%.*}
    ok "$source compiles" "$MPIFORT" -Wno-unused -o "$prog" "$here/$source"
    ROMIO_FSTYPE_FORCE=lustre: ok "$source runs through the driver" \
        plugin_run 3 "$prog" "$TMP/f.$source"
    # and really through ours: the library names itself when asked
    out=$(ROMIO_LUSTRE_VERBOSE=1 plugin_run 1 "$prog" "lustre:$TMP/g" 2>&1)
    like "$out" "^romio-lustre [0-9]" "$source uses the plug-in"
done
