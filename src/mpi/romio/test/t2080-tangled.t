#!/bin/sh
# t2080-tangled - views whose pieces do not ascend in the file
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
fork=${ADL_FORK:-}
prog=$TMP/tangled
sim_mkfs --osts 4 >/dev/null

fork_run() {
    limited "$fork/bin/mpiexec" -n 4 -genv LD_PRELOAD "$(preload)" "$@" \
        </dev/null
}

tap_plan 14

ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/tangled.c"
for nodes in 1 2 4; do
    rm -f "$SIM"/*
    ok "$nodes nodes, no hints" node_run $nodes 4 "$prog" "$SIM/plain"
    ok "$nodes nodes, small buffers, sieving" node_run $nodes 4 "$prog" \
        "$SIM/small" striping_unit=65536 cb_buffer_size=65536 \
        romio_cb_read=enable romio_lustre_node_buffer_size=65536 \
        ind_rd_buffer_size=1000 romio_ds_write=enable
    ok "$nodes nodes, group lock" node_run $nodes 4 "$prog" "$SIM/group" \
        cray_cb_write_lock_mode=1 romio_no_indep_rw=true
    ok "$nodes nodes, lockahead" node_run $nodes 4 "$prog" "$SIM/ahead" \
        cray_cb_write_lock_mode=2
done
if [ -n "$fork" ] && [ -x "$fork/bin/mpicc" ]; then
    "$fork/bin/mpicc" -o "$prog.fork" "$here/tangled.c"
    ok "the fork" fork_run "$prog.fork" "lustre:$TMP/f"
else
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
