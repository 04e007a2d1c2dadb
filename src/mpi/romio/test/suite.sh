# suite.sh - run test suites of other packages, ours against plain MPICH
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Sourced after lib.sh. Each case of a suite is a test point by one of
#   suite_pass CASE      suite_fail CASE      suite_skip CASE REASON
# and  suite_summary NAME  says at the end of a suite how many ran, passed,
# failed and were skipped, and why; maint/check collects these lines.
#
# The script defines  ours N PROG ARG...  , which runs a
# program on N ranks with the driver under test; it becomes the working
# directory's owner for the time of one program. Then
#   suite_case DESC JUDGE N PROG ARG...
# is one test point: it passes when the program passes with ours. When it does
# not, plain MPICH decides: a program that passes there is our failure, one that
# fails in both is skipped with the reason.
#
# JUDGE: noerrors (must print "No Errors", as the MPICH tests do) or quiet (must
# end well and print nothing about an error). An argument FILE stands for the
# data file: $OURS_PREFIX$PWD/data with ours, $PWD/data with plain MPICH.
#
# shellcheck shell=sh

suite_passes=0
suite_failures=0
suite_skips=0
suite_limit=${ADL_TIMEOUT:-180}
TIMEOUT=$suite_limit

suite_pass() {
    suite_passes=$((suite_passes + 1))
    pass "$1"
}

suite_fail() {
    suite_failures=$((suite_failures + 1))
    fail "$1"
}

suite_skip() {
    suite_skips=$((suite_skips + 1))
    printf '%s\t%s\n' "$2" "$1" >>"$TMP/suite.skips"
    skip 1 "$1: $2"
}

# suite_summary NAME: the cases since the last summary; one line of counts, then
# one for each reason to skip, in the form that maint/check looks for
suite_summary() {
    diag "suite: $1: $((suite_passes + suite_failures)) run," \
        "$suite_passes passed, $suite_failures failed, $suite_skips skipped"
    [ ! -f "$TMP/suite.skips" ] || awk -F '\t' '
        !($1 in cases) { reasons[++n] = $1 }
        { cases[$1] = cases[$1] " " $2 }
        END {
            for (i = 1; i <= n; i++)
                print "# suite:   skipped, " reasons[i] ":" cases[reasons[i]]
        }' "$TMP/suite.skips"
    rm -f "$TMP/suite.skips"
    suite_passes=0 suite_failures=0 suite_skips=0
}

# suite_passed JUDGE RC OUTPUT
suite_passed() {
    [ "$2" -eq 0 ] || return 1
    if [ "$1" = noerrors ]; then
        grep -q '^ *No Errors' "$3"
    else
        ! grep -v 'No Errors' "$3" |
            grep -Eiq 'error|fail|incorrect|wrong|mismatch'
    fi
}

# suite_reason RC OUTPUT: one line
suite_reason() {
    case $1 in
    124 | 137) echo "no end after $TIMEOUT s" ;;
    *) grep -Ev '^(=|\[proxy|\[mpiexec|$)' "$2" | head -n 1 | cut -c1-100 |
        sed "s/^\$/exit status $1/; s/#/./g" ;;
    esac
}

# suite_run RUNNER PREFIX JUDGE N PROG ARG...: in a fresh directory; the output
# is left in $TMP/RUNNER.out
suite_run() {
    runner=$1 file=$2$TMP/scratch/data judge=$3 ranks=$4 prog=$5
    shift 5
    rm -rf "$TMP/scratch"
    mkdir "$TMP/scratch"
    for arg; do
        shift
        [ "$arg" != FILE ] || arg=$file
        set -- "$@" "$arg"
    done
    suite_rc=0
    (cd "$TMP/scratch" && "$runner" "$ranks" "$prog" "$@") \
        >"$TMP/$runner.out" 2>&1 || suite_rc=$?
    suite_passed "$judge" $suite_rc "$TMP/$runner.out"
}

suite_case() {
    suite_desc=$1
    shift
    if [ ! -x "$3" ]; then
        suite_skip "$suite_desc" "does not compile, or is not in this MPICH"
    else
        suite_compare "$suite_desc" suite_try "$@"
    fi
}

suite_try() {
    suite_prefix=
    [ "$1" = mpi_run ] || suite_prefix=${OURS_PREFIX:-}
    suite_runner=$1
    shift
    suite_run "$suite_runner" "$suite_prefix" "$@"
}

