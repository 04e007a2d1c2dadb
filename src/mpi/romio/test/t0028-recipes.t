#!/bin/sh
# t0028-recipes - RPM, Spack and EasyBuild: built or executed, and looked at
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The RPM is built without the plug-in; with --full with it.
. "$(dirname "$0")/lib.sh"
[ -f "$BUILD/Makefile" ] || skip_all "no build tree at $BUILD (set ADL_BUILD)"
TIMEOUT=600
[ $FULL = no ] || TIMEOUT=1200
python=/usr/bin/python3

prefix=$(sed -n 's/^prefix = //p' "$BUILD/Makefile")
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$BUILD/Makefile")
ok "make dist" limited make -s -C "$BUILD" dist
tarball=$TMP/romio-lustre-$version.tar.xz
cp "$BUILD/$(basename "$tarball")" "$tarball"
ok "maint/recipes" "$SRC/maint/recipes" --url https://mpi-io.org/releases \
    --out "$TMP/recipes" "$tarball"
is "$(grep -rl 'romio-lustre\.invalid' "$TMP/recipes" | grep -v spec)" "" \
    "they name the place of the release"
not_ok "a tarball that is not there" "$SRC/maint/recipes" --out "$TMP/no" \
    "$TMP/absent.tar.xz"

# ---- Spack and EasyBuild ----
if [ -x $python ] && [ -f "$PLUGIN" ]; then
    make -s -C "$BUILD" install "DESTDIR=$TMP/dest" >/dev/null 2>&1
    "$SRC/configure" --help >"$TMP/help"
    check() {
        "$SRC/packaging/test/check-recipes" "$1" "$tarball" "$TMP/help" \
            "$TMP/dest$prefix"
    }
    ok "the recipes of Spack and EasyBuild, executed" check "$TMP/recipes"
    diag "$(grep -c '^ok' "$TMP/.out") checks"
    # an option that configure does not have, another sum: both are seen
    cp -r "$TMP/recipes" "$TMP/wrong"
    sed -i 's/--without-openmpi/--without-openmpy/' \
        "$TMP/wrong/spack/packages/romio-lustre/package.py"
    sed -i "s/'b27039f9/'b27039f0/" "$TMP/wrong/easybuild/"*.eb
    not_ok "mistakes in them are found" check "$TMP/wrong"
    is "$(grep -c '^not ok' "$TMP/.out")" 2 "both of them"
else
    skip 3 "no $python or no plug-in"
fi

# ---- RPM ----
if command -v rpmbuild >/dev/null; then
    set -- --without plugin
    [ $FULL = no ] || set -- --define "mpich_source auto"
    ok "rpmbuild -bb" limited rpmbuild -bb --nodeps "$@" \
        --define "_topdir $TMP/rpm" --define "_sourcedir $TMP" \
        --define "_smp_mflags -j2" "$TMP/recipes/romio-lustre.spec"
    rpm=$(find "$TMP/rpm" -name 'romio-lustre-*.rpm')
    rpm -qlp "$rpm" >"$TMP/list" 2>/dev/null
    is "$(for f in bin/romio-lustre bin/lustre-sim bin/lioprof bin/lbench \
        share/man/man1/lbench.1 share/romio-lustre/python/romio_lustre/report.py \
        share/doc/romio-lustre/README.md; do
        grep -q "^/usr/$f" "$TMP/list" || echo "$f"
    done)" "" "it has commands, pages and the module"
    [ $FULL = no ] || like "$(cat "$TMP/list")" "libromio_lustre.so$" \
        "and the plug-in"
    if command -v rpmlint >/dev/null; then
        said=$(rpmlint -c "$SRC/packaging/rpmlint.toml" "$rpm" \
            "$TMP/recipes/romio-lustre.spec" 2>&1)
        is "$(echo "$said" | grep ' E: ')" "" "rpmlint finds no error"
        like "$said" "packages and .* specfiles checked" "and has looked"
        diag "$(echo "$said" | tail -n 1)"
    else
        skip 2 "no rpmlint"
    fi
else
    skip 4 "no rpmbuild"
fi
tap_done
