# progress.sh - what the scripts t40* share: the cases of progress.c, the fork
# SPDX-License-Identifier: LicenseRef-romio-lustre
# The script sets `where`, the file name that the cases get.
#
# shellcheck shell=sh disable=SC2034,SC2154
here=$SRC/src/mpi/romio/test
fork=${ADL_FORK:-}
LIMIT=30

# fork_run N PROG ARG...: on N ranks of the fork
fork_run() {
    n=$1
    shift
    limited "$fork/bin/mpiexec" -n "$n" -genv LD_PRELOAD "$(preload)" \
        "$@" </dev/null
}

# need_fork: skip the script when there is none
need_fork() {
    [ -n "$fork" ] || skip_all "no fork: set ADL_FORK to a prefix of maint/build-fork"
    [ -x "$fork/bin/mpiexec" ] || skip_all "no fork at $fork: run maint/build-fork"
}

# minus "NAME..." NAME...: the first list without the others
minus() {
    for name in $1; do
        case " $2 " in *" $name "*) ;; *) echo "$name" ;; esac
    done
}

# run_cases LABEL "CASE..." CMD...: one test a case. All run in one job; one
# that hangs or fails ends it, and those behind it get another.
run_cases() {
    label=$1
    left=$2
    shift 2
    while [ -n "$left" ]; do
        # shellcheck disable=SC2086 # a list
        TIMEOUT=$((LIMIT * 10)) "$@" "$where" $left >"$TMP/cases" 2>&1
        for name in $left; do
            left=$(minus "$left" "$name")
            if grep -qx "ok $name" "$TMP/cases"; then
                pass "$label: $name"
            else
                fail "$label: $name"
                diag_file "$TMP/cases"
                break
            fi
        done
        grep '^#' "$TMP/cases"
    done
}

# sim_fork_run NODES N PROG ARG...: the same with the file system in SIM, on
# ranks that are dealt in turn to NODES nodes
sim_fork_run() {
    nodes=$1
    n=$2
    shift 2
    # shellcheck disable=SC2086 # a list of options
    MPIR_CVAR_NUM_CLIQUES=$nodes limited env LD_PRELOAD="$(preload)" \
        "$LUSTRE_SIM" run --root "$SIM" ${SIM_OPTIONS-} \
        "$fork/bin/mpiexec" -n "$n" "$here/onnode.sh" "$nodes" "$@" </dev/null
}
