#!/bin/sh
# t0020-dist - make install with DESTDIR, make dist, and a build from the tarball
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
[ -f "$BUILD/Makefile" ] || skip_all "no build tree at $BUILD (set ADL_BUILD)"
# shellcheck disable=SC2034 # used by lib.sh
TIMEOUT=300

tap_plan 14

in_dir() {
    cd "$1" && shift && limited "$@"
}

# ---- install ----
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$BUILD/Makefile")
prefix=$(sed -n 's/^prefix = //p' "$BUILD/Makefile")
ok "make install DESTDIR" in_dir "$BUILD" make -s install "DESTDIR=$TMP/dest"
root=$TMP/dest$prefix
is "$("$root/bin/romio-lustre" --version | cut -d' ' -f1)" romio-lustre \
    "the installed command runs"
if [ -f "$PLUGIN" ]; then
    # moved as a whole: it finds its library beside itself
    is "$("$root/bin/romio-lustre" run env | sed -n 's/^LD_PRELOAD=//p')" \
        "$root/lib/romio-lustre/libromio_lustre.so" \
        "and finds the installed plug-in"
    like "$("$root/bin/romio-lustre" info)" "ROMIO of MPICH" "which loads"
else
    skip 2 "no plug-in"
fi
ok "make uninstall DESTDIR" in_dir "$BUILD" make -s uninstall \
    "DESTDIR=$TMP/dest"
is "$(find "$TMP/dest" -type f | head -n 5)" "" "leaves nothing behind"

# ---- dist ----
dist=$TMP/romio-lustre-$version
ok "make dist" in_dir "$BUILD" make -s dist
ok "the tarball unpacks" tar -C "$TMP" -xf "$BUILD/$(basename "$dist").tar.xz"
if git -C "$SRC" rev-parse --git-dir >/dev/null 2>&1; then
    git -C "$SRC" ls-files | while read -r f; do
        [ -e "$dist/$f" ] || [ ! -e "$SRC/$f" ] || echo "$f"
    done | grep -vE '(^|/)\.git' >"$TMP/missing"
    is "$(head -n 20 "$TMP/missing")" "" "every file of the tree is in it"
else
    skip 1 "not a git checkout"
fi
is "$(find "$dist" -name '*.o' -o -name '*.so' -o -name '*.a' | head -n 5)" "" \
    "and nothing that was built"

# ---- a build from it, in its own tree, without MPI ----
ok "configure --with-mpich-source=no" in_dir "$dist" ./configure -q \
    --with-mpich-source=no "--prefix=$TMP/prefix"
ok "make" in_dir "$dist" make -s -j2
ok "make install" in_dir "$dist" make -s install
out=$(cd "$TMP" && PATH=$TMP/prefix/bin:$PATH romio-lustre info)
like "$out" "plug-in .*not built" "the command says that there is no plug-in"
