#!/bin/sh
# t6008-pvars - the counters of a file as variables of MPI_T: the MPICH fork
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_fork
need_sim

# sim_fork N PROG ARG...: on N ranks of the fork, on the file system in SIM
sim_fork() {
    n=$1
    shift
    limited env LD_PRELOAD="$(preload)" "$LUSTRE_SIM" run --root "$SIM" \
        "$fork/bin/mpiexec" -n "$n" "$@" </dev/null
}

tap_plan 4

ok "the tool compiles" "$fork/bin/mpicc" -O2 -Wall -Wextra -Werror \
    -o "$TMP/pvars" "$here/pvars.c"
sim_mkfs --osts 2 >/dev/null
ok "one rank: calls, bytes, lock mode and hits of each file" \
    sim_fork 1 "$TMP/pvars" "$SIM"
ok "four ranks: the same, and their sums" sim_fork 4 "$TMP/pvars" "$SIM"
ok "a tool on one rank of four: no rank waits for it" \
    sim_fork 4 "$TMP/pvars" "$SIM" some
