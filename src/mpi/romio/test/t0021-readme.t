#!/bin/sh
# t0021-readme - what is generated in the documentation is up to date
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
[ -f "$BUILD/Makefile" ] || skip_all "no build tree at $BUILD (set ADL_BUILD)"

tap_plan 7

ok "the READMEs have the tables (else: maint/update-readme)" \
    "$SRC/maint/update-readme" --check "$BUILD"
# The first page is short: a stranger reads it to its end.
lines=$(wc -l <"$SRC/README.md")
diag "README.md has $lines lines"
ok "README.md has at most 180 lines" [ "$lines" -le 180 ]
rows=$(sed -n '/^<!-- highlights: begin/,/^<!-- highlights: end/p' \
    "$SRC/README.md" | grep -c '^|')
ok "and a table of at most twelve rows" [ "$rows" -le 14 ]
is "$(grep -c '^|[-|]*|$' "$SRC/README.md")" 1 "which is the only table"
# Every script of maint/ answers --help, and the README names only what exists.
for s in "$SRC"/maint/*; do
    [ -x "$s" ] || continue
    case $s in */check-source) continue ;; esac
    "$s" --help 2>&1 | grep -q '^usage: ' || echo "$s"
done >"$TMP/silent"
is "$(cat "$TMP/silent")" "" "every command of maint/ says how it is used"
grep -ohE '\b(maint|examples|src)/[A-Za-z0-9_/.-]+' "$SRC/README.md" \
    "$SRC/README.lustre" | sed 's/[.]$//' | sort -u | while read -r f; do
    [ -e "$SRC/$f" ] || echo "$f"
done >"$TMP/absent"
is "$(cat "$TMP/absent")" "" "what the READMEs name is there"

# The release has one version, and CHANGES the date of it.
version=$(sed -n 's/^AC_INIT(\[romio-lustre\], \[\([0-9.]*\)\].*/\1/p' \
    "$SRC/configure.ac")
date=$(sed -n '1s/.*(\(.*\))$/\1/p' "$SRC/CHANGES")
while IFS='|' read -r file line; do
    grep -qF -e "$line" "$SRC/$file" || echo "$file lacks: $line"
done >"$TMP/other" <<END
CHANGES|$version ($date)
CITATION.cff|version: $version
CITATION.cff|date-released: $date
packaging/romio-lustre.spec|Version:        $version
packaging/romio-lustre.spec|- $version-1
packaging/easybuild/romio-lustre.eb|version = '$version'
packaging/spack/packages/romio-lustre/package.py|romio-lustre-$version.tar.xz
END
is "$(cat "$TMP/other")" "" "version and date are the same everywhere"
