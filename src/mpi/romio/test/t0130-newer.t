#!/bin/sh
# t0130-newer - plug-in and fork from another MPICH tree: oracle, its own tests
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# ADL_MPICH_SOURCE is the tree or tarball. maint/check builds the fork from it and
# the plug-in from its ROMIO, over the fork's MPI, and names where they are in
# ADL_NEWER. Everything here is compiled and run with that MPI.
if [ -n "${ADL_NEWER:-}" ]; then
    export ADL_BUILD="$ADL_NEWER/plain"
    export ADL_MPICC="$ADL_NEWER/fork/bin/mpicc"
    export ADL_MPIEXEC="$ADL_NEWER/fork/bin/mpiexec"
fi
. "$(dirname "$0")/oracle.sh"
. "$(dirname "$0")/suite.sh"
[ -n "${ADL_NEWER:-}" ] ||
    skip_all "no other MPICH: ADL_MPICH_SOURCE is not set"

# The thread level makes waiting loops give up the processor, which politewait
# turns into sleep.
export MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE
with=$PLUGIN
FOUND=$TMP/fstype

# ours: with the driver of the plug-in, or of the fork, whichever is in turn
ours() {
    n=$1
    shift
    # shellcheck disable=SC2086 # none or an option with two arguments
    limited "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$(preload "$PLUGIN")" $force \
        "$@" </dev/null
}
force=

# Which plug-in is at work, and that the fork's own driver works without it.
identity() {
    version=$("$SRC/maint/mpich-tree" \
        "$("$SRC/maint/get-mpich" --source "$ADL_MPICH_SOURCE")")
    like "$("$BUILD/romio-lustre" info "$FOUND")" \
        "ROMIO of MPICH $version" "the plug-in has ROMIO of MPICH $version"
    like "$("$BUILD/romio-lustre" info "$FOUND")" \
        "^MPI library .*$version" "over the MPI of the same tree"
    like "$(ROMIO_LUSTRE_VERBOSE=1 ours 1 "$FOUND" "lustre:$TMP/d" 2>&1)" \
        "ROMIO of MPICH $version" "and is at work"
    for program in io/rdwrord f77/io/writef f90/io/writef90 cxx/io/writex; do
        [ ! -x "$tests/mpi/$program" ] ||
            like "$(ldd "$tests/mpi/$program")" "libmpi\.so.* => $ADL_NEWER/" \
                "$program is linked with it"
    done
    PLUGIN=
    like "$(ROMIO_LUSTRE_VERBOSE=1 ours 1 "$FOUND" "lustre:$TMP/d" 2>&1)" \
        "^LUSTRE:" "the fork has the driver inside"
    PLUGIN=$with
    is "$(ADL_FORK=$ADL_NEWER/fork "$here/t6008-pvars.t" 2>&1 |
        grep -c '^ok .* - ')" 4 "and its counters are variables of MPI_T"
}

# own: our scripts that look at the plug-in itself, one test each
own() {
    for script in t0001-symbols t0002-functions t0004-errors t0006-profiling \
        t0012-fit t0013-sessions t2060-oddtypes t4003-failures; do
        ok "$script passes there" env ADL_FORK="$ADL_NEWER/fork" \
            "$here/$script.t"
    done
}

# oracle: the driver in turn against the model; a launch is hundreds of cases
oracle() {
    TIMEOUT=${ADL_TIMEOUT:-1500}
    batch on_memory 1 8 200 write
    batch on_memory 3 9 150 write
    batch on_memory 1 8 150 read
    batch on_memory 2 8 100 read
    batch on_lustre 1 6 100 write
    batch on_lustre 3 6 100 read
}

# suites NAME: ROMIO's and MPICH's own I/O tests of that tree
suites() {
    TIMEOUT=$suite_limit
    OURS_PREFIX=lustre:
    force=
    suite_romio "$tests/romio"
    suite_summary "ROMIO $version, $1"
    OURS_PREFIX=
    force="-genv ROMIO_FSTYPE_FORCE lustre:"
    list="io errors/io"
    [ "$FULL" = no ] || list="$list f77/io f90/io f08/io"
    for suite in $list; do
        [ ! -f "$tests/mpi/$suite/testlist" ] ||
            suite_list "$tests/mpi/$suite" "$suite"
    done
    suite_summary "MPICH $version I/O, $1"
    force=
}

tests=$("$SRC/maint/build-mpi-tests" --source "$ADL_MPICH_SOURCE" \
    --mpicc "$MPICC" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "the test programs can be built"
    tap_done
    exit 1
}
ok "fstype compiles" "$MPICC" -o "$FOUND" "$here/fstype.c"
identity
own
ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"
for turn in plug-in fork; do
    [ $turn = plug-in ] || PLUGIN=
    oracle
    suites $turn
done
tap_done
