#!/bin/sh
# t2090-holes - irregular pieces with small gaps: right bytes, few system calls
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# In a file that the job has made, with the hints of `fill`, an aggregator
# writes zeros into short gaps between pieces that lie behind all that was
# written before. A later call into the gaps must not lose what is around them.
#
# shellcheck disable=SC2086 # lists of hints
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
prog=$TMP/holes
sim_mkfs --osts 4 >/dev/null
fill="romio_no_indep_rw=true romio_lustre_ds_in_coll=enable"

# run NODES HINT...: on 4 ranks
run() {
    nodes=$1
    shift
    rm -f "$SIM"/*
    node_run "$nodes" 4 "$prog" "$SIM/f" 20000 striping_factor=2 \
        striping_unit=65536 "$@"
}

tap_plan 11

ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/holes.c"
for nodes in 1 2 4; do
    ok "$nodes nodes" run $nodes
    ok "$nodes nodes, gaps filled" run $nodes $fill
    ok "$nodes nodes, gaps filled, small windows" run $nodes \
        $fill cb_buffer_size=24576 \
        romio_lustre_node_buffer_size=65536
done

# writes HINT...: system writes of both calls
writes() {
    rm -f "$SIM"/*
    MPICH_MPIIO_STATS=1 node_run 2 4 "$prog" "$SIM/f" 20000 \
        striping_factor=2 striping_unit=65536 "$@" >"$TMP/stats" 2>&1
    sed -n 's/.*system writes *= *\([0-9]*\).*/\1/p' "$TMP/stats"
}
plain=$(writes) filled=$(writes $fill)
diag "system writes of both calls: $plain, with gaps filled $filled"
# both write one gap or piece each in one of the two calls
ok "with filled gaps the first call takes less than 50 writes" \
    [ "${filled:-999999}" -lt $((${plain:-0} / 2 + 50)) ]
