#!/bin/sh
# t7004-python - Python's MPI-IO: every call, mpi4py's I/O tests, h5py
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
need_plugin
need_sim
python=/usr/bin/python3
suite="Python (mpi4py, h5py), plug-in"

# stop REASON: nothing of it can run
stop() {
    suite_skip mpi4py "$1"
    suite_summary "$suite"
    tap_done
    exit 0
}

# source_of PACKAGE TREE: is there one? Else the reason, in $TMP/PACKAGE.err
source_of() {
    "$SRC/maint/get-source" --source "$2" "$1" >/dev/null 2>"$TMP/$1.err"
}

[ -x $python ] || stop "no $python"
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null

# ---- every call; needs neither mpi4py nor its source ----
printf '%s\n' '#include <mpi.h>' 'int main(void) { return MPI_Init(0, 0); }' |
    "$MPICC" -x c -o "$TMP/links" -
libmpi=$(ldd "$TMP/links" | awk '/^[ \t]*lib(mpi|mpich)\.so\./ { print $3; exit }')
every='calls right, not called: none'
for nodes in 1 2 3; do
    said=$(ROMIO_LUSTRE_VERBOSE=1 node_run $nodes 3 $python \
        "$SRC/src/mpi/romio/test/mpifile.py" "$libmpi" "$SIM/every" 2>&1)
    like "$said" "^[1-9][0-9]* $every" "every MPI_File call, nodes: $nodes"
    like "$said" "^romio-lustre [0-9]" "it was the plug-in that was called"
done

$python -c 'import Cython, numpy, setuptools' 2>/dev/null ||
    stop "no cython3, python3-numpy or python3-setuptools"
mpi4py=${ADL_MPI4PY_SOURCE:-auto}
h5py=${ADL_H5PY_SOURCE:-auto}
without=
source_of mpi4py "$mpi4py" || stop "no source: $(tail -n 1 "$TMP/mpi4py.err")"
if ! pkg-config --exists hdf5-mpich 2>/dev/null; then
    h5py=no without="no libhdf5-mpich-dev"
elif ! source_of h5py "$h5py"; then
    h5py=no without="no source: $(tail -n 1 "$TMP/h5py.err")"
fi
built=$("$SRC/maint/build-python-tests" --mpicc "$MPICC" --mpi4py "$mpi4py" \
    --h5py "$h5py" 2>"$TMP/build.err") || {
    diag_file "$TMP/build.err"
    fail "mpi4py and h5py can be built"
    tap_done
    exit 1
}
export PYTHONPATH="$built/lib" PYTHONDONTWRITEBYTECODE=1

ours() {
    sim_run "$@"
}

# ---- one line, as a user would try it ----
one() {
    sim_run 1 $python -c "
from mpi4py import MPI
f = MPI.File.Open(MPI.COMM_WORLD, '$SIM/one', MPI.MODE_CREATE | MPI.MODE_RDWR)
f.Write_at_all(0, b'text')
f.Close()"
}
ok "mpi4py opens and writes a file" one
is "$(cat "$SIM/one" 2>/dev/null)" "text" "the bytes are there"

# ---- mpi4py's own tests; their files are in TMPDIR ----
# passes RUNNER RANKS TEST
passes() {
    suite_place "$1"
    suite_rc=0
    TMPDIR=$suite_dir "$1" "$2" $python "$built/mpi4py/test/runtests.py" \
        --no-builddir -v -i "$3" >"$TMP/$1.out" 2>&1 || suite_rc=$?
    rm -rf "$suite_dir"
    [ $suite_rc = 0 ] && grep -q '^Ran [1-9][0-9]* tests' "$TMP/$1.out"
}
for test in test_io test_file; do
    for ranks in 1 3; do
        suite_compare "$test-$ranks" passes $ranks $test
    done
done

# ---- h5py: the program of doc/applications.md ----
sed -n '/^<!-- python: apps\/write.py/,/^```$/p' "$SRC/doc/applications.md" |
    sed '1,2d; $d' >"$TMP/write.py"
ok "the page has the program" grep -q h5py.File "$TMP/write.py"
# Every byte, with a serial h5py call: it reads by POSIX.
verify='
import sys, h5py, numpy
with h5py.File(sys.argv[1], "r") as f:
    data = f["data"][...]
ranks = int(sys.argv[2])
assert data.shape == (ranks, 1000), data.shape
assert (data == numpy.arange(ranks).reshape(ranks, 1)).all()
print("right")'

writes() {
    MPICH_MPIIO_STATS=1 sim_run 4 $python "$TMP/write.py" "$SIM/out.h5" \
        >"$TMP/h5py.out" 2>&1
}
if [ "$h5py" = no ]; then
    suite_skip h5py "$without"
else
    if writes; then suite_pass h5py; else
        suite_fail h5py
        diag_file "$TMP/h5py.out"
    fi
    like "$(cat "$TMP/h5py.out")" "collective writes += [1-9]" \
        "its data went through a collective write of the driver"
    is "$(sim_layout stripe_count "$SIM/out.h5")" 4 "and its hint was heard"
    is "$(sim_one $python -c "$verify" "$SIM/out.h5" 4 2>&1)" right \
        "all values are right"
fi
suite_summary "$suite"
tap_done
