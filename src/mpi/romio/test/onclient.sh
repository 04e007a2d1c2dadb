#!/bin/sh
# onclient.sh CLIENTS SHIFT CMD ARG...: run as an MPI rank on a client of
# SPDX-License-Identifier: LicenseRef-romio-lustre
# lustre-sim: ranks are dealt to the clients in turn, from number SHIFT on
clients=$1 shift=$2
shift 2
LUSTRE_SIM_CLIENT=$(((${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}} + shift) % clients)) \
    exec "$@"
