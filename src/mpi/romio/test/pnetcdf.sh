# pnetcdf.sh - run PnetCDF's own programs, ours against plain MPICH
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Sourced after lib.sh and suite.sh by a script that defines
#   ours N PROG ARG...    PROG with the driver under test on the file system in
#                         SIM, on N ranks
#   pnetcdf_plain N PROG ARG...   the same program without the driver
# and calls  pnetcdf_suites TITLE MPICC WHEN...  : builds the programs and runs
# the lines of pnetcdf-tests.list whose first word is a WHEN (with FULL: all).
#
# A test point passes when the programs end well and complain about nothing,
# what they leave is valid netCDF and the driver says no thing twice. The tests
# look at their data themselves; what examples and benchmarks leave is compared
# with plain MPICH's. Where ours fails, plain MPICH decides as in suite.sh.
#
# shellcheck shell=sh

pnetcdf_here=$SRC/src/mpi/romio/test

# pnetcdf_wanted WHEN
pnetcdf_wanted() {
    [ "$FULL" = no ] || return 0
    case " $pnetcdf_when " in *" $1 "*) return 0 ;; esac
    return 1
}

# pnetcdf_dirs: of the lines wanted
pnetcdf_dirs() {
    while read -r first _ third _; do
        case $first in '' | '#'* | suite) continue ;; esac
        ! pnetcdf_wanted "$first" || echo "$third"
    done <"$pnetcdf_here/pnetcdf-tests.list" | sort -u
}

# pnetcdf_bad OUTPUT: lines by which a program says that it failed
pnetcdf_bad() {
    grep -E -e '[-] *fail' -e 'fail with' -e 'Error[: ]+at line' \
        -e 'Error at ' -e 'FAILURE' -e 'Failed to pass' -e 'mismatch' \
        -e '^Fatal error' "$1"
}

# pnetcdf_is FILE: a netCDF file
pnetcdf_is() {
    [ -f "$1" ] && [ "$(head -c 3 "$1")" = CDF ]
}

# pnetcdf_valid DIR: all netCDF files in it
pnetcdf_valid() {
    for f in "$1"/*; do
        pnetcdf_is "$f" || continue
        limited "$programs/src/utils/ncvalidator/ncvalidator" -q "$f" || {
            echo "ncvalidator: $f is not valid"
            return 1
        }
    done
}

# pnetcdf_steps RUNNER DIR RANKS SUBDIR PROG[+PROG] ARG...: run them in DIR
pnetcdf_steps() {
    runner=$1 out=$2 ranks=$3 sub=$4 progs=$5
    shift 5
    for arg; do
        shift
        arg=$(echo "$arg" | sed "s|^OUT|$out/${progs%%+*}.nc|
            s|^DATA|$out/data|; s|^DIR|$out|")
        set -- "$@" "$arg"
    done
    mkdir "$out/data"
    cp "$programs/source/$sub"/*.nc* "$out/data/" 2>/dev/null
    # what they open as an example of what is no netCDF file
    case $sub in
    test/nf_test) cp "$programs/$sub/nf_test" "$out/" ;;
    test/nf90_test) cp "$programs/$sub/test_get.F90" "$out/" ;;
    esac
    [ "$sub" != test/burst_buffer ] ||
        export PNETCDF_HINTS="nc_burst_buf=enable;nc_burst_buf_dirname=$out;nc_burst_buf_overwrite=enable"
    for prog in $(echo "$progs" | tr + ' '); do
        (cd "$out" && "$runner" "$ranks" "$programs/$sub/$prog" "$@") ||
            return
    done
}

# pnetcdf_run RUNNER DIR RANKS SUBDIR PROGS ARG...: in DIR, made anew; what is
# said is left in $TMP/RUNNER.out
pnetcdf_run() {
    rm -rf "$2"
    mkdir -p "$2"
    suite_rc=0
    (pnetcdf_steps "$@") >"$TMP/$1.out" 2>&1 || suite_rc=$?
    [ $suite_rc -eq 0 ] && ! pnetcdf_bad "$TMP/$1.out" >/dev/null &&
        pnetcdf_valid "$2" >>"$TMP/$1.out" 2>&1
}

# pnetcdf_said OUTPUT: the driver's messages. Programs leave their own line open
# while they run, so that a message need not begin one.
pnetcdf_said() {
    grep -o 'romio-lustre: .*' "$1"
}

# pnetcdf_noise: what the driver said more than once
pnetcdf_noise() {
    pnetcdf_said "$TMP/ours.out" | sort | uniq -d
}

# pnetcdf_same OURS PLAIN: the same files with the same contents
pnetcdf_same() {
    for f in "$2"/*; do
        pnetcdf_is "$f" || continue
        cmp -s "$f" "$1/${f##*/}" && continue
        pnetcdf_plain 1 "$programs/src/utils/ncmpidiff/ncmpidiff" -q \
            "$f" "$1/${f##*/}" || return
    done
}

