#!/bin/sh
# t0025-documents - links lead somewhere; commands of the READMEs run as written
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A block with <!-- run: PATTERN --> before it is run on the build tree's
# programs, in an empty directory; PATTERN is in its output.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
TIMEOUT=120
cd "$SRC" || exit 1

# links FILE: relative targets of markdown links, without the anchor
links() {
    grep -oE '\]\([^)#: ]+' "$1" | sed 's/^](//'
}

for page in README.md README.lustre doc/*.md; do
    is "$(links "$page" | while read -r to; do
        [ -e "$(dirname "$page")/$to" ] || echo "$to"
    done)" "" "$page: links lead somewhere"
done
is "$(grep -ohE '\b(maint|bench|doc|examples|packaging)/[A-Za-z0-9_/.-]+' README.md \
    README.lustre doc/developing.md | sed 's/[.]$//' | sort -u |
    while read -r f; do [ -e "$f" ] || echo "$f"; done)" "" \
    "the files that the READMEs name are there"
core=src/mpi/romio/adio/ad_lustre
is "$(grep -ohE '`(core|sys|mpi)/[a-z_/0-9.]+`' doc/developing.md | tr -d '`' |
    sort -u | while read -r f; do [ -e "$core/$f" ] || echo "$f"; done)" "" \
    "and the sources that developing.md names"
ok "doc/modules.md is up to date (else: maint/module-map)" maint/module-map --check

# ---- commands, as they stand there ----
mkdir "$TMP/path"
ln -s "$BUILD/romio-lustre" "$LUSTRE_SIM" "$TMP/path"
for c in mpicc mpiexec; do # no links: mpiexec looks beside itself
    printf '#!/bin/sh\nexec %s "$@"\n' \
        "$(command -v $c.mpich || command -v $c)" >"$TMP/path/$c"
    chmod +x "$TMP/path/$c"
done
awk -v dir="$TMP" '
    /^<!-- run: / {
        sub(/^<!-- run: /, ""); sub(/ -->$/, "")
        file = sprintf("%s/%02d", dir, ++n)
        print >(file ".pattern")
        state = 1
        next
    }
    state == 1 && /^    / { state = 2 }
    state == 2 && !/^    / { state = 0 }
    state == 2 { print substr($0, 5) >(file ".block") }
' README.md README.lustre

run_block() {
    mkdir "$TMP/work" && cd "$TMP/work" && cp "$BUILD/heat3d" . &&
        PATH=$TMP/path:$PATH LD_PRELOAD=$(preload) limited sh -eu "$1" 2>&1
}

for block in "$TMP"/*.block; do
    rc=0
    out=$(run_block "$block") || rc=$?
    rm -rf "$TMP/work"
    is $rc 0 "$(head -n 1 "$block") ...: runs"
    like "$out" "$(cat "${block%.block}.pattern")" "and prints what it should"
done
tap_done
