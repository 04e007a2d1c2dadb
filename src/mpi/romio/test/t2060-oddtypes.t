#!/bin/sh
# t2060-oddtypes - lower bounds below 0 and types of large counts
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# ROMIO itself takes contiguous memory below the buffer for memory at the buffer,
# and in 4.0 ends the job at a type made with large counts.
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test
fork=${ADL_FORK:-}
prog=$TMP/oddtypes

fork_run() {
    limited "$fork/bin/mpiexec" -n 3 -genv LD_PRELOAD "$(preload)" "$@" \
        </dev/null
}

tap_plan 7

ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/oddtypes.c"
ok "the plug-in, on one node" plugin_run 3 "$prog" "lustre:$TMP/f"
ok "on three nodes" env MPIR_CVAR_NUM_CLIQUES=3 timeout 60 "$MPIEXEC" -n 3 \
    -genv LD_PRELOAD "$(preload "$PLUGIN")" "$prog" "lustre:$TMP/f"
ok "with ROMIO's other driver" plugin_run 3 "$prog" "ufs:$TMP/f"
if [ -n "$fork" ] && [ -x "$fork/bin/mpicc" ]; then
    ok "it compiles for the fork" "$fork/bin/mpicc" -o "$prog" \
        "$here/oddtypes.c"
    ok "the fork" fork_run "$prog" "lustre:$TMP/f"
    ok "with ROMIO's other driver" fork_run "$prog" "ufs:$TMP/f"
else
    skip 3 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
