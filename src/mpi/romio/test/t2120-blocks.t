#!/bin/sh
# t2120-blocks - writes of blocks that no two ranks share: who asks for locks
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
ok "it compiles" "$MPICC" -std=gnu11 -O2 -Wall -Wextra -Werror \
    -o "$TMP/blocks" "$SRC/src/mpi/romio/test/blocks.c"
sim_mkfs --osts 4 --stripe-count 4 --stripe-size 1M >/dev/null || exit 1
M=1048576

# blocks BYTES CALLS WHERE HINT...: 8 ranks on 4 nodes, a new file; what it says
# in $said, counts begin anew
blocks() {
    rm -f "$SIM/f"
    sim_fresh "$SIM"
    said=$(node_run "${NODES:-4}" 8 "$TMP/blocks" "$SIM/f" "$@" 2>"$TMP/err")
    [ -n "$said" ] || diag_file "$TMP/err"
}

# counts: callbacks, lock requests of writes
counts() {
    echo "$(sim_count bl_callback) $(sim_count enqueue)"
}

# The blocks are read back by other ranks, which takes their locks away: so
# many callbacks are for reading. Writing only is counted by ior.
ok "ior compiles" "$SRC/bench/apps/build" --mpicc "$MPICC" --out "$TMP" ior
# ior BLOCK TRANSFER HINT...: the blocks of PATTERN
ior() {
    b=$1 t=$2
    shift 2
    set -- $(for h; do echo "-h $h"; done)
    rm -f "$SIM/ior.dat"
    sim_fresh "$SIM"
    node_run "${NODES:-4}" 8 "$TMP/ior" -w --keep --progress -1 -b "$b" -t "$t" \
        -p "${PATTERN:-segmented}" --batch 1 "$@" "$SIM" >"$TMP/out" 2>"$TMP/err" ||
        { diag "exit status $?"; diag_file "$TMP/err"; }
}

# ---- counts ----
ior 8M 1M
is "$(counts)" "0 32" "8 calls of 1 MiB: a lock a rank and object, no callback"
is "$(sim_count write_rpc)" 16 "as many requests as through the aggregators"
ior 8M 8M
is "$(counts)" "0 32" "8 MiB a rank at once: no callback"
ior 8M 1M romio_cb_write=enable
is "$(counts)" "0 4" "asked for it, the aggregators write"
is "$(sim_count write_rpc)" 16 "in as many requests"
ior 8M 1M romio_no_indep_rw=true
is "$(counts)" "0 4" "also where ranks have promised not to"
ior 8M 1M romio_no_indep_rw=true cray_cb_write_lock_mode=1
is "$(sim_count bl_callback)" 0 "and under the group lock"
ior 256K 64K
is "$(counts)" "0 2" "small blocks go through the aggregators"
NODES=1 ior 8M 1M
is "$(counts)" "0 4" "one node: its locks are on whole objects"

# ---- locks that take long: the ranks measure them in the first call ----
PATTERN=strided
ior 8M 1M
is "$(counts)" "0 64" "8 calls, each of other blocks: a lock for each block"
printf "bandwidth 10G\nlock_us 20000\n" >"$TMP/slow"
SIM_OPTIONS="--profile $TMP/slow"
ior 8M 1M
is "$(counts)" "0 12" "locks of 20 ms: the first call only, then the aggregators"
PATTERN=segmented
ior 8M 1M
is "$(counts)" "0 32" "but not where every rank has its locks already"
SIM_OPTIONS=

# ---- bytes ----
for n in $((2 * M))/segment $M/turn $M/later 1000001/turn 1000001/segment; do
    blocks ${n%/*} 3 ${n#*/}
    is "$said" right "blocks of ${n%/*} bytes, ${n#*/}"
done
blocks $M 2 turn atomic=1
is "$said" right "in atomic mode"
blocks $M 2 segment cray_cb_write_lock_mode=2
is "$said" right "with lockahead"
blocks $M 2 segment romio_ds_write=enable
is "$said" right "where ranks may sieve"
SIM_OPTIONS="--hybrid-io 1"
blocks $((4 * M)) 2 turn
is "$said" right "where large writes are direct"
SIM_OPTIONS=
# some bytes on the MDT, then components: no exact locks there
rm -f "$SIM/f"
"$LUSTRE_SIM" setstripe -E 1M -L mdt -E 8M -c 1 -S 1M -E -1 -c 4 -S 1M \
    "$SIM/dom" >/dev/null
said=$(node_run 4 8 "$TMP/blocks" "$SIM/dom" $((2 * M)) 2 turn 2>"$TMP/err")
is "$said" right "on the MDT and in components"

# ---- errors: one class on all ranks, no bytes ----
# 8 ranks, block 4 MiB: the second write of client 2
SIM_OPTIONS="--fault write:n=2:client=2:errno=ENOSPC"
blocks $((4 * M)) 3 segment
like "$said" "^class ([0-9]+) to \1, bytes 0 to 0$" "no space: the same for all"
SIM_OPTIONS="--fault write:n=1:client=1:errno=EIO:file=*f"
blocks $((4 * M)) 2 turn
like "$said" "^class ([0-9]+) to \1, bytes 0 to 0$" "EIO: the same for all"
SIM_OPTIONS="--fault ioctl:errno=EOPNOTSUPP"
blocks $((4 * M)) 2 turn
is "$said" right "a Lustre without lockahead"
tap_done
