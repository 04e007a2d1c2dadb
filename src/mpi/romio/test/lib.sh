# lib.sh - TAP, a scratch directory and MPI runs for the test scripts
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A script sources it as its first act:  . "$(dirname "$0")/lib.sh"
# It then has
#   SRC     the checkout            BUILD   the build tree ($ADL_BUILD or .)
#   TMP     a scratch directory, removed at the end
#   FULL    yes with ADL_CHECK_FULL=1 (maint/check --full), else no
# and the functions below. A failed test shows the command's last lines as
# diagnostics. Every run has a time limit, so that nothing hangs.
#
# shellcheck shell=sh disable=SC2034

SRC=$(cd "$(dirname "$0")" && pwd)
while [ "$SRC" != / ] && [ ! -f "$SRC/configure.ac" ]; do
    SRC=$(dirname "$SRC")
done
BUILD=$(cd "${ADL_BUILD:-.}" && pwd)
# ADL_MPI=openmpi: the same tests over Open MPI
case ${ADL_MPI:-mpich} in
openmpi)
    PLUGIN=${ADL_PLUGIN:-$BUILD/libromio_lustre_openmpi.so}
    ADL_MPIEXEC=${ADL_MPIEXEC:-$SRC/src/mpi/romio/test/mpiexec-openmpi.sh}
    ADL_MPICC=${ADL_MPICC:-$(command -v mpicc.openmpi || echo mpicc)}
    ADL_MPIFORT=${ADL_MPIFORT:-$(command -v mpifort.openmpi || echo mpifort)}
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # where libmpi.so is MPICH's (Debian's alternatives), mpifort.openmpi would
    # link a program with both
    libdir=$("$ADL_MPICC" --showme:libdirs 2>/dev/null) || libdir=
    [ -z "$libdir" ] || export OMPI_LDFLAGS="-L${libdir%% *}"
    ADL_FORK= ;;
esac
PLUGIN=${PLUGIN:-${ADL_PLUGIN:-$BUILD/libromio_lustre.so}}
POLITE=$BUILD/libpolitewait.so
[ -f "$POLITE" ] || POLITE=
MPIEXEC=${ADL_MPIEXEC:-$(command -v mpiexec.mpich || echo mpiexec)}
LUSTRE_SIM=${ADL_LUSTRE_SIM:-$BUILD/src/lustre-sim/lustre-sim}
MPICC=${ADL_MPICC:-$(command -v mpicc.mpich || echo mpicc)}
TIMEOUT=${ADL_TIMEOUT:-60}
if [ "${ADL_CHECK_FULL:-0}" = 1 ]; then FULL=yes; else FULL=no; fi

tap_count=0
tap_failed=0
tap_planned=

TMP=$(mktemp -d "${TMPDIR:-/tmp}/adl-test.XXXXXX") || exit 1
trap 'tap_end $?' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# tap_end STATUS: the exit trap. A script that stops early, or runs another
# number of tests than it planned, fails.
tap_end() {
    trap - EXIT
    rm -rf "$TMP"
    if [ -n "$tap_planned" ] && [ "$tap_planned" != "$tap_count" ]; then
        diag "planned $tap_planned tests, ran $tap_count"
        exit 1
    fi
    [ "$1" -eq 0 ] || exit "$1"
    [ "$tap_failed" -eq 0 ] || exit 1
    exit 0
}

# tap_plan N: say how many tests follow
tap_plan() {
    tap_planned=$1
    echo "1..$1"
}

# tap_done: the plan at the end, for scripts that find their tests as they go
tap_done() {
    tap_plan "$tap_count"
}

# diag TEXT...: for people
diag() {
    printf '%s\n' "$*" | sed 's/^/# /'
}

# diag_file FILE: its last lines
diag_file() {
    # awk ends an unfinished last line; sed would glue the next test to it
    [ -s "$1" ] && tail -n 25 "$1" | awk '{ print "#   " $0 }'
    return 0
}

# pass DESC, fail DESC: a result known already
pass() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $*"
    tap_progress "$*"
}

fail() {
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_count - $*"
    tap_progress "$*"
}

# tap_progress DESC: for maint/check, which sees the output at the end only
tap_progress() {
    [ -z "${ADL_PROGRESS:-}" ] || echo "$tap_count - $1" >"$ADL_PROGRESS"
}

# ok DESC CMD ARG...: passes when the command succeeds
ok() {
    desc=$1
    shift
    if "$@" >"$TMP/.out" 2>&1 </dev/null; then
        pass "$desc"
    else
        rc=$?
        fail "$desc"
        diag "exit status $rc of: $*"
        diag_file "$TMP/.out"
    fi
}

