#!/bin/sh
# t0026-walk - every command of the documents runs as it stands there
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A block of commands has a comment before it:
#   <!-- run: PATTERN -->      run; PATTERN is in its output
#   <!-- build: PATTERN -->    the same in a fresh copy of the sources, or, where
#                              it begins with git clone, beside it: minutes each,
#                              so with --full only
#   <!-- not run: REASON -->   the shell reads it, its options are looked up
#   <!-- prints -->            no commands: lines that the last run printed, but
#                              for numbers
# Blocks of one page run in one directory, in order, as a reader would. What is
# on doc/applications.md is run by t7210. Arguments: only these pages.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
TIMEOUT=${ADL_TIMEOUT:-120}
[ "$FULL" = no ] || TIMEOUT=${ADL_TIMEOUT:-1800}
cd "$SRC" || exit 1
pages=${*:-$(ls README.md README.lustre SECURITY.md CONTRIBUTING.md doc/*.md | grep -v applications.md)}
mkdir "$TMP/path" "$TMP/blocks" "$TMP/home"

# ---- what a reader has: our commands, MPICH's, programs of the reader ----
cat >"$TMP/program.c" <<'PROGRAM'
/* program.c - a reader's program: each rank writes a block of a file */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "lustre:out";
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    static char block[65536];
    int rank, ranks;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_File_write_at_all(fh, (MPI_Offset)rank * 65536, block, 65536, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    if (rank == 0)
        printf("%s: written by %d ranks\n", name, ranks);
    return MPI_Finalize();
}
PROGRAM
"$MPICC" -o "$TMP/path/program" "$TMP/program.c" || exit 1
cp "$TMP/path/program" "$TMP/path/your-program"
ln -s "$BUILD/romio-lustre" "$BUILD/lioprof" "$LUSTRE_SIM" "$TMP/path"
for c in mpicc mpiexec; do # no links: mpiexec looks beside itself
    printf '#!/bin/sh\nexec %s "$@"\n' \
        "$(command -v $c.mpich || command -v $c)" >"$TMP/path/$c"
done
cat >"$TMP/path/srun" <<'STANDIN'
#!/bin/sh
# srun - a stand-in: two ranks by mpiexec, with the preload of --export
while :; do
    case $1 in
    --export=ALL,LD_PRELOAD=*) preload=${1#--export=ALL,LD_PRELOAD=} ;;
    -n) shift ;;
    *) break ;;
    esac
    shift
done
exec mpiexec -n 2 -genv LD_PRELOAD "$preload" "$@"
STANDIN
chmod +x "$TMP/path/mpicc" "$TMP/path/mpiexec" "$TMP/path/srun"

# directory PAGE: where its blocks run; looks like the top of the checkout
directory() {
    dir=$TMP/pages/$1
    if [ ! -d "$dir" ]; then
        mkdir -p "$dir"
        ln -s "$SRC/src" "$SRC/bench" "$SRC/maint" "$dir"
        ln -s "$BUILD" "$dir/build"
        cp "$BUILD/heat3d" "$TMP/path/program" "$dir"
        cp "$TMP/path/program" "$dir/app"
    fi
    echo "$dir"
}

# sources DIR: a copy of the tree as git would hand it out
sources() {
    mkdir "$1" && if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z | xargs -0 tar -cf -
    else
        tar -cf - --exclude='./build*' --exclude=autom4te.cache .
    fi | tar -C "$1" -xf - && cp "$TMP/program.c" "$1"
}

