#!/bin/sh
# t0022-man - the man pages render, and say what the programs say of themselves
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
[ -f "$BUILD/doc/man/romio-lustre.1" ] ||
    skip_all "no man pages in $BUILD (set ADL_BUILD)"
command -v man >/dev/null || skip_all "no man"

# the program whose page it is, in the build tree or the checkout
program_of() {
    for p in "$BUILD/$1" "$BUILD/src/$1/$1" "$SRC/bench/$1"; do
        if [ -f "$p" ] && [ -x "$p" ]; then
            echo "$p"
            return
        fi
    done
}

# help_of PROGRAM: its help and that of each of its commands: the first words
# of the indented lines
help_of() {
    "$1" --help
    commands "$1" | while read -r c; do
        "$1" "$c" --help 2>&1 </dev/null
    done
}

# commands PROGRAM: those that its help lists
commands() {
    "$1" --help | awk '/^  [a-z]+( |$)/ { print $1 }' | sort -u
}

# options: those named in the input, one a line
options() {
    tr -s ' ,|[]()=`"\047' '\n' | grep -E -e "$1" | sed 's/[.;:]*$//' | sort -u
}

# rendered PAGE: as a reader sees it, but neither struck over nor hyphenated
back=$(printf '\b')
rendered() {
    MANWIDTH=200 LC_ALL=C.UTF-8 man --nh --nj -E UTF-8 -Tutf8 -l "$1" \
        2>/dev/null | LC_ALL=C.UTF-8 sed "s/.$back//g; s/‐/-/g; s/−/-/g"
}

# The image of a container may have a man that only says it has none.
rendered "$BUILD/doc/man/romio-lustre.1" | grep -q '^NAME' ||
    skip_all "man renders no pages here"

# A page may name an option of lustre-sim; --help and --version go without saying.
help_of "$LUSTRE_SIM" 2>&1 | options '^--[a-z]' >"$TMP/sim"
printf '%s\n' --help --version >>"$TMP/sim"
for page in "$SRC"/doc/man/*.[17] "$BUILD"/doc/man/*.[17]; do
    [ -f "$page" ] || continue
    name=$(basename "$page")
    is "$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -Tutf8 -l "$page" 2>&1 \
        >/dev/null)" "" "$name renders without a warning"
    rendered "$page" >"$TMP/page"
    case $name in *.7) continue ;; esac
    program=$(program_of "${name%.*}")
    if [ -z "$program" ]; then
        fail "$name: there is no such program"
        continue
    fi
    is "$(commands "$program" | tr 'a-z' 'A-Z' | while read -r c; do
        grep -qx "$c" "$TMP/page" || echo "$c"
    done)" "" "$name has a part for every command"
    help_of "$program" >"$TMP/help" 2>&1
    options '^--?[A-Za-z]' <"$TMP/help" >"$TMP/said"
    options '^--?[A-Za-z]' <"$TMP/page" >"$TMP/written"
    is "$(grep -vxE -e '--(help|version)' "$TMP/said" |
        grep -vxF -f "$TMP/written")" "" "$name has every option"
    is "$(grep '^--' "$TMP/written" |
        grep -vxF -f "$TMP/said" -f "$TMP/sim")" "" "$name has no other"
done

# ---- the page of hints has what the driver reads, from the sources ----
rendered "$BUILD/doc/man/romio_lustre.7" >"$TMP/page"
core=$SRC/src/mpi/romio/adio/ad_lustre/core
sed -n 's/^ADL_HINT([a-z_0-9]*, *"\([^"]*\)".*/\1/p' "$core/hints/hints.def" >"$TMP/names"
sed -n 's/^ADL_ENV([a-z_0-9]*, *"\([^"]*\)".*/MPICH_MPIIO_\1/; s/^MPICH_MPIIO_ROMIO_/ROMIO_/; /^[MR][A-Z]*_/p' \
    "$core/hints/envvars.def" >>"$TMP/names"
like "$(wc -l <"$TMP/names")" '^ *[4-9][0-9]$' "hints and variables are found"
is "$(while read -r h; do
    grep -qE "^ +$h(,|\$)" "$TMP/page" || echo "$h"
done <"$TMP/names")" "" "romio_lustre.7 has every hint and variable"
tap_done
