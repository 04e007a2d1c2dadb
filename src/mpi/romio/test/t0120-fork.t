#!/bin/sh
# t0120-fork - the MPICH fork: compilers, Debian's programs, the I/O tests
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
here=$SRC/src/mpi/romio/test
fork=${ADL_FORK:-}
[ -n "$fork" ] || skip_all "no fork: set ADL_FORK to a prefix of maint/build-fork"
[ -x "$fork/bin/mpiexec" ] || skip_all "no fork at $fork: run maint/build-fork"

# The thread level makes the fork's waiting loops give up the processor, which
# politewait turns into sleep. The library path is for Debian's programs.
fork_run() {
    n=$1
    shift
    # shellcheck disable=SC2086 # none or an option with two arguments
    limited "$fork/bin/mpiexec" -n "$n" \
        -genv MPIR_CVAR_DEFAULT_THREAD_LEVEL MPI_THREAD_MULTIPLE \
        -genv LD_PRELOAD "$(preload)" -genv LD_LIBRARY_PATH "$library_path" \
        $force "$@" </dev/null
}
library_path=
force=

# driver PROG NAME: which driver served the file
driver() {
    fork_run 2 "$@" 2>"$TMP/driver.err"
}

# The fork's own compilers; their programs find the library by themselves.
compilers() {
    ok "mpicc compiles" "$fork/bin/mpicc" -o "$TMP/fstype" "$here/fstype.c"
    is "$(driver "$TMP/fstype" "lustre:$TMP/d")" LUSTRE: \
        "its program runs, with our driver"
    like "$(driver "$TMP/fstype" "$TMP/d")" "^UFS:" "and with another elsewhere"
    like "$(ldd "$TMP/fstype")" "=> $fork/lib/+libmpi.so.12" \
        "it finds the fork's library"
    for source in fortran_mpif.f fortran_mpi.f90 fortran_f08.f90; do
        ok "mpifort compiles $source" "$fork/bin/mpifort" \
            -o "$TMP/${source%.*}" "$here/$source"
        ok "$source runs" fork_run 3 "$TMP/${source%.*}" \
            "lustre:$TMP/$source.data"
    done
    is "$(grep -rl romio-lustre-fork-prefix "$fork/bin" "$fork/lib")" "" \
        "nothing refers to the place it was built for"
}

hdf5_compile() {
    # shellcheck disable=SC2046 # compiler options
    "$MPICC" $(pkg-config --cflags hdf5-mpich) -o "$TMP/hdf5_par" \
        "$here/hdf5_par.c" $(pkg-config --libs hdf5-mpich)
}

# Programs of Debian's MPICH, unchanged.
debian_programs() {
    library_path=$fork/lib
    like "$(LD_LIBRARY_PATH=$fork/lib ldd "$tests/mpi/io/rdwrord")" \
        "libmpich.so.12 => $fork/lib/+libmpich.so.12" \
        "a program of Debian's MPICH finds the fork"
    if ! pkg-config --exists hdf5-mpich 2>/dev/null; then
        skip 3 "no libhdf5-mpich-dev"
        return 0
    fi
    ok "a program of Debian's HDF5 compiles" hdf5_compile
    ok "it runs on the fork" fork_run 3 "$TMP/hdf5_par" "lustre:$TMP/h5"
    is "$(head -c 4 "$TMP/h5" | tail -c 3)" HDF "and leaves an HDF5 file"
}

# With --full everything; else what covers each kind of call once.
suites() {
    library_path=$fork/lib
    OURS_PREFIX=lustre:
    suite_romio "$tests/romio"
    suite_summary "ROMIO, fork"
    OURS_PREFIX=
    force="-genv ROMIO_FSTYPE_FORCE lustre:"
    suite_list "$tests/mpi/io" io
    suite_list "$tests/mpi/errors/io" errors/io
    if [ "$FULL" = no ]; then
        suite_list "$tests/mpi/f77/io" f77/io light
        diag "f90, f08 and C++: with maint/check --full"
    else
        for suite in f77/io f90/io f08/io cxx/io; do
            suite_list "$tests/mpi/$suite" "$suite"
        done
    fi
    suite_summary "MPICH I/O, fork"
}

ours() {
    fork_run "$@"
}

tests=$("$SRC/maint/build-mpi-tests" --mpicc "$MPICC" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "the test programs can be built"
    tap_done
    exit 1
}
compilers
debian_programs
suites
tap_done