# pnetcdf_case RANKS SUBDIR PROGS ARG...
pnetcdf_case() {
    desc="$2/$3 on $1"
    case $2,$4 in test/n*_test,-[25]) desc="$2/$3 $4 on $1" ;; esac
    [ -x "$programs/$2/${3%%+*}" ] || {
        suite_skip "$desc" "does not compile"
        return 0
    }
    if pnetcdf_run ours "$SIM/work" "$@"; then
        pnetcdf_judge "$@"
    else
        suite_fell "$desc" "$TMP/pnetcdf_plain.out" \
            pnetcdf_run pnetcdf_plain "$TMP/plain" "$@"
    fi
    rm -rf "$SIM/work" "$TMP/plain"
}

# pnetcdf_judge RANKS SUBDIR PROGS ARG...: ours ran; is it silent and right?
pnetcdf_judge() {
    if [ -n "$(pnetcdf_noise)" ]; then
        suite_fail "$desc"
        diag "said more than once:"
        diag "$(pnetcdf_noise)"
        return 0
    fi
    case $2 in test/*)
        suite_pass "$desc"
        return 0
        ;;
    esac
    if pnetcdf_run pnetcdf_plain "$TMP/plain" "$@" &&
        pnetcdf_same "$SIM/work" "$TMP/plain" >"$TMP/same.out" 2>&1; then
        suite_pass "$desc"
    else
        suite_fail "$desc"
        diag "the files differ from plain MPICH's:"
        diag_file "$TMP/same.out"
    fi
}

# pnetcdf_colons: a file name with a time of day, with ours. PnetCDF 1.12 opens
# one only behind a file system's name; it creates any.
pnetcdf_colons() {
    prog=$programs/test/nonblocking/interleaved
    [ -x "$prog" ] || return 0
    mkdir "$SIM/colons"
    ours 4 "$prog" "$SIM/colons/f_15:00:00.nc" >/dev/null 2>&1
    ok "creates a name with colons" pnetcdf_left "$SIM/colons/f_15:00:00.nc"
    ok "reads it, too, behind lustre:" ours 4 "$prog" \
        "lustre:$SIM/colons/g_15:00:00.nc"
    ok "which is not in the file's name" pnetcdf_left \
        "$SIM/colons/g_15:00:00.nc"
}

# pnetcdf_left FILE: it is there, and valid under a name that PnetCDF's own
# checker can open
pnetcdf_left() {
    pnetcdf_is "$1" && mkdir "$SIM/plain" && mv "$1" "$SIM/plain/f.nc" &&
        pnetcdf_valid "$SIM/plain" && rm -r "$SIM/plain"
}

# pnetcdf_line: the line that was read
pnetcdf_line() {
    for prog in $(echo "$progs" | tr , ' '); do
        for n in $(echo "$ranks" | tr , ' '); do
            if ! pnetcdf_wanted "$when"; then
                left=$((left + 1))
            elif [ "$dir" = test/largefile ] && ! suite_has_memory; then
                suite_skip "$dir/$prog on $n" "needs 8 GB of memory"
            else
                # shellcheck disable=SC2086 # a list of arguments
                pnetcdf_case "$n" "$dir" "$prog" $args
            fi
        done
    done
}

# pnetcdf_end TITLE: of the suite in $suite
pnetcdf_end() {
    [ -n "$suite" ] || return 0
    [ "$left" -eq 0 ] || suite_skip "$left programs" "with maint/check --full only"
    suite_summary "$1 $suite"
    left=0
}

pnetcdf_suites() {
    title=$1 compiler=$2 suite='' left=0
    shift 2
    pnetcdf_when=$*
    # shellcheck disable=SC2046 # a list of directories
    programs=$("$SRC/maint/build-pnetcdf-tests" --mpicc "$compiler" \
        $(pnetcdf_dirs) 2>"$TMP/build.err") || {
        fail "the programs can be built"
        diag_file "$TMP/build.err"
        return 0
    }
    while read -r when ranks dir progs args; do
        case $when in
        '' | '#'*) ;;
        suite)
            pnetcdf_end "$title"
            suite=$(echo "$ranks $dir $progs $args" | sed 's/ *$//')
            ;;
        *) pnetcdf_line ;;
        esac
    done <"$pnetcdf_here/pnetcdf-tests.list"
    pnetcdf_end "$title"
    pnetcdf_colons
}
