#!/bin/sh
# link.sh - link the plug-in for one MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The library needs MPI's public names and nothing else: the first link, with
# -z defs against the MPI here, proves it. Its MPI functions are weak: a process
# that is no MPI program and has LD_BIND_NOW set would die on them, should it
# inherit the preload. They are PMPI names: a few of ROMIO's own calls are not,
# and a tool would count them as the program's. Calls that block are replaced by
# ours (front/blocking.h), and so are calls that the front libraries have a
# function of their own for. ROMIO calls strchr for the ':' in file names only
# (front/colon.h), and asks for a file's file system by one function
# (front/fstype.h). What the library needs is written into it, for plugin/fit.c.
#
# The environment: CC, CFLAGS (with the sanitizers'), NM, OBJCOPY, ROMIO_BASE,
# MPI_LIBS, PLUGIN_LIBS, MAP (the version script), LEAVE (find's words for
# ROMIO's objects that ours take the place of).
set -euf

usage() {
    echo "usage: link.sh [--keep-mpi] OUT PART... -- FRONT... -- BELOW..." >&2
    echo "PART: linked with ROMIO's objects, FRONT: what takes the place of" >&2
    echo "calls, BELOW: libraries without MPI" >&2
    exit 2
}

# Without it the library has no NEEDED entry for MPI, whose name differs between
# systems. Handles that are data of the MPI library need one.
needed=
if [ "${1-}" = --keep-mpi ]; then
    needed="-Wl,--no-as-needed $MPI_LIBS"
    shift
fi
[ $# -gt 1 ] || usage
out=$1
shift
parts='' fronts='' below=''
for list in parts fronts below; do
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        eval "$list=\"\$$list $1\""
        shift
    done
    [ $# = 0 ] || shift
done
trap 'rm -f "$out.o" "$out.romio.o" "$out.all.o" "$out.needs.o" \
    "$out.check" "$out.names" "$out.tools" "$out.swaps"' EXIT

# shellcheck disable=SC2086 # lists of files and options, here and below
objects() {
    find "$ROMIO_BASE/mpi-io" "$ROMIO_BASE/adio" -path '*/.libs/*.o' \
        ! -path '*/ad_lustre/*' ! -name flatten.o $LEAVE
}

# swaps: "NAME NEWNAME", calls of ROMIO and the driver that go to ours instead,
# and ROMIO's entries that ours stand in front of
swaps() {
    # shellcheck disable=SC2086
    "$NM" $fronts | sed -n \
        -e 's/.* T adl_blocking_\(.*\)/PMPI_\1 adl_blocking_\1/p' \
        -e 's/.* T adl_instead_\(.*\)/PMPI_\1 adl_instead_\1/p' \
        -e 's/.* [TW] \(P*MPI_File_.*_c\)$/\1 romio_\1/p' \
        -e 's/.* [TW] \(P*MPI_File_open\)$/\1 romio_\1/p'
}

# foreign: calls of MPI that ROMIO's objects have themselves, for an MPI that
# lacks them. MPI has them; a copy inside would hide MPI's from the driver.
foreign() {
    "$NM" --defined-only "$out.romio.o" |
        sed -n 's/.* [TW] \(P*MPIX*_\)/\1/p' |
        grep -vE '^P?MPIX?_(File_|Register_datarep)' || true
}

needs() {
    echo 'const char *const romio_lustre_needs[] = {'
    sed 's/.*/"&",/' "$out.names"
    echo '0};'
}

shared() {
    # shellcheck disable=SC2086
    $CC $CFLAGS -shared -Wl,--version-script="$MAP" \
        -Wl,-soname,"$(basename "$out")" "$@"
}

# shellcheck disable=SC2086,SC2046
{
    $CC -r -nostdlib -Wl,--wrap=ADIO_ResolveFileType -o "$out.romio.o" \
        $(objects)
    others=$(foreign)
    [ -z "$others" ] || {
        echo "link.sh: ROMIO has its own" $others >&2
        exit 1
    }
    "$OBJCOPY" --redefine-sym strchr=adl_colon_strchr --redefine-sym \
        __wrap_ADIO_ResolveFileType=adl_fstype_resolve "$out.romio.o"
    $CC -r -nostdlib -o "$out.o" "$out.romio.o" \
        -Wl,--whole-archive $parts -Wl,--no-whole-archive \
        "$ROMIO_BASE/mpl/.libs/libmpl.a"
    swaps >"$out.swaps"
    "$OBJCOPY" --redefine-syms="$out.swaps" "$out.o"
    $CC -r -nostdlib -o "$out.all.o" "$out.o" \
        -Wl,--whole-archive $fronts -Wl,--no-whole-archive $below
    mv "$out.all.o" "$out.o"
    shared -o "$out.check" "$out.o" -Wl,-z,defs $MPI_LIBS $PLUGIN_LIBS
    "$NM" -u "$out.o" | sed -n 's/.* \(MPIX*_.*\)/\1 P\1/p' >"$out.tools"
    "$OBJCOPY" --redefine-syms="$out.tools" "$out.o"
    "$NM" -u "$out.o" | sed -n 's/.* U \(PMPIX*_\)/\1/p' >"$out.names"
    "$OBJCOPY" --weaken-symbols="$out.names" "$out.o"
    needs | $CC -fPIC -c -x c -o "$out.needs.o" -
    shared -o "$out.new" "$out.o" "$out.needs.o" $needed $PLUGIN_LIBS
    mv "$out.new" "$out"
}
