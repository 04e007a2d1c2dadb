#!/bin/sh
# t0008-hdf5 - a parallel HDF5 program through the driver, shared and static
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
source=$SRC/src/mpi/romio/test/hdf5_par.c
pkg=hdf5-mpich
pkg-config --exists $pkg 2>/dev/null || skip_all "no libhdf5-mpich-dev"

tap_plan 7

cflags=$(pkg-config --cflags $pkg)
libs=$(pkg-config --libs $pkg)
archive=$(printf '%s\n' "$libs" | tr ' ' '\n' | sed -n 's/^-L//p' | head -n 1)
# shellcheck disable=SC2086 # compiler options
ok "it compiles with the shared HDF5" "$MPICC" -Wall -Wextra -Werror $cflags \
    -o "$TMP/shared" "$source" $libs
# shellcheck disable=SC2086
ok "and with the static one" "$MPICC" $cflags -o "$TMP/static" "$source" \
    "$archive/libhdf5.a" -lcrypto -lcurl -lsz -lz -ldl -lm
is "$(ldd "$TMP/static" | grep -c libhdf5)" 0 "which is inside the program"
for kind in shared static; do
    ROMIO_FSTYPE_FORCE=lustre: ok "$kind: writes and reads through the driver" \
        plugin_run 3 "$TMP/$kind" "$TMP/$kind.h5"
    out=$(ROMIO_LUSTRE_VERBOSE=1 plugin_run 2 "$TMP/$kind" \
        "lustre:$TMP/$kind.h5" 2>&1)
    is "$? $(echo "$out" | grep -c '^romio-lustre ')" "0 1" \
        "$kind: its calls bind to the plug-in"
done
