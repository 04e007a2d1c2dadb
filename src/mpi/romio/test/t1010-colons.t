#!/bin/sh
# t1010-colons - file names with colons: C, Fortran, HDF5, hints, reports, fork
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
MPIFORT=${ADL_MPIFORT:-$(command -v mpifort.mpich || echo mpifort)}
name=history.2023-03-10_15:00:00.nc
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 2 || exit 1
mkdir "$SIM/day:1" "$TMP/plain"

# pairs: names for colons.c; wanted DRIVER: what it must print of them, where
# DRIVER is the file system's own
pairs() {
    for f in $name x:y :first last: C:temp a::b day:1/f; do
        echo "$f $f"
    done
    echo "lustre:p:q p:q"
    echo "LUSTRE:r r"
    echo "ufs:s:t s:t"
    echo "./ufs:u ufs:u"
    echo "http://absent/x -"
    echo "pvfs2:v -"
}
wanted() {
    pairs | while read -r given literal; do
        case $given in
        lustre:* | LUSTRE:*) echo "$given LUSTRE:" ;;
        ufs:*) echo "$given UFS:" ;;
        *) [ "$literal" = - ] && echo "$given refused" || echo "$given $1" ;;
        esac
    done | sed 's/UFS:$/UFS: Generic ROMIO driver for all UNIX-like file systems/'
}

"$MPICC" -o "$TMP/colons" "$here/colons.c" ||
    { echo "Bail out! colons does not compile"; exit 1; }
# shellcheck disable=SC2046 # a list of names without blanks
got=$(cd "$SIM" && sim_run 3 "$TMP/colons" $(pairs) 2>&1)
is "$got" "$(wanted LUSTRE:)" "on Lustre: the whole name is the file's"
mkdir "$TMP/plain/day:1"
# shellcheck disable=SC2046
got=$(cd "$TMP/plain" && plugin_run 2 "$TMP/colons" $(pairs) 2>/dev/null)
is "$got" "$(wanted UFS:)" "on another file system too"
got=$(cd "$TMP/plain" && ROMIO_FSTYPE_FORCE=lustre: \
    plugin_run 1 "$TMP/colons" $name $name 2>/dev/null)
is "$got" "$name LUSTRE:" "ROMIO_FSTYPE_FORCE is obeyed"

if command -v "$MPIFORT" >/dev/null && command -v gfortran >/dev/null; then
    ok "Fortran compiles" "$MPIFORT" -Wno-unused -o "$TMP/f08" \
        "$here/fortran_f08.f90"
    ok "Fortran runs" sim_run 2 "$TMP/f08" "$SIM/f_$name"
    ok "and leaves the file" test -f "$SIM/f_$name"
else
    skip 3 "no Fortran compiler"
fi

# hdf5 NAME: is the file that it leaves there an HDF5 file?
hdf5_package=hdf5-${ADL_MPI:-mpich}
hdf5() {
    # shellcheck disable=SC2046 # compiler options
    "$MPICC" $(pkg-config --cflags $hdf5_package) -o "$TMP/hdf5" \
        "$here/hdf5_par.c" $(pkg-config --libs $hdf5_package) &&
        sim_run 2 "$TMP/hdf5" "$1" && [ "$(head -c 4 "$1" | tail -c 3)" = HDF ]
}
if pkg-config --exists $hdf5_package 2>/dev/null; then
    ok "HDF5" hdf5 "$SIM/h_$name"
else
    skip 1 "no lib$hdf5_package-dev"
fi

# PnetCDF, which Debian has for Open MPI: it takes off what is before the first
# colon itself, so the name has a file system before it (doc/names.md)
cat >"$TMP/pnetcdf.c" <<'END'
#include <pnetcdf.h>
int main(int argc, char **argv)
{
    int nc, dim, rc;

    MPI_Init(&argc, &argv);
    rc = ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &nc);
    rc = rc || ncmpi_def_dim(nc, "x", 10, &dim) || ncmpi_close(nc);
    rc = rc || ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL,
                          &nc);
    rc = rc || ncmpi_inq_dimid(nc, "x", &dim) || ncmpi_close(nc);
    rc = rc || ncmpi_delete(argv[2], MPI_INFO_NULL);
    MPI_Finalize();
    return rc;
}
END
if [ "${ADL_MPI:-mpich}" = openmpi ] && [ -f /usr/include/pnetcdf.h ]; then
    ok "PnetCDF compiles" "$MPICC" -o "$TMP/pnetcdf" "$TMP/pnetcdf.c" -lpnetcdf
    : >"$SIM/gone_$name"
    ok "PnetCDF creates, opens, deletes" sim_run 1 "$TMP/pnetcdf" \
        "lustre:$SIM/p_$name" "lustre:$SIM/gone_$name"
    is "$(head -c 3 "$SIM/p_$name") $(ls "$SIM/gone_$name" 2>/dev/null)" "CDF " \
        "files of these names"
fi

# hints and reports
"$MPICC" -o "$TMP/opener" "$here/opener.c"
out=$(MPICH_MPIIO_HINTS="h_15:00:00.nc:striping_factor=3,*:striping_factor=1" \
    MPICH_MPIIO_STATS=1 MPICH_MPIIO_HINTS_DISPLAY=1 \
    ROMIO_LUSTRE_REPORT="$TMP/report.json" \
    sim_run 2 "$TMP/opener" "$SIM/h_15:00:00.nc" write read 2>&1)
is "$(sim_layout stripe_count "$SIM/h_15:00:00.nc")" 3 \
    "a pattern with colons as they are"
like "$out" "MPIIO hints for $SIM/h_15:00:00.nc:\$" "the display names the file"
like "$out" "access patterns for $SIM/h_15:00:00.nc\$" "so do the statistics"
like "$(cat "$TMP/report.json")" "/h_15:00:00.nc\"" "the report names the file"

# the fork
if [ -x "${ADL_FORK:-none}/bin/mpiexec" ]; then
    # shellcheck disable=SC2046
    got=$(cd "$SIM" && limited env LD_PRELOAD="$(preload)" "$LUSTRE_SIM" run \
        --root "$SIM" "$ADL_FORK/bin/mpiexec" -n 2 \
        -genv LD_LIBRARY_PATH "$ADL_FORK/lib" \
        -genv MPIR_CVAR_DEFAULT_THREAD_LEVEL MPI_THREAD_MULTIPLE \
        "$TMP/colons" $(pairs) </dev/null 2>/dev/null)
    is "$got" "$(wanted LUSTRE:)" "the fork does the same"
else
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
tap_done
