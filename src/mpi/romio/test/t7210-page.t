#!/bin/sh
# t7210-page - the command lines of doc/applications.md, run as they stand there
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A block of the page has a comment before it:
#   <!-- run: TITLE | PATTERN -->   run on lustre-sim; PATTERN is in its output
#   <!-- job: NAME | PATTERN -->    a job script: the same, with stand-ins for
#                                   the launchers that are not here
#   <!-- syntax: TITLE -->          not run: the shell reads it
#   <!-- python: FILE -->           a program: Python compiles it, and it is
#                                   put into FILE for the blocks that follow
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
page=$SRC/doc/applications.md
TIMEOUT=600

# A directory that looks like the top of the checkout, and a PATH as the page
# says. Programs that a block compiles go to apps/ of it.
work=$TMP/work
mkdir "$work" "$TMP/path" "$TMP/blocks"
ln -s "$SRC/src" "$SRC/bench" "$SRC/maint" "$work"
ln -s "$BUILD/romio-lustre" "$LUSTRE_SIM" "$TMP/path"
for c in mpicc mpiexec mpifort; do # no links: mpiexec looks beside itself
    printf '#!/bin/sh\nexec %s "$@"\n' \
        "$(command -v $c.mpich || command -v $c || echo false)" >"$TMP/path/$c"
done
# Open MPI's, with what a test machine needs
printf '#!/bin/sh\nexec %s "$@"\n' "$SRC/src/mpi/romio/test/mpiexec-openmpi.sh" \
    >"$TMP/path/mpirun"
chmod +x "$TMP/path/mpi"*
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 256K >/dev/null || exit 1

# The stand-ins take the options the page uses, and no others.
cat >"$TMP/path/srun" <<'STANDIN'
#!/bin/sh
# srun - a stand-in: ranks by mpiexec, with the preload of --export
preload=
while :; do
    case $1 in
    --export=ALL,LD_PRELOAD=*) preload=${1#--export=ALL,LD_PRELOAD=} ;;
    --mpi=pmi2) ;;
    --ntasks=*) n=${1#*=} ;;
    -*) echo "srun: unknown option $1" >&2; exit 1 ;;
    *) break ;;
    esac
    shift
done
exec mpiexec -n "$n" -genv LD_PRELOAD "$preload" "$@"
STANDIN
cat >"$TMP/path/flux" <<'STANDIN'
#!/bin/sh
# flux - a stand-in: ranks by mpiexec, which inherit the environment
[ "$1" = run ] || exit 1
shift
while :; do
    case $1 in
    --nodes=*) ;;
    --ntasks=*) n=${1#*=} ;;
    -*) echo "flux: unknown option $1" >&2; exit 1 ;;
    *) break ;;
    esac
    shift
done
exec mpiexec -n "$n" "$@"
STANDIN
chmod +x "$TMP/path/srun" "$TMP/path/flux"

# Blocks as files N.block, with N.what holding "kind<TAB>title<TAB>pattern".
awk -v dir="$TMP/blocks" '
    /^<!-- (run|job|syntax|python): / {
        what = $0
        sub(/^<!-- /, "", what)
        sub(/ -->$/, "", what)
        kind = title = what
        sub(/:.*/, "", kind)
        sub(/^[a-z]*: /, "", title)
        pattern = ""
        if (i = index(title, " | ")) {
            pattern = substr(title, i + 3)
            title = substr(title, 1, i - 1)
        }
        file = sprintf("%s/%02d", dir, ++n)
        print kind "\t" title "\t" pattern >(file ".what")
        next
    }
    /^```/ { inside = !inside && what != ""; if (!inside) what = ""; next }
    inside { print >(file ".block") }
' "$page"

# run_block FILE: below the root of a lustre-sim, as far as the page is concerned
run_block() {
    cd "$work" && PATH=$TMP/path:$PATH DIR=$SIM PBS_O_WORKDIR=$work \
        LD_PRELOAD=$(preload) limited "$LUSTRE_SIM" run --root "$SIM" \
        sh -eu "$1"
}

# block FILE KIND TITLE PATTERN
block() {
    case $2 in
    run | job)
        if ! can_run "$1"; then
            skip 2 "$3: $missing"
            return
        fi
        rc=0
        (run_block "$1") >"$TMP/out" 2>&1 </dev/null || rc=$?
        is $rc 0 "$3: runs"
        like "$(cat "$TMP/out")" "$4" "$3: prints what it should"
        [ $rc = 0 ] || diag_file "$TMP/out"
        ;;
    syntax) ok "$3: the shell can read it" sh -n "$1" ;;
    python)
        if command -v python3 >/dev/null; then
            ok "$3: Python can compile it" python3 -c \
                'import sys; compile(open(sys.argv[1]).read(), "x", "exec")' "$1"
            cp "$1" "$work/$3"
        else
            skip 1 "$3: no python3"
        fi
        ;;
    esac
}

# can_run FILE: whether the commands it needs are here
can_run() {
    for need in h5pcc.mpich gfortran; do
        word=$need
        [ $need != gfortran ] || word=mpifort
        if grep -q "$word" "$1" && ! command -v $need >/dev/null; then
            missing="no $need"
            return 1
        fi
    done
    if grep -q build-pnetcdf-tests "$1" && ! limited \
        "$SRC/maint/build-pnetcdf-tests" --mpicc mpicc.mpich examples/C \
        >"$TMP/built" 2>&1; then
        diag_file "$TMP/built"
        missing="PnetCDF cannot be built here"
        return 1
    fi
    if grep -q build-python-tests "$1"; then
        if ! pkg-config --exists hdf5-mpich; then
            missing="no libhdf5-mpich-dev"
            return 1
        fi
        if ! limited "$SRC/maint/build-python-tests" --mpicc mpicc.mpich \
            >"$TMP/built" 2>&1; then
            diag_file "$TMP/built"
            missing="mpi4py and h5py cannot be built here"
            return 1
        fi
    fi
    if grep -q mpirun "$1" && ! [ -f "$BUILD/libromio_lustre_openmpi.so" ]; then
        missing="no plug-in for Open MPI"
        return 1
    fi
    if grep -q 'mpirun.*python3' "$1" &&
        ! [ -d /usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi ]; then
        missing="no python3-h5py-mpi"
        return 1
    fi
    if grep -q 'api hdf5' "$1" && ! pkg-config --exists hdf5-mpich; then
        missing="no libhdf5-mpich-dev"
        return 1
    fi
}

tab=$(printf '\t')
for file in "$TMP/blocks/"*.block; do
    IFS=$tab read -r kind title pattern <"${file%.block}.what"
    block "$file" "$kind" "$title" "$pattern"
done

# ---- nothing is on the page unmarked, and what it names is there ----
is "$(grep -cE '^```(sh|python)$' "$page")" \
    "$(find "$TMP/blocks" -name '*.block' | wc -l | tr -d ' ')" \
    "every block of commands is marked"
is "$(grep -ohE '\b(bench|src|doc|maint)/[A-Za-z0-9_/.-]+' "$page" | sed 's/[.]$//' |
    sort -u | while read -r f; do [ -e "$SRC/$f" ] || echo "$f"; done)" "" \
    "the files it names are there"
is "$(ls "$SIM")" "" "the blocks leave nothing behind"

tap_done
