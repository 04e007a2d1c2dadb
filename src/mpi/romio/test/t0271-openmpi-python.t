#!/bin/sh
# t0271-openmpi-python - mpi4py's MPI.File and h5py's tests, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Debian's mpi4py and h5py-mpi are for Open MPI. t7004 has the same for MPICH.
ADL_MPI=openmpi
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
python=/usr/bin/python3
limited "$MPIEXEC" -n 1 $python -c 'from mpi4py import MPI
assert MPI.get_vendor()[0] == "Open MPI"' >/dev/null 2>&1 ||
    skip_all "no python3-mpi4py for Open MPI"

tap_plan 9
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
for nodes in 1 2 3; do
    said=$(ROMIO_LUSTRE_VERBOSE=1 node_run $nodes 3 $python \
        "$SRC/src/mpi/romio/test/mpi4pyfile.py" "$SIM/every" 2>&1)
    like "$said" "^[1-9][0-9]* methods right, not called: none" \
        "every method of MPI.File, nodes: $nodes"
    like "$said" "^romio-lustre [0-9]" "it was the plug-in that was called"
done

# ---- the parallel tests that Debian's h5py brings along ----
if [ -d /usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi/tests ]; then
    "$LUSTRE_SIM" reset "$SIM"
    said=$(ROMIO_LUSTRE_VERBOSE=1 node_run 2 4 $python \
        "$SRC/src/mpi/romio/test/h5pympi.py" "$SIM/h5" 2>&1)
    like "$said" "^[1-9][0-9]* tests of h5py passed" "h5py's own parallel tests"
    like "$said" "^romio-lustre [0-9]" "by the plug-in"
    ok "and what they wrote is at the servers" test "$(sim_count write_rpc)" -gt 0
else
    skip 3 "no python3-h5py-mpi"
fi
