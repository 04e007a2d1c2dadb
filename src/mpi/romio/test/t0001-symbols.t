#!/bin/sh
# t0001-symbols - what the plug-in exports and what it needs
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin

tap_plan 10

exported() {
    nm -D --defined-only "$PLUGIN" | awk '{ print $NF }' | sed 's/@.*//' |
        sort -u
}
needed() {
    nm -D --undefined-only "$PLUGIN" | awk '{ print $NF }'
}
# Every function and constant of mpi.h, as the compiler sees it.
public() {
    echo '#include <mpi.h>' | "$MPICC" -E - | grep -oE '\bP?MPIX?_[A-Za-z0-9_]+' |
        sort -u
}
libmpi() {
    echo 'int MPI_Init(void *, void *); int main(void)
        { return MPI_Init(0, 0); }' >"$TMP/link.c"
    "$MPICC" -o "$TMP/link" "$TMP/link.c" &&
        ldd "$TMP/link" | awk '/libmpi(ch)?\.so/ { print $3; exit }'
}

exported >"$TMP/exported"
needed >"$TMP/needed"
public >"$TMP/public"
allowed='^(P?MPI_File_[a-z0-9_]+|P?MPI_Register_datarep(_c)?'
allowed="$allowed|P?MPI_Errhandler_free|P?MPI_Error_string"
allowed="$allowed|P?MPI_(Wait|Test)(all|any|some)?|P?MPI_Request_get_status"
allowed="$allowed|romio_lustre_(version|misfit))\$"

ok "there are MPI-IO symbols" grep -qx MPI_File_write_all "$TMP/exported"
is "$(grep -vE "$allowed" "$TMP/exported")" "" "only MPI-IO symbols are exported, and calls that complete requests"
is "$(sed -n 's/^P\(MPI_\)/\1/p' "$TMP/exported" | comm -23 - "$TMP/exported")" \
    "" "every PMPI symbol has its MPI symbol"
is "$(nm -D --defined-only "$PLUGIN" | awk '$3 ~ /^MPI_/ && $2 != "W"')" "" \
    "MPI symbols are weak: a profiling tool may take their place"

# Calls of MPICH 4.3 that it uses where they are.
optional='^PMPIX_(Async_start|Request_is_complete)$'
grep -E '^P?MPI' "$TMP/needed" | grep -vE "$optional" | sort -u \
    >"$TMP/needed-mpi"
ok "it needs MPI" [ -s "$TMP/needed-mpi" ]
is "$(comm -23 "$TMP/needed-mpi" "$TMP/public")" "" \
    "all it needs of MPI is in mpi.h"
is "$(grep '^MPI' "$TMP/needed-mpi")" "" \
    "all of it by its PMPI name: tools do not see our calls, weak ones neither"
lib=$(libmpi)
nm -D --defined-only "$lib" | awk '{ print $NF }' | sort -u >"$TMP/libmpi"
is "$(comm -23 "$TMP/needed-mpi" "$TMP/libmpi")" "" "$lib has it all"
# What is left is libc's: versioned, or the linker's weak helpers.
is "$(grep -vE '^P?MPI|@GLIBC|^_ITM_|^__gmon_start__|^__(cxa|gcov)' \
    "$TMP/needed")" "" "it needs nothing else but libc"
is "$(readelf -d "$PLUGIN" | grep NEEDED | grep -oE '\[.*\]' |
    grep -vE 'lib(c|m|dl|pthread)\.so|ld-linux')" "" "it names no MPI library"
