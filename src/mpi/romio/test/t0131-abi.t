#!/bin/sh
# t0131-abi - the fork's library of the standard ABI of MPI 5
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# As t0130: from the tree of ADL_MPICH_SOURCE maint/check builds a fork, and with
# it libmpi_abi where the tree knows that. Programs are compiled with mpicc_abi;
# there is no plug-in for them.
if [ -n "${ADL_NEWER:-}" ]; then
    export ADL_BUILD="$ADL_NEWER/plain"
    export ADL_MPICC="$ADL_NEWER/fork/bin/mpicc_abi"
    export ADL_MPIEXEC="$ADL_NEWER/fork/bin/mpiexec"
fi
. "$(dirname "$0")/oracle.sh"
. "$(dirname "$0")/suite.sh"
[ -n "${ADL_NEWER:-}" ] ||
    skip_all "no other MPICH: ADL_MPICH_SOURCE is not set"
[ -x "$ADL_MPICC" ] || skip_all "this MPICH does not know the standard ABI"

export MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE
FOUND=$TMP/fstype
PLUGIN=
force=

ours() {
    n=$1
    shift
    # shellcheck disable=SC2086 # none or an option with two arguments
    limited "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$(preload)" $force "$@" \
        </dev/null
}

identity() {
    like "$(ldd "$FOUND")" "libmpi_abi\.so" "it is linked with libmpi_abi"
    like "$(ROMIO_LUSTRE_VERBOSE=1 ours 1 "$FOUND" "lustre:$TMP/d" 2>&1)" \
        "^LUSTRE:" "which has the driver inside"
    out=$("$BUILD/romio-lustre" run "$FOUND" "$TMP/d" 2>&1)
    is $? 1 "the plug-in refuses it"
    like "$out" "linked with the standard ABI of MPI 5" "with the reason"
    like "$("$BUILD/romio-lustre" info "$FOUND")" "does not fit: .*standard ABI" \
        "info says the same"
}

# errors DRIVER CASE
errors() {
    limited "$MPIEXEC" -n 3 -genv LD_PRELOAD "$(preload)" \
        -genv ROMIO_FSTYPE_FORCE "$1" "$TMP/errors" "$2" "$TMP" </dev/null
}

# known CASE REASON: a defect of MPICH's own, with its own driver too. When it is
# gone there, it is a test of ours.
known() {
    if errors ufs: "$1" >"$TMP/ufs" 2>&1; then
        ok "errors: $1" errors lustre: "$1"
    else
        skip 1 "errors: $1: MPICH's own defect: $2"
    fi
}

# Calls that tell handles, constants and errors of the ABI apart.
calls() {
    ok "errors compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/errors" \
        "$here/errors.c"
    echo some bytes >"$TMP/readable"
    for case in open space set many comm; do
        ok "errors: $case" errors lustre: $case
    done
    # ROMIO takes MPI_FILE_NULL for the pointer 0, which it is not in this ABI.
    known use "a call on MPI_FILE_NULL crashes in MPICH's libmpi_abi"
    known default "MPI_FILE_NULL's handler is called, and its error then lost"
    ok "toint compiles" "$MPICC" -Wall -Werror -o "$TMP/toint" "$here/toint.c"
    ok "MPI_File_toint and _fromint" ours 2 "$TMP/toint" "lustre:$TMP/f"
    ok "allfile compiles" "$MPICC" -o "$TMP/allfile" "$here/allfile.c"
    ok "every MPI_File call" ours 2 "$TMP/allfile" "lustre:$TMP/f"
}

oracle() {
    TIMEOUT=${ADL_TIMEOUT:-1500}
    batch on_memory 1 8 100 write
    batch on_memory 3 9 100 write
    batch on_memory 2 8 100 read
    batch on_lustre 3 6 60 write
    batch on_lustre 1 6 60 read
}

suites() {
    TIMEOUT=$suite_limit
    OURS_PREFIX=lustre:
    suite_romio "$tests/romio"
    suite_summary "ROMIO, standard ABI"
    OURS_PREFIX=
    force="-genv ROMIO_FSTYPE_FORCE lustre:"
    suite_list "$tests/mpi/io" io light
    suite_summary "MPICH I/O, standard ABI"
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
calls
ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"
oracle
suites
tap_done
