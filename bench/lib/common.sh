# common.sh - messages, numbers and the machine; sourced by lbench
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

say() {
    printf '%s\n' "$*" >&2
}

# die STATUS TEXT...
die() {
    rc=$1
    shift
    say "lbench: $*"
    exit "$rc"
}

# whole NAME VALUE: VALUE is a number from 1 on, or the usage is wrong
whole() {
    case $2 in
    '' | *[!0-9]* | 0*) die 2 "$1: '$2' is not a number from 1 on" ;;
    esac
}

# seconds_of TEXT: 90, 90s, 10m or 2h in seconds, or the usage is wrong
seconds_of() {
    n=${1%[smh]}
    case $n in '' | *[!0-9]*) return 1 ;; esac
    case $1 in
    *m) echo $((n * 60)) ;;
    *h) echo $((n * 3600)) ;;
    *) echo "$n" ;;
    esac
}

# clock SECONDS: as minutes and seconds
clock() {
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

now() {
    date +%s
}

# bytes_of TEXT: 64K, 1M, 4096 as bytes
bytes_of() {
    n=${1%[KMG]}
    case $1 in
    *K) echo $((n * 1024)) ;;
    *M) echo $((n * 1048576)) ;;
    *G) echo $((n * 1073741824)) ;;
    *) echo "$n" ;;
    esac
}

# need PROGRAM PACKAGE: ends with what to install
need() {
    command -v "$1" >/dev/null 2>&1 ||
        die 2 "no $1: install it (Debian: $2)"
}

# A comma would be a new column.
plain() {
    printf '%s' "$1" | tr ',\n\t' ';  '
}

# machine: what every row says about where it was measured
machine() {
    host=$(plain "$(uname -n)")
    kernel=$(plain "$(uname -sr)")
    cores=$(nproc 2>/dev/null || echo 1)
    cpu=$(plain "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null |
        head -n 1)")
    # shellcheck disable=SC2086 # mpiexec may have options
    mpi=$(plain "$($mpiexec --version 2>/dev/null |
        sed -n 's/^ *Version: *//p' | head -n 1)")
    mpi_openmpi=
    [ -z "${openmpi-}" ] || mpi_openmpi=$(plain "$("$openmpi" --version |
        sed -n '1s/^[^)]*)/Open MPI/p')")
    driver=$(driver_version)
    driver=$(plain "${driver#lbench }")
}

# driver_version: of the installed driver, or of the checkout, as "lbench ..."
driver_version() {
    if [ $installed = yes ]; then
        "$(installed_command romio-lustre)" --version |
            sed 's/^romio-lustre/lbench/'
    else
        echo "lbench $(git -C "$top" describe --always --dirty 2>/dev/null ||
            sed -n 's/^AC_INIT(\[[^]]*\], \[\([^]]*\)\].*/\1/p' \
                "$top/configure.ac")"
    fi
}

load() {
    cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo ""
}
