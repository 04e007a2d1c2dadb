#!/bin/sh
# t8050-crowd - many files, threads and jobs
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# 100 files at once on 4 ranks; with ADL_CHECK_FULL=1 500 on 16.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
TIMEOUT=${ADL_TIMEOUT:-200}
files=100 ranks=4
[ $FULL = no ] || { files=500 ranks=16 TIMEOUT=3000; }

ok "crowd compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$TMP/crowd" \
    "$SRC/src/mpi/romio/test/crowd.c" -lpthread
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K || exit 1
crowd() {
    nodes=$1
    shift
    node_run "$nodes" "$ranks" "$TMP/crowd" "$@"
}
for nodes in 1 2; do
    ok "4 threads, a file each, $nodes node(s)" crowd $nodes threads "$SIM" 4
    ok "communicators that overlap, $nodes node(s)" crowd $nodes overlap "$SIM"
done
ok "$files files at once, descriptors and memory are back" \
    crowd 2 files "$SIM" $files
diag "$(grep ' files on ' "$TMP/.out")"
ok "a file opened twice" crowd 2 twice "$SIM"
ok "offsets of terabytes" crowd 2 far "$SIM"

# Two jobs write the two halves of one file, each through its own view of it.
ok "killed compiles" "$MPICC" -O2 -o "$TMP/killed" \
    "$SRC/src/mpi/romio/test/killed.c"
crowd 2 twice "$SIM" >"$TMP/one" 2>&1 &
one=$!
mkdir "$SIM/other"
crowd 2 files "$SIM/other" 20 >"$TMP/two" 2>&1
two=$?
wait $one
is "$? $two" "0 0" "two jobs at a time on one file system"
(node_run 2 4 "$TMP/killed" -1 -1 "$SIM/g" >"$TMP/one" 2>&1) &
one=$!
node_run 2 4 "$TMP/killed" -1 -1 "$SIM/g" >"$TMP/two" 2>&1
two=$?
wait $one
is "$? $two" "0 0" "two jobs that write the same file"
is "$("$TMP/killed" --check 4 "$SIM/g")" "generations 60 to 60" \
    "its bytes are theirs"

# ---- many stripes ----
sim_mkfs --osts 200 --stripe-count 2 --stripe-size 64K
MPICH_MPIIO_HINTS='*:striping_factor=200:overstriping_factor=10' \
    ok "2,000 stripes" crowd 2 far "$SIM"
is "$(sim_layout stripe_count "$SIM/far.0")" 2000 "so many there are"
tap_done
