#!/bin/sh
# t0009-get-mpich - sources from cache, directory and tarball
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
get=$SRC/maint/get-mpich

tap_plan 25

# A small tree that looks like MPICH's, and its tarball.
fake() {
    mkdir -p "$1/maint" "$1/src/mpi/romio"
    echo "m4_define([MPICH_VERSION_m4],[$2])dnl" >"$1/maint/version.m4"
    : >"$1/src/mpi/romio/configure.ac"
    printf '#!/bin/sh\n' >"$1/src/mpi/romio/configure"
    chmod +x "$1/src/mpi/romio/configure"
}
fake "$TMP/mpich-4.0.2" 4.0.2
fake "$TMP/mpich-4.3.0" 4.3.0
fake "$TMP/mpich-3.4.2" 3.4.2
touch -d '2022-02-02 02:02:02' "$TMP/mpich-4.0.2/maint/version.m4"
tar -C "$TMP" -czf "$TMP/mpich.tar.gz" mpich-4.0.2
tar -C "$TMP" -cJf "$TMP/newer.tar.xz" mpich-4.3.0
tar -C "$TMP" -cJf "$TMP/older.tar.xz" mpich-3.4.2
tar -C "$TMP" -czf "$TMP/nothing.tar.gz" mpich.tar.gz
export ROMIO_LUSTRE_CACHE="$TMP/cache"

like "$("$get" --help)" "^usage: get-mpich" "--help"
not_ok "an unknown option" "$get" --frobnicate

# ---- a directory ----
is "$("$get" --source "$TMP/mpich-4.0.2")" "$TMP/mpich-4.0.2" \
    "a directory is used where it is"
is "$(cd "$TMP" && "$get" --source mpich-4.0.2)" "$TMP/mpich-4.0.2" \
    "a relative one too"
like "$("$get" --source "$TMP" 2>&1)" "is not an MPICH source tree" \
    "a directory with something else: said"
is "$("$get" --source "$TMP/mpich-4.3.0")" "$TMP/mpich-4.3.0" \
    "another version will do"
like "$("$get" --source "$TMP/mpich-3.4.2" 2>&1)" "MPICH 3\.4\.2.*too old" \
    "one that is too old: said"
not_ok "and an error" "$get" --source "$TMP/mpich-3.4.2"

# ---- a tarball ----
tree=$("$get" --source "$TMP/mpich.tar.gz" 2>"$TMP/err")
ok "a tarball is unpacked into the cache" \
    [ "${tree#"$TMP/cache/"}" != "$tree" ]
ok "and is whole" [ -x "$tree/src/mpi/romio/configure" ]
is "$(date -r "$tree/maint/version.m4" +%Y)" 2022 "with its mtimes"
is "$("$get" --source "$TMP/mpich.tar.gz" 2>&1)" "$tree" \
    "a second time it is there"
like "$("$get" --source "$TMP/newer.tar.xz")" "^$TMP/cache/" \
    "a tarball of another version will do"
like "$("$get" --source "$TMP/older.tar.xz" 2>&1)" \
    "older.tar.xz is MPICH 3\.4\.2.*too old" \
    "a tarball of one that is too old: said by its name"
like "$("$get" --source "$TMP/nothing.tar.gz" 2>&1)" \
    "is not an MPICH source tree|cannot unpack" "a tarball of nothing: said"
like "$("$get" --source "$TMP/absent.tar" 2>&1)" "no such directory or tarball" \
    "a tarball that is not there: said"

# ---- the cache ----
like "$("$get" --offline 2>&1)" "not in the cache.*--offline" \
    "offline with an empty cache: said"
mkdir -p "$TMP/cache/package"
cp "$TMP/mpich.tar.gz" "$TMP/cache/package/mpich_4.0.2.orig.tar.xz"
like "$("$get" --offline 2>&1)" "checksum .* does not match" \
    "a package with a wrong checksum: said"
cp -r "$TMP/mpich-4.0.2" "$TMP/cache/mpich-4.0.2"
is "$("$get" --offline)" "$TMP/cache/mpich-4.0.2" "offline from the cache"

# ---- the other packages ----
source=$SRC/maint/get-source
not_ok "get-source without a package" "$source"
not_ok "or with one it does not know" "$source" frobnicate
mkdir -p "$TMP/cache/hdf5-1.10.8/testpar"
for f in configure.ac configure testpar/testphdf5.c; do
    echo "AC_INIT([HDF5], [1.10.8], [])" >"$TMP/cache/hdf5-1.10.8/$f"
done
is "$("$source" hdf5 --offline)" "$TMP/cache/hdf5-1.10.8" "HDF5 from the cache"
is "$("$source" --source "$TMP/cache/hdf5-1.10.8" hdf5)" \
    "$TMP/cache/hdf5-1.10.8" "and from a directory"
like "$("$source" --source "$TMP/cache/hdf5-1.10.8" pnetcdf 2>&1)" \
    "is not a PnetCDF source tree" "HDF5 is not PnetCDF: said"
cp "$TMP/nothing.tar.gz" "$TMP/cache/package/pnetcdf_1.12.3.orig.tar.xz"
like "$("$source" --offline pnetcdf 2>&1)" "checksum .* does not match" \
    "a PnetCDF package with a wrong checksum: said"
