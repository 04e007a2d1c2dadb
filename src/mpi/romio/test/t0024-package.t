#!/bin/sh
# t0024-package - the Debian package: lintian, install, an MPI job, removal
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# As root, with --full, it is installed by dpkg; else it is unpacked.
. "$(dirname "$0")/lib.sh"
need_plugin
for c in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    command -v $c >/dev/null || skip_all "no $c"
done
TIMEOUT=300
root=
doc=usr/share/doc/romio-lustre

# job: quickstart's, with what lies below $root
job() {
    cd "$TMP" && "$root/usr/bin/lustre-sim" mkfs --osts 4 "$TMP/fs" &&
        "$MPICC" -o heat3d "$root/$doc/examples/heat3d.c" -lm &&
        ROMIO_LUSTRE_VERBOSE=1 MPICH_MPIIO_STATS=1 LD_PRELOAD=$(preload) \
            limited "$root/usr/bin/lustre-sim" run --root "$TMP/fs" \
            "$root/usr/bin/romio-lustre" run "$MPIEXEC" -n 4 ./heat3d -k \
            -h striping_factor=4 -h striping_unit=1048576 "$TMP/fs/heat" 2>&1
}

tap_plan 11
ok "maint/package-deb" limited "$SRC/maint/package-deb" --build "$BUILD" \
    --out "$TMP" --maintainer "A Site <admin@mpi-io.org>"
deb=$(ls "$TMP"/romio-lustre_*.deb)
like "$(dpkg-deb -f "$deb" Depends)" "libc6 \(>= " "it says what it depends on"
if command -v lintian >/dev/null; then
    is "$(lintian --fail-on none "$deb" 2>/dev/null | grep '^E:')" "" \
        "lintian finds no error"
else
    skip 1 "no lintian"
fi
is "$(dpkg-deb -c "$deb" | grep -vE '^([-d]r[w-][x-]r-[x-]r-[x-]|lrwxrwxrwx) root/root ')" "" \
    "it is root's, and all users can read it"

if [ $FULL = yes ] && [ "$(id -u)" = 0 ] && ! dpkg -s romio-lustre >/dev/null 2>&1
then
    installed=yes
    ok "it installs" dpkg -i "$deb"
else
    installed=no
    root=$TMP/root
    ok "it unpacks (--full and root: installs)" dpkg-deb -x "$deb" "$root"
fi
is "$(grep -rlF -e "$BUILD" -e "$SRC" "$root/usr/lib/romio-lustre" \
    "$root/$doc" "$root/usr/bin/romio-lustre")" "" "it does not name the build tree"
out=$(job)
like "$out" "^romio-lustre [0-9]" "quickstart's job runs on the packaged plug-in"
like "$out" "^heat3d: written in" "and writes"
if [ ! -f "$BUILD/libromio_lustre_openmpi.so" ]; then
    skip 2 "no plug-in for Open MPI"
else
    rm -rf "$TMP/fs"
    out=$(MPICC=mpicc.openmpi
        MPIEXEC=$SRC/src/mpi/romio/test/mpiexec-openmpi.sh
        job)
    like "$out" "^romio-lustre [0-9]" "and on that for Open MPI"
    like "$out" "^heat3d: written in" "and writes there, too"
fi
if [ $installed = yes ]; then
    dpkg -P romio-lustre >"$TMP/out" 2>&1
    is "$(dpkg-deb -c "$deb" | sed -n 's|.* \./\(.*[^/]\)$|/\1|p' |
        while read -r f; do [ ! -e "$f" ] || echo "$f"; done
        ls -d /$doc /usr/lib/romio-lustre 2>/dev/null)" "" "it is gone again"
else
    skip 1 "not installed: needs root and --full"
fi
