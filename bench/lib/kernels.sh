# kernels.sh - the inner loops of core/ as a program of their own
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

core=src/mpi/romio/adio/ad_lustre
kernels="planning packing coverage describing node"

# compile_kernels: into $bin, always with the same options
compile_kernels() {
    [ ! -x "$bin/kernels" ] || return 0
    # shellcheck disable=SC2046 # file names of our own
    "${CC:-cc}" -O2 -I "$top/$core" -o "$bin/kernels" "$here/kernels.c" $(
        find "$top/$core/core" -name '*.c' ! -path '*/test/*') ||
        die 1 "the kernels do not compile"
}

# compiler: on which the counts depend
compiler() {
    printf '%s %s\n' "$("${CC:-cc}" -dumpmachine)" \
        "$("${CC:-cc}" -dumpfullversion -dumpversion)"
}

# instructions KERNEL: that callgrind counts inside it
instructions() {
    valgrind --tool=callgrind --toggle-collect=kernel \
        --callgrind-out-file=/dev/null "$bin/kernels" "$1" 2>&1 >/dev/null |
        sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}