# suite_fell DESC OUT COMMAND...: with ours a case ended badly (its status in
# suite_rc, its words in ours.out). COMMAND runs it with plain MPICH, which
# leaves its words in OUT and decides whether it is our fault.
suite_fell() {
    fell_desc=$1 fell_out=$2 fell_rc=$suite_rc
    shift 2
    if "$@"; then
        suite_fail "$fell_desc"
        diag "passes with plain MPICH, not with ours (exit status $fell_rc):"
        diag_file "$TMP/ours.out"
    else
        suite_skip "$fell_desc" "not with plain MPICH either: $(
            suite_reason "$suite_rc" "$fell_out")"
    fi
}

# suite_compare CASE TRY ARG...: a test point, as for suite_case. TRY RUNNER
# ARG... tells whether the case passes with RUNNER (ours or mpi_run) and leaves
# the exit status in suite_rc, the output in $TMP/RUNNER.out.
suite_compare() {
    suite_desc=$1 suite_how=$2
    shift 2
    if "$suite_how" ours "$@"; then
        suite_pass "$suite_desc"
        return 0
    fi
    suite_fell "$suite_desc" "$TMP/mpi_run.out" "$suite_how" mpi_run "$@"
}

# suite_place RUNNER: a new directory for one case, in suite_dir: with ours on
# the file system in SIM
suite_place() {
    suite_dir=$TMP/plain
    [ "$1" = mpi_run ] || suite_dir=$SIM/work
    rm -rf "$suite_dir"
    mkdir "$suite_dir"
}

# suite_list SUITE-DIR NAME [light]: every line of MPICH's testlist; light leaves
# the loops of 24,000 collective, ordered or shared calls, the same program in
# each language, to --full
suite_list() {
    while read -r prog ranks options; do
        case $prog in '' | '#'*) continue ;; esac
        args="" limit=$suite_limit big=no
        for o in $options; do
            case $o in
            arg=*) args="$args ${o#arg=}" ;;
            timeLimit=*) limit=${o#timeLimit=} ;;
            mem=*) big=yes ;;
            esac
        done
        if [ $big = yes ] && ! suite_has_memory; then
            suite_skip "$2/$prog" "needs 8 GB of memory and maint/check --full"
            continue
        fi
        case $FULL${3:-},$prog in
        nolight,*write*all* | nolight,*write*ord* | nolight,*write*sh*)
            suite_skip "$2/$prog" "long, with maint/check --full only"
            continue
            ;;
        esac
        TIMEOUT=$limit
        # shellcheck disable=SC2086 # a list of arguments
        suite_case "$2/$prog" noerrors "$ranks" "$1/$prog" $args
    done <"$1/testlist"
    TIMEOUT=$suite_limit
}

suite_has_memory() {
    [ "$FULL" = yes ] &&
        awk '/^MemAvailable:/ { ok = $2 > 8000000 } END { exit !ok }' \
            /proc/meminfo
}

# suite_driver NAME: the driver that serves a file with ours; NAME as in
# MPI_File_open
suite_driver() {
    [ -x "$TMP/fstype" ] ||
        "$MPICC" -o "$TMP/fstype" "$SRC/src/mpi/romio/test/fstype.c" || return 1
    ours 2 "$TMP/fstype" "$1" 2>"$TMP/driver.err"
}

# suite_romio DIR: ROMIO's programs, all of romio-tests.list
suite_romio() {
    while read -r ranks judge when prog args; do
        case $ranks in '' | '#'*) continue ;; esac
        if [ "$when" = full ] && [ "$FULL" = no ]; then
            suite_skip "romio/$prog" "large, with maint/check --full only"
            continue
        fi
        limit=$suite_limit
        [ "$when" = always ] || limit=600
        args=$(echo "$args" | sed "s|HINTS|$1/test_hintfile|")
        # Some take the bare name in older releases, an option in newer ones.
        case $args in "FILE" | /*)
            ! grep -q '"-fname"' "$1/$prog.c" || args="-fname $args" ;;
        esac
        TIMEOUT=$limit
        # shellcheck disable=SC2086 # a list of arguments
        suite_case "romio/$prog" "$judge" "$ranks" \
            "$1/$prog" $args
    done <"$SRC/src/mpi/romio/test/romio-tests.list"
    TIMEOUT=$suite_limit
}
