#!/bin/sh
# t2103-few-collectives - what open, first collective write and close of a small
# SPDX-License-Identifier: LicenseRef-romio-lustre
# file cost in collectives of MPI, new communicators among them
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test

tap_plan 18
ok "the program compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/fewcalls" \
    "$here/fewcalls.c" -ldl
ok "the counter compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/count.so" "$here/count_mpi.c" -ldl
sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null || exit 1
POLITE=${POLITE:+$POLITE:}$TMP/count.so

# few NODES FILE OPEN VIEW WRITE CLOSE: at most so many in the last run
few() {
    while read -r what most; do
        n=$(sed -n "s/^file $2 $what: //p" "$TMP/out")
        ok "$1 node(s), file $2, $what: ${n:-?} of $most collectives" \
            [ "${n:-$((most + 1))}" -le "$most" ]
    done <<EOT
open $3
view $4
write $5
close $6
EOT
}

for nodes in 1 4; do
    node_run $nodes 4 "$TMP/fewcalls" "$SIM/f$nodes" >"$TMP/out" 2>"$TMP/err" ||
        diag_file "$TMP/err"
    # ROMIO's own are among them: of a first file on one node 14 of stock
    # ROMIO's open, 2 of its view, 6 of its write, 1 of its close. The second
    # file has the first one's engine, whose agreements are no calls of MPI.
    few $nodes 1 7 4 0 1
    few $nodes 2 4 3 0 1
done
