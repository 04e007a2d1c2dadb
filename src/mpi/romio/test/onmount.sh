#!/bin/sh
# onmount.sh DIR:DIR... CMD ARG...: run as an MPI rank that has a mount, and so
# SPDX-License-Identifier: LicenseRef-romio-lustre
# a client, of its own: the first directory in the arguments becomes the one of
# the rank. Ranks are dealt to the mounts in turn, as MPIR_CVAR_NUM_CLIQUES
# deals them to nodes.
dirs=$1
shift
first=${dirs%%:*}
n=$(echo "$dirs" | tr ':' '\n' | wc -l)
mine=$(echo "$dirs" | cut -d : -f $((${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}} % n + 1)))
for arg in "$@"; do
    case $arg in
    *"$first"*) arg=${arg%%"$first"*}$mine${arg#*"$first"} ;;
    esac
    shift
    set -- "$@" "$arg"
done
exec "$@"
