#!/bin/sh
# t0224-openmpi-waits - the standard ABI's way to wait, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# libport_waits.so is the plug-in for Open MPI that does not use its waiting
# loop: requests move inside MPI_Wait, MPI_Test and the like alone, and in a
# thread. See port_waits.c.
ADL_MPI=openmpi
ADL_PLUGIN=${ADL_BUILD:-.}/libport_waits.so
. "$(dirname "$0")/oracle.sh"

tap_plan 9
ok "allfile compiles" "$MPICC" -o "$TMP/allfile" "$here/allfile.c"
ROMIO_FSTYPE_FORCE=lustre: ok "every function does what it should" \
    plugin_run 3 "$TMP/allfile" "$TMP/f"
ROMIO_FSTYPE_FORCE=ufs: ok "with ROMIO's own driver and requests, too" \
    plugin_run 3 "$TMP/allfile" "$TMP/f"
ok "crossed compiles" "$MPICC" -O2 -pthread -o "$TMP/crossed" "$here/crossed.c"
for n in 1 2; do
    MPIR_CVAR_NUM_CLIQUES=$n ok "two threads, each with a file, $n nodes" \
        plugin_run 4 "$TMP/crossed" "lustre:$TMP/c"
done
ok "the oracle compiles" compile_oracle
batch on_memory 1 6 15 nonblock
batch on_memory 2 6 15 nonblock
