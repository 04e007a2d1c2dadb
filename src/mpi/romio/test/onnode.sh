#!/bin/sh
# onnode.sh NODES CMD ARG...: run as an MPI rank on the client node where
# SPDX-License-Identifier: LicenseRef-romio-lustre
# MPIR_CVAR_NUM_CLIQUES=NODES has put it: ranks are dealt to the nodes in turn
nodes=$1
shift
LUSTRE_SIM_CLIENT=$((${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}} % nodes)) exec "$@"
