#!/bin/sh
# t2070-halo - arrays with ghost layers and memory with gaps, more than any pool
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Parts of a cell are cut where the pool's blocks end. A rank that does not say
# how far it has come inside a cell, or a cut that is no multiple of the unit of
# the coverage, ends in a hang or in wrong bytes.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
fork=${ADL_FORK:-}
prog=$TMP/halo
TIMEOUT=${ADL_TIMEOUT:-120}
sim_mkfs --osts 4 >/dev/null

# over MPI NODES RANKS ARG...: the program on NODES nodes, over `plugin` or
# `fork`
over() {
    mpi=$1 nodes=$2 ranks=$3
    shift 3
    case $mpi in
    plugin) node_run "$nodes" "$ranks" "$prog" "$@" ;;
    fork)
        MPIR_CVAR_NUM_CLIQUES=$nodes limited env LD_PRELOAD="$(preload)" \
            "$LUSTRE_SIM" run --root "$SIM" "$fork/bin/mpiexec" -n "$ranks" \
            "$here/onnode.sh" "$nodes" "$prog.fork" "$@" </dev/null
        ;;
    esac
}

# shapes MPI NODES: all shapes, nine tests
shapes() {
    rm -f "$SIM"/*
    ok "$1, $2 nodes: gaps in memory, small blocks" \
        over "$1" "$2" 4 both "$SIM/gaps" gaps 512 1024 2048 \
        striping_factor=1 striping_unit=262144 cb_buffer_size=1048576 \
        romio_lustre_node_buffer_size=4194304 romio_cb_read=enable
    ok "$1, $2 nodes: array, no hints" \
        over "$1" "$2" 8 both "$SIM/array" array 96 96 96
    ok "$1, $2 nodes: array, one stripe, smallest pool, written" \
        over "$1" "$2" 8 write "$SIM/rows" array 64 64 40 \
        striping_factor=1 striping_unit=4194304 cb_buffer_size=262144 \
        romio_lustre_node_buffer_size=65536
    for pool in 65536 262144 1048576; do
        ok "$1, $2 nodes: the same read with a pool of $pool bytes" \
            over "$1" "$2" 8 read "$SIM/rows" array 64 64 40 \
            cb_buffer_size=262144 romio_lustre_node_buffer_size=$pool \
            romio_cb_read=enable
    done
    for row in 512 1026; do
        ok "$1, $2 nodes: blocks of 24 KiB, memory in rows of $row cells" \
            over "$1" "$2" 4 both "$SIM/b$row" gaps $row $((row + 2)) \
            $((3072 / row)) striping_unit=65536 romio_cb_read=enable \
            romio_lustre_node_buffer_size=65536
    done
    ok "$1, $2 nodes: blocks of 24 KiB, contiguous" \
        over "$1" "$2" 4 both "$SIM/block" gaps 3072 3072 1 \
        striping_unit=65536 romio_cb_read=enable \
        romio_lustre_node_buffer_size=65536
}

tap_plan 61

ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/halo.c"
shapes plugin 1
shapes plugin 2
shapes plugin 8
if [ -n "$fork" ] && [ -x "$fork/bin/mpicc" ]; then
    ok "the program compiles for the fork" "$fork/bin/mpicc" -O2 \
        -o "$prog.fork" "$here/halo.c"
    for nodes in 1 2 8; do
        shapes fork $nodes
    done
else
    skip 28 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
# more read requests than an aggregator keeps
rm -f "$SIM"/*
ok "plugin, 12 nodes: all read the same 24 MiB through one aggregator" \
    over plugin 12 12 both "$SIM/same" same 8192 8192 384 striping_factor=1 \
    striping_unit=65536 cb_buffer_size=67108864 romio_cb_read=enable
rm -f "$SIM"/*
# 60 MiB a rank, no hints: more than the pool that the driver makes by itself
ok "plugin, 2 nodes: 60 MiB a rank, no hints" \
    over plugin 2 8 write "$SIM/large" array 200 200 196
if [ $FULL = yes ]; then
    for nodes in 1 2 8; do
        rm -f "$SIM"/*
        ok "plugin, $nodes nodes: the same, and read back" \
            over plugin $nodes 8 both "$SIM/large" array 200 200 196
    done
else
    skip 3 "60 MiB a rank read back on 1, 2 and 8 nodes: --full"
fi
