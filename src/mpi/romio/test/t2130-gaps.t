#!/bin/sh
# t2130-gaps - many small gaps: few system calls, and others' bytes in the gaps
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# An aggregator that meets many gaps reads, modifies and writes while a group
# lock of this open alone excludes all other clients and descriptors. A second
# job that writes into the gaps meanwhile must not lose a byte.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
tap_plan 8
prog=$TMP/gaps
ok "it compiles" "$MPICC" -std=gnu11 -O2 -Wall -Wextra -Werror \
    -o "$prog" "$SRC/src/mpi/romio/test/gaps.c"
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 256K >/dev/null || exit 1

# writes NODES HINT...: system writes of one call
writes() {
    nodes=$1
    shift
    rm -f "$SIM/f"
    MPICH_MPIIO_STATS=1 node_run "$nodes" 4 "$prog" write "$SIM/f" 1 "$@" \
        >"$TMP/stats" 2>&1 || diag_file "$TMP/stats"
    sed -n 's/.*system writes *= *\([0-9]*\).*/\1/p' "$TMP/stats"
}
n=$(writes 2)
ok "a write a stripe, not one a piece: $n" [ "${n:-99999}" -le 8 ]
is "$(writes 2 romio_lustre_ds_in_coll=disable)" 32768 "where holes are left alone"
SIM_OPTIONS="--fault ioctl:errno=ENOTTY:file=*f"
is "$(writes 2)" 32768 "and where there is no group lock"
SIM_OPTIONS=

# beside NODES HINT...: with an intruder on a client of its own
beside() {
    nodes=$1
    shift
    rm -f "$SIM/f" "$TMP/stop"
    node_run "$nodes" 4 "$prog" write "$SIM/f" 1
    LUSTRE_SIM_CLIENT=9 "$LUSTRE_SIM" run --root "$SIM" "$prog" intrude \
        "$SIM/f" "$TMP/stop" >"$TMP/said" 2>&1 &
    n=0
    until grep -q begun "$TMP/said" || [ $n = 300 ]; do
        n=$((n + 1))
        sleep 0.2
    done
    node_run "$nodes" 4 "$prog" write "$SIM/f" 12 "$@"
    status=$?
    : >"$TMP/stop"
    wait $!
    diag "$(cat "$TMP/said")"
    [ $status = 0 ]
}
for nodes in 1 4; do
    ok "$nodes nodes: right beside a second job" beside $nodes
    like "$(cat "$TMP/said")" "^[0-9]{2,} written, 0 lost" "which loses nothing"
done
