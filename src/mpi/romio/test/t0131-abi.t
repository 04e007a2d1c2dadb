#!/bin/sh
# t0131-abi - the standard ABI of MPI 5: a plug-in for it, and the fork's library
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# As t0130: from the tree of ADL_MPICH_SOURCE maint/check builds a fork with
# libmpi_abi, and a plug-in for that. Programs are compiled with mpicc_abi.
if [ -n "${ADL_NEWER:-}" ]; then
    export ADL_BUILD="$ADL_NEWER/abi"
    export ADL_MPICC="$ADL_NEWER/fork/bin/mpicc_abi"
    export ADL_MPIEXEC="$ADL_NEWER/fork/bin/mpiexec"
    [ -d "$ADL_BUILD" ] || {
        echo "1..0 # SKIP this MPICH does not know the standard ABI"
        exit 0
    }
fi
. "$(dirname "$0")/oracle.sh"
. "$(dirname "$0")/suite.sh"
[ -n "${ADL_NEWER:-}" ] ||
    skip_all "no other MPICH: ADL_MPICH_SOURCE is not set"

export MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE
RL=$BUILD/romio-lustre
FOUND=$TMP/fstype

ours() {
    n=$1
    shift
    # shellcheck disable=SC2086 # none or an option with two arguments
    limited "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$(preload "$PLUGIN")" $force \
        "$@" </dev/null
}
force=

identity() {
    like "$(ldd "$FOUND")" "libmpi_abi\.so" "it is linked with libmpi_abi"
    out=$("$RL" info "$FOUND")
    is $? 0 "info: the plug-in fits it"
    like "$out" "ROMIO of MPICH .*, standard ABI\)" "info: and is of that ABI"
    like "$(ROMIO_LUSTRE_VERBOSE=1 ours 1 "$FOUND" "lustre:$TMP/d" 2>&1)" \
        "standard ABI\)" "it is at work"
}

# Each plug-in refuses what is the other's.
refusals() {
    ok "fstype compiles for MPICH's own ABI" "$ADL_NEWER/fork/bin/mpicc" \
        -o "$TMP/own" "$here/fstype.c"
    out=$("$RL" run "$TMP/own" "$TMP/d" 2>&1)
    is $? 1 "a program of MPICH's own ABI is refused"
    like "$out" "not with the standard ABI" "with the reason"
    out=$("$ADL_NEWER/plain/romio-lustre" run "$FOUND" "$TMP/d" 2>&1)
    is $? 1 "MPICH's plug-in refuses a program of the standard ABI"
    like "$out" "linked with the standard ABI of MPI 5" "with the reason"
}

own() {
    for script in t0001-symbols t0002-functions t0004-errors t0006-profiling \
        t0013-sessions t4003-failures; do
        ok "$script passes there" "$here/$script.t"
    done
    ok "toint compiles" "$MPICC" -Wall -Werror -o "$TMP/toint" "$here/toint.c"
    ok "MPI_File_toint and _fromint" plugin_run 2 "$TMP/toint" "lustre:$TMP/f"
}

# turn NAME: the oracle and ROMIO's and MPICH's own tests on that library
turn() {
    TIMEOUT=${ADL_TIMEOUT:-1500}
    batch on_memory 1 8 100 write
    batch on_memory 3 9 100 write
    batch on_memory 2 8 100 read
    batch on_lustre 3 6 60 write
    batch on_lustre 1 6 60 read
    TIMEOUT=$suite_limit
    OURS_PREFIX=lustre:
    suite_romio "$tests/romio"
    suite_summary "ROMIO, standard ABI, $1"
    OURS_PREFIX=
    force="-genv ROMIO_FSTYPE_FORCE lustre:"
    suite_list "$tests/mpi/io" io light
    suite_summary "MPICH I/O, standard ABI, $1"
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
refusals
own
ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"
turn plug-in
PLUGIN=
like "$(ROMIO_LUSTRE_VERBOSE=1 ours 1 "$FOUND" "lustre:$TMP/d" 2>&1)" \
    "^LUSTRE:" "the fork's libmpi_abi has the driver inside"
turn fork
tap_done
