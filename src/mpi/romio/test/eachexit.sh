#!/bin/sh
# eachexit.sh DIR CMD ARG...: run as an MPI rank that is expected to fail
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Its exit status goes to a file of DIR, because mpiexec has one for all, and
# its standard error to DIR/said: mpiexec may end before it has passed it on.
dir=$1
shift
rc=0
"$@" 2>>"$dir/said" || rc=$?
echo $rc >"$dir/exit.${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}"
exit $rc
