#!/bin/sh
# t0025-documents - links lead somewhere; options that are named exist
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_sim
cd "$SRC" || exit 1

# links FILE: relative targets of markdown links, without the anchor
links() {
    grep -oE '\]\([^)#: ]+' "$1" | sed 's/^](//'
}

# anchors FILE: of its headings, as they are made for the web, and its own
anchors() {
    sed -n 's/^<a id="\([^"]*\)">.*/\1/p' "$1"
    sed -n 's/^##* *//p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

# away FILE: links into a page whose heading is not there
away() {
    grep -oE '\]\([^): ]*#[^) ]+' "$1" | sed 's/^](//' | while read -r to; do
        page=${to%%#*}
        anchors "$(dirname "$1")/${page:-$(basename "$1")}" |
            grep -qxF -e "${to#*#}" || echo "$to"
    done
}

pages="README.md README.lustre SECURITY.md CONTRIBUTING.md $(ls doc/*.md | tr '\n' ' ')"
for page in $pages; do
    is "$(links "$page" | while read -r to; do
        [ -e "$(dirname "$page")/$to" ] || echo "$to"
    done; away "$page")" "" "$page: links lead somewhere"
done
# named PATTERN: what the pages name so, without the dot of a sentence
named() {
    # shellcheck disable=SC2086 # a list of pages
    grep -ohE -e "(^|[^A-Za-z0-9_/.-])$1" $pages |
        sed 's/^[^a-z]//; s/[.]$//' | sort -u
}

is "$(named '(maint|bench|doc|examples|packaging|src)/[A-Za-z0-9_/.-]+' |
    grep -vx 'examples/C' | # PnetCDF's
    while read -r f; do [ -e "$f" ] || echo "$f"; done)" "" \
    "the files that the pages name are there"
romio=src/mpi/romio
is "$(named '(core|sys|mpi|plugin|adio|test)/[a-z_0-9/]+\.(c|h|def|t)' |
    while read -r f; do
        [ -e $romio/adio/ad_lustre/"$f" ] || [ -e $romio/"$f" ] ||
            [ -e src/lustre-sim/"$f" ] || echo "$f"
    done)" "" "and the sources"
ok "doc/modules.md is up to date (else: maint/module-map)" maint/module-map --check

# ---- commands that the text names: their options are those of --help ----
for c in romio-lustre lioprof; do
    [ -x "$BUILD/$c" ] || skip_all "no $c in $BUILD"
done

# program WORD: the file of a command, or nothing
program() {
    case $1 in
    lustre-sim) echo "$LUSTRE_SIM" ;;
    romio-lustre | lioprof) echo "$BUILD/$1" ;;
    lbench) echo "$SRC/bench/lbench" ;;
    maint/check-source) ;; # takes none
    maint/[a-z]* | bench/lbench | bench/apps/build | src/lioprof/tutorial/run)
        echo "$SRC/$1"
        ;;
    esac
}

# commands PAGE: in backquotes or in a block, one a line, the variables before
# it and what it runs itself left out
commands() {
    {
        sed '/^```/,/^```/d' "$1" | tr '\n' ' ' | grep -oE '`[^`]*`' |
            tr -d '`'
        awk '/^```/ { inside = !inside; next } inside { print }
            sub(/^    /, "")' "$1" |
            sed -e ':a' -e '/\\$/N; s/\\\n//; ta'
    } | sed 's/^\([A-Z_]*=[^ ]* \)*//; s/ *#.*//; s/ -- .*//; s/ && /\n/g
        s/ \(mpiexec\|srun\|flux\) .*//; s/^export .*//' | sort -u
}

# unknown COMMAND...: options that its help does not have
unknown() {
    file=$(program "$1")
    [ -n "$file" ] || return 0
    {
        "$file" --help
        case ${2:-} in
        [a-z]*) "$file" "$2" --help ;;
        esac
    } >"$TMP/help" 2>&1 </dev/null
    name=$1
    shift
    for word in "$@"; do
        case $word in
        --[a-z]*)
            grep -qE -e "(^|[^a-z-])${word%%=*}([^a-z-]|\$)" "$TMP/help" ||
                echo "$name $word"
            ;;
        esac
    done
}

for page in $pages; do
    is "$(set -f; commands "$page" | while read -r line; do
        # shellcheck disable=SC2086 # words
        unknown $line
    done)" "" "$page: options that it names are there"
done
tap_done