# not_ok DESC CMD ARG...: passes when the command fails, but not by a signal
# or a time-out
not_ok() {
    desc=$1
    shift
    rc=0
    "$@" >"$TMP/.out" 2>&1 </dev/null || rc=$?
    if [ $rc -gt 0 ] && [ $rc -lt 124 ]; then
        pass "$desc"
    else
        fail "$desc"
        diag "exit status $rc of: $*"
        diag_file "$TMP/.out"
    fi
}

# is GOT WANTED DESC: passes when the two strings are equal
is() {
    if [ "$1" = "$2" ]; then
        pass "$3"
    else
        fail "$3"
        diag "     got: $1"
        diag "expected: $2"
    fi
}

# like TEXT PATTERN DESC: passes when a line matches the extended regexp
like() {
    if printf '%s\n' "$1" | grep -Eq -e "$2"; then
        pass "$3"
    else
        fail "$3"
        diag "     got: $1"
        diag "no match: $2"
    fi
}

# skip N REASON: N tests that cannot run here
skip() {
    n=$1
    shift
    while [ "$n" -gt 0 ]; do
        tap_count=$((tap_count + 1))
        echo "ok $tap_count # SKIP $*"
        n=$((n - 1))
    done
}

# skip_all REASON: the whole script cannot run here
skip_all() {
    echo "1..0 # SKIP $*"
    exit 0
}

# limited CMD ARG...: with a time limit; the whole process group is ended
limited() {
    timeout -k 5 "$TIMEOUT" "$@"
}

# preload LIBRARY...: what the ranks preload: these, what is in force already, and
# the library that makes waiting ranks sleep (politewait.c)
preload() {
    echo "$* ${LD_PRELOAD:-} $POLITE" | sed "s/^ *//; s/ *$//"
}

# mpi_run N PROG ARG...: on N ranks with the MPI as it is
mpi_run() {
    n=$1
    shift
    limited "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$(preload)" "$@" </dev/null
}

# plugin_run N PROG ARG...: the same through the plug-in, preloaded for the
# ranks only
plugin_run() {
    n=$1
    shift
    limited "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$(preload "$PLUGIN")" \
        "$@" </dev/null
}

# need_plugin: skip the script when the plug-in was not built
need_plugin() {
    [ -f "$PLUGIN" ] || skip_all "no plug-in at $PLUGIN (set ADL_BUILD)"
    command -v "$MPICC" >/dev/null || skip_all "no $MPICC"
}

# need_sim: skip the script when lustre-sim was not built
need_sim() {
    [ -x "$LUSTRE_SIM" ] || skip_all "no lustre-sim at $LUSTRE_SIM"
}

# sim_mkfs OPTION...: a new embedded Lustre, its root in SIM
sim_mkfs() {
    SIM=$(mktemp -d "$TMP/sim.XXXXXX") && "$LUSTRE_SIM" mkfs "$@" "$SIM"
}

# sim_fresh ROOT: what programs before have cached and locked goes, and all
# counters are 0: what is counted next is of the next program alone
sim_fresh() {
    "$LUSTRE_SIM" drop "$1" && "$LUSTRE_SIM" reset "$1"
}

# sim_run N PROG ARG...: on N ranks, each a client of the file system in SIM,
# through the plug-in; SIM_OPTIONS are further options of lustre-sim run
sim_run() {
    n=$1
    shift
    # shellcheck disable=SC2086 # a list of options
    limited env LD_PRELOAD="$(preload)" "$LUSTRE_SIM" run --root "$SIM" ${SIM_OPTIONS-} \
        "$BUILD/romio-lustre" run "$MPIEXEC" -n "$n" "$@" </dev/null
}

# node_run NODES N PROG ARG...: the same on N ranks that are dealt in turn to
# NODES nodes, for MPI and for the file system
node_run() {
    nodes=$1
    n=$2
    shift 2
    MPIR_CVAR_NUM_CLIQUES=$nodes sim_run "$n" \
        "$SRC/src/mpi/romio/test/onnode.sh" "$nodes" "$@"
}

# sim_one PROG ARG...: one rank, without mpiexec: quicker
sim_one() {
    # shellcheck disable=SC2086 # a list of options
    limited "$LUSTRE_SIM" run --root "$SIM" ${SIM_OPTIONS-} \
        "$BUILD/romio-lustre" run "$@" </dev/null
}

# sim_count NAME: a counter of the file system in SIM, all OSTs together
sim_count() {
    "$LUSTRE_SIM" stats "$SIM" | sed -n 's/^total: *//p' | tr ' ' '\n' |
        awk -F = -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}

# sim_layout FIELD FILE: a field of the layout, as lfs getstripe names it
sim_layout() {
    "$LUSTRE_SIM" getstripe "$2" | awk -v f="lmm_$1:" '$1 == f { print $2 }'
}
