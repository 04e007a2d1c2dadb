#!/bin/sh
# mpiexec-openmpi.sh - Open MPI's mpirun with the options of MPICH's mpiexec
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The tests over Open MPI (lib.sh, ADL_MPI=openmpi) start their ranks by it: all
# that a test machine needs is set here. It has fewer cores than ranks, no
# network but its own memory, and perhaps only root.
mpirun=${ADL_MPIRUN:-$(command -v mpirun.openmpi || echo mpirun)}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=^tcp,openib,ofi,uct OMPI_MCA_osc=^ucx
# a container may not let processes read each other's memory
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma
export OMPI_MCA_orte_abort_print_stack=0
# the same for Open MPI 5 and later, whose PRRTE starts the ranks
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export PRTE_MCA_hwloc_default_binding_policy=none

# -genv NAME VALUE and -env NAME VALUE -> -x NAME=VALUE
n=$#
while [ $n -gt 0 ]; do
    case $1 in
    -genv | -env)
        name=$2 value=$3
        shift 3
        n=$((n - 3))
        set -- "$@" -x "$name=$value" ;;
    *)
        arg=$1
        shift
        n=$((n - 1))
        set -- "$@" "$arg" ;;
    esac
done
exec "$mpirun" "$@"
