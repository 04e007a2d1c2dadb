#!/bin/sh
# s0012-beside - the driver and the stock ones on lustre-sim, beside the counts
# SPDX-License-Identifier: LicenseRef-romio-lustre
# of a real Lustre 2.17.57 with 4 OSTs and 4 client mounts
#
# 4 ranks, 256 KiB blocks in turn, 16 MiB a rank, 1 MiB stripes. What does not
# depend on who is first must be equal; where clients fight for a lock, the
# model's numbers must be within a factor of 1.5 of those of both visits. Fights
# need time: the profile vm has that of the machine of the real runs, slowed
# down, so that what this machine is busy with matters little. Little is not
# nothing: there are three tries.
. "$(dirname "$0")/sim.sh"
STOCK=$BUILD/libromio_stock.so
OURS=$BUILD/libromio_lustre.so
[ -f "$OURS" ] || skip_all "no plug-in at $OURS"
[ -f "$STOCK" ] || skip_all "no stock plug-in at $STOCK"
"$MPICC" -o "$TMP/coll" "$SRC/src/lustre-sim/test/coll.c" || exit 1
TIMEOUT=120
R=$FAST/root
sim mkfs "$R"

# job NODES PLUGIN PREFIX BLOCKS HINT...: 4 ranks dealt to NODES nodes, the
# counts of the run into COUNTS: callbacks enqueues write-RPCs read-RPCs
job() {
    nodes=$1 plugin=$2 prefix=$3 blocks=$4
    shift 4
    sim drop "$R"
    sim reset "$R"
    # shellcheck disable=SC2086 # a list of options
    MPIR_CVAR_NUM_CLIQUES=$nodes sim run --root "$R" ${OPTIONS-} "$MPIEXEC" \
        -n 4 -genv LD_PRELOAD "$plugin:$(sim --preload)" \
        "$SRC/src/mpi/romio/test/onnode.sh" "$nodes" "$TMP/coll" \
        "$prefix$R/f" "$blocks" romio_cb_write enable romio_cb_read enable \
        "$@" >"$TMP/out" 2>"$TMP/err" || diag_file "$TMP/err"
    sim drop "$R" # what is dirty outlives the program
    COUNTS="$(total "$R" bl_callback) $(total "$R" enqueue)"
    COUNTS="$COUNTS $(total "$R" write_rpc) $(total "$R" read_rpc)"
}
# writes COUNT SIZE: a new file of so many stripes
writes() {
    rm -f "$R/f"
    sim setstripe -c "$1" -S "$2" "$R/f"
}
# row NAME REAL MODEL: printed side by side
row() {
    diag "$(printf '%-52s real %-22s lustre-sim %s' "$1" "$2" "$3")"
}
# equal NAME REAL [MODEL]: what COUNTS must be, callbacks/enqueues/RPCs; MODEL
# where the driver does more than in the recorded run
equal() {
    # shellcheck disable=SC2086 # four numbers
    set -- "$1" "$2" "${3:-$2}" $COUNTS
    row "$1" "$2" "$4/$5/$6"
    is "$4/$5/$6" "$3" "$1"
}
# near LOW HIGH VALUE: within a factor of 1.5 of what was seen
near() {
    [ $((3 * $3)) -ge $((2 * $1)) ] && [ $((2 * $3)) -le $((3 * $2)) ]
}
# contended NAME REAL LOW HIGH LOW HIGH LOW HIGH -- COMMAND...: up to three tries
contended() {
    name=$1 real=$2 b1=$3 b2=$4 e1=$5 e2=$6 w1=$7 w2=$8
    shift 9
    for try in 1 2 3; do
        "$@"
        echo "$COUNTS" >"$TMP/counts"
        read -r b e w _ <"$TMP/counts"
        row "$name" "$real" "$b/$e/$w (try $try)"
        near "$b1" "$b2" "$b" && near "$e1" "$e2" "$e" &&
            near "$w1" "$w2" "$w" && break
    done
    ok "$name: callbacks" near "$b1" "$b2" "$b"
    ok "$name: enqueues" near "$e1" "$e2" "$e"
    ok "$name: write RPCs" near "$w1" "$w2" "$w"
}
ours() {
    nodes=$1 blocks=$2
    shift 2
    job "$nodes" "$OURS" lustre: "$blocks" "$@"
}
generic() {
    writes 4 1M
    OPTIONS="--profile vm" job 4 "" ufs: 64 cb_nodes 4 cb_config_list '*:*'
}
shared() {
    writes 2 1M
    OPTIONS="--profile vm" ours 4 64 cray_cb_nodes_multiplier 2 \
        cray_cb_write_lock_mode 0
}
stock() {
    writes 2 1M
    OPTIONS="--profile vm" job 4 "$STOCK" lustre: 64 striping_factor 2 \
        striping_unit 1048576 romio_lustre_co_ratio 2 cb_nodes 4 \
        cb_config_list '*:*'
}

# The rows without a fight are t9001's, with the driver of today; here those of
# the first visit that it has not.
writes 2 1M
ours 2 64 cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 0
equal "multiplier 2 on 2 OSTs, mode 0, 2 nodes" 0/2/16
# The driver of the real runs wrote half a stripe at a time: two RPCs each.
OPTIONS="--hybrid-io 1"
writes 2 4M
ours 4 64 cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 1 \
    romio_no_indep_rw true
equal "hybrid I/O, 4 MiB stripes, mode 1" "0/8/32 (2 MiB writes)" 0/8/16
OPTIONS=
contended "generic ROMIO, 4 OSTs, write" \
    "14/33/30 23/39/35 12/30/28 15/34/31" 12 23 30 39 28 35 -- generic
contended "multiplier 2 on 2 OSTs, mode 0, 4 nodes" "16/30/30 7/15/23" \
    7 16 15 30 23 30 -- shared
contended "stock ad_lustre, co_ratio 2 on 2 OSTs" "40/44/49 37/43/54 40/51/52" \
    37 40 43 51 49 54 -- stock
tap_done