# ---- the blocks: N.block, N.what with "kind<TAB>page:line<TAB>argument" ----
# shellcheck disable=SC2086 # a list of pages
awk -v dir="$TMP/blocks" '
    function begin(first) {
        file = sprintf("%s/%03d", dir, ++n)
        if (kind == "" && first ~ command)
            kind = "unmarked"
        print kind "\t" FILENAME ":" FNR "\t" arg >(file ".what")
        inside = 1
    }
    BEGIN {
        command = "^    ([A-Z_]+=[^ ]* )?(git|cd|make|export|mpiexec|mpicc|" \
            "lustre-sim|romio-lustre|lioprof|prove|lfs|sh|" \
            "\\./[a-z]|\\.\\./configure|" \
            "(maint|bench|src|build)/[^ ]*[a-z]( |$))"
    }
    FNR == 1 { inside = 0; kind = "" }
    /^<!-- (run|build|not run|prints)(:.*)? -->$/ {
        kind = $0
        sub(/^<!-- /, "", kind); sub(/ -->$/, "", kind)
        arg = kind
        if (!sub(/^[a-z ]*: */, "", arg))
            arg = ""
        sub(/:.*/, "", kind)
        inside = 0
        next
    }
    /^    / && (blank || inside) {
        if (!inside)
            begin($0)
        else if (blank)
            print "" >(file ".block")
        print substr($0, 5) >(file ".block")
    }
    !/^    / && !/^$/ {
        if (inside)
            kind = arg = ""
        inside = 0
    }
    { blank = /^$/ }
' $pages

# run_in DIR BLOCK: without what the check itself has set
run_in() {
    cd "$1" && env PATH="$TMP/path:$PATH" HOME="$TMP/home" \
        LD_LIBRARY_PATH="$BUILD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        LUSTRE_SIM="$LUSTRE_SIM" ${3+"DESTDIR=$3"} \
        ROMIO_LUSTRE_CACHE="${ROMIO_LUSTRE_CACHE:-$HOME/.cache/romio-lustre}" \
        LD_PRELOAD="$(preload)" timeout -k 5 "$TIMEOUT" sh -eu "$2" </dev/null
}

# build_block BLOCK: in a copy of the sources, or beside one that it clones;
# what it installs without a prefix goes to a directory of its own
build_block() {
    copy=$TMP/copy
    rm -rf "$copy" "${TMP:?}/home" "$TMP/dest"
    mkdir "$TMP/home"
    case $(head -n 1 "$1") in
    'git clone'*) mkdir "$copy" && ln -s "$SRC" "$copy/REPOSITORY" ;;
    *) sources "$copy" ;;
    esac || return 1
    if grep -q -e '--prefix' "$1"; then
        run_in "$copy" "$1"
    else
        run_in "$copy" "$1" "$TMP/dest"
    fi
}

# first: the block's first line, for people
first() {
    head -n 1 "$block" | sed 's/[\\#].*//; s/ *$//'
}

# judge RC WHERE PATTERN: of the block that has run
judge() {
    is "$1" 0 "$2: $(first)"
    [ "$1" = 0 ] || diag_file "$TMP/out"
    like "$(cat "$TMP/out")" "$3" "and prints what it should"
}

# plain: without numbers, and without blanks that stand for their width
plain() {
    sed 's/[0-9a-f]*[0-9][0-9a-f]*/N/g; s/  */ /g; s/^ //' "$@"
}

tab=$(printf '\t')
for block in "$TMP/blocks/"*.block; do
    IFS=$tab read -r kind where arg <"${block%.block}.what"
    rc=0
    case $kind in
    run)
        (run_in "$(directory "${where%:*}")" "$block") >"$TMP/out" 2>&1 || rc=$?
        judge $rc "$where" "$arg"
        ;;
    build)
        if [ "$FULL" = yes ]; then
            (build_block "$block") >"$TMP/out" 2>&1 || rc=$?
            judge $rc "$where" "$arg"
        else
            ok "$where: the shell can read it" sh -n "$block"
            skip 1 "$where: $(first): a whole build, with --full"
        fi
        ;;
    'not run')
        ok "$where: the shell can read it" sh -n "$block"
        skip 1 "$where: $(first): $arg"
        ;;
    prints)
        plain "$TMP/out" >"$TMP/seen"
        is "$(plain "$block" | grep -vxF -f "$TMP/seen")" "" \
            "$where: prints these lines"
        ;;
    unmarked) fail "$where: commands without a mark: $(first)" ;;
    esac
done
[ $# -gt 0 ] || like "$(cat "$TMP"/blocks/*.what | grep -c '^run')" \
    '^[1-9][0-9]$' "blocks to run were found"
tap_done
