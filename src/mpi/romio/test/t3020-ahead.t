#!/bin/sh
# t3020-ahead - reads that follow each other: owners read on between calls
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
ok "follow compiles" "$MPICC" -std=gnu11 -O2 -g -Wall -Wextra -Werror \
    -o "$TMP/follow" "$SRC/src/mpi/romio/test/follow.c"

# 4 ranks on 4 nodes: rows of 256 KiB, 16 of them are a stripe of every OST.
row=262144
sim_mkfs --osts 4 --stripe-count 4 --stripe-size 1M >/dev/null || exit 1

# follow WORD...: in a job of its own; counts begin anew
follow() {
    sim_fresh "$SIM"
    node_run "${nodes:-4}" 4 "$TMP/follow" "$SIM/f" romio_cb_read=enable "$@"
}

# reads N DESC WORD...: so many rows come from the servers
reads() {
    want=$1 desc=$2
    shift 2
    follow "$@" >"$TMP/out" 2>&1 || diag_file "$TMP/out"
    is "$(($(sim_count read_bytes) / row))" "$want" "$desc"
}

ok "a file of 255 rows" follow n

# The rest of the file is far away.
reads 32 "one call: nothing but what was asked for" r64-96 p
reads 48 "two in a row: as much again" r64-80 r80-96 p
reads 47 "the end of a call is inside a stripe" r64-79 r79-95 p
reads 20 "three in a row: as much as since the second" r64-68 r68-72 r72-76 p
reads 40 "as much as the last one was long" r64-80 r80-92 p
nodes=1
reads 48 "on one node" r64-80 r80-96 p
nodes=4
reads 32 "others' rows between them: no row" r64-80 r96-112 p
reads 32 "backwards: no row" r80-96 r64-80 p
reads 16 "the same again: no row" r64-80 r64-80 p
reads 32 "romio_ds_read=disable: nothing else is read" \
    romio_ds_read=disable r64-80 r80-96 p
reads 32 "direct I/O: nothing is kept" direct_io=true r64-80 r80-96 p
reads 32 "a group lock" cray_cb_write_lock_mode=1 romio_no_indep_rw=true \
    r64-80 r80-96 p
reads 32 "lockahead" cray_cb_write_lock_mode=2 r64-80 r80-96 p
reads 255 "to the end: every byte once" \
    r0-16 p r16-48 p r48-64 r64-128 p r128-192 p r192-255 p
is "$(sim_count glimpse)" 0 "no client asks for the file's size"

for nodes in 1 2 4; do
    ok "$nodes node(s): another row after another file" \
        follow r0-16 r16-32 o r0-16 r16-32 p r32-48
    ok "$nodes node(s): several calls begun" follow i0-16 i16-32 i32-64 i64-66 \
        p i66-96 i96-112 o
    ok "$nodes node(s): a write in between" \
        follow r0-16 r16-32 p w36-44 r32-64 p e70-90 r64-96 n
    ok "$nodes node(s): beside a write" \
        follow r0-16 r16-32 w36-44 r32-64 e70-90 r64-96 w96-99 r96-112 n
    ok "$nodes node(s): sync" follow r0-16 r16-32 s r32-48 s r48-64
    ok "$nodes node(s): a shorter file" \
        follow r0-16 r16-32 t40 r32-48 r48-64 t255 n
done
tap_done
