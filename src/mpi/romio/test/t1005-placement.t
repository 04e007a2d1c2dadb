#!/bin/sh
# t1005-placement - where aggregators sit, on several nodes (made up)
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

prog=$TMP/opener
"$MPICC" -o "$prog" "$SRC/src/mpi/romio/test/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 8 --stripe-size 64K || exit 1

# place RANKS NODES HINT...: open, write and read back; the aggregators'
# ranks are left in $list, their nodes (rank mod NODES here) in $nodes
number=0
place() {
    number=$((number + 1))
    ranks=$1
    MPIR_CVAR_NUM_CLIQUES=$2
    export MPIR_CVAR_NUM_CLIQUES
    shift 2
    for hint; do
        set -- "$@" -h "$hint"
        shift
    done
    sim_run "$ranks" "$prog" "$@" "$SIM/f$number" info write read \
        >"$TMP/out" 2>"$TMP/err"
    list=$(sed -n 's/^romio_aggregator_list=//p' "$TMP/out" | sed 's/ $//')
    nodes=$(for r in $list; do printf '%d ' $((r % MPIR_CVAR_NUM_CLIQUES)); done)
    nodes=${nodes% }
}
closed() {
    grep -q '^close: ok' "$TMP/out"
}
# sorted WORDS: each once, in order
sorted() {
    printf '%s\n' $1 | sort -nu | tr '\n' ' ' | sed 's/ $//'
}

place 8 4 striping_factor=4
is "$(sorted "$nodes")" "0 1 2 3" "4 stripes on 4 nodes: one on each"
is "$(printf '%s\n' $list | wc -l)" 4 "4 aggregators"
ok "and it works" closed
place 8 4 striping_factor=2
is "$(printf '%s\n' $(sorted "$nodes") | wc -l)" 2 "2 stripes: two nodes"
place 8 2 striping_factor=4
is "$nodes" "0 1 0 1" "4 stripes on 2 nodes: in turn"
is "$(printf '%s\n' $(sorted "$list") | wc -l)" 4 "4 different ranks"
place 5 1 striping_factor=8
is "$(sorted "$list")" "0 1 2 3 4" "8 stripes, 5 ranks: all 5 (no divisor rule)"
ok "and it works" closed
place 7 3 striping_factor=8 cb_nodes=5
is "$(printf '%s\n' $(sorted "$list") | wc -l)" 5 "cb_nodes=5 of 7 ranks"
ok "and it works" closed
place 8 4 striping_factor=8 cb_config_list='*:1'
is "$(sorted "$nodes")" "0 1 2 3" "cb_config_list=*:1: one on each node"
is "$(printf '%s\n' $list | wc -l)" 4 "no more"
place 8 4 striping_factor=8 "cb_config_list=$(uname -n):1"
is "$(printf '%s\n' $list | wc -l)" 4 "cb_config_list by host name"
place 6 2 cb_aggregator_list=5,1,3
is "$list" "5 1 3" "cb_aggregator_list: these, in this order"
ok "and it works" closed
place 8 1 striping_factor=4 aggregator_placement_stride=2
is "$list" "0 2 4 6" "aggregator_placement_stride=2"

export ROMIO_LUSTRE_NODES=4
place 8 1 striping_factor=4
is "$(sorted "$(for r in $list; do echo $((r % 4)); done)")" "0 1 2 3" \
    "ROMIO_LUSTRE_NODES goes before MPICH's variable"
unset ROMIO_LUSTRE_NODES

# Several owners for an object: stripe o is owned by aggregators o, o + 2, ...
place 8 2 striping_factor=2 cray_cb_nodes_multiplier=2
set -- $nodes
is "$# $(($1 == $3)) $(($2 == $4)) $(($1 == $2))" "4 1 1 0" \
    "multiplier 2, mode 0: owners of an object share a node"
ok "and it works" closed
place 8 2 striping_factor=2 cray_cb_nodes_multiplier=2 cray_cb_write_lock_mode=2
set -- $nodes
is "$# $(($1 == $3)) $(($2 == $4))" "4 0 0" "mode 2: they are on different nodes"
ok "and it works" closed

# ---- the display ----
export MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY=1
place 4 2 striping_factor=2
like "$(cat "$TMP/err")" "^Aggregator Placement for $SIM/f$number\$" "the title"
is "$(grep -cE "^ +[01] +[0-9] +$(uname -n)\$" "$TMP/err")" 2 \
    "a line an aggregator: number, rank, node"
unset MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY

# ---- within a node: over memory domains ----
if taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null &&
    ldconfig -p 2>/dev/null | grep -q 'libhwloc.so.15'; then
    cat >"$TMP/bound" <<'END'
#!/bin/sh
exec taskset -c $((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2)) "$@"
END
    chmod +x "$TMP/bound"
    bound() {
        HWLOC_SYNTHETIC=$1 sim_run 4 "$TMP/bound" "$prog" -h cb_nodes=2 \
            -h striping_factor=2 "$SIM/$2" info 2>&1 |
            sed -n 's/^romio_aggregator_list=//p'
    }
    unset MPIR_CVAR_NUM_CLIQUES
    is "$(bound 'package:1 core:2 pu:1' one)" "0 2 " \
        "one package: ranks evenly spaced"
    is "$(bound 'package:2 core:1 pu:1' two)" "0 1 " \
        "two packages, ranks bound in turn: one aggregator in each"

    # ---- near the network's interfaces ----
    # two packages of one CPU; one interface, near the second (CPU 1)
    machine=$SRC/src/mpi/romio/adio/ad_lustre/sys/test/machines/two-packages.xml
    near() {
        HWLOC_XMLFILE=$machine sim_run 4 "$TMP/bound" "$prog" "$@" info 2>&1 |
            sed -n 's/^romio_aggregator_list=//p'
    }
    is "$(near -h cb_nodes=1 "$SIM/n1")" "1 " \
        "one aggregator: on the package with the interface"
    is "$(near -h cb_nodes=2 "$SIM/n2")" "1 3 " "two: both there"
    is "$(near -h cb_nodes=3 "$SIM/n3")" "0 1 3 " "three: two ranks are there"
    is "$(near -h striping_factor=4 -h 'cb_config_list=*:nics' "$SIM/n4")" \
        "1 " "cb_config_list=*:nics: as many as there are interfaces"
else
    skip 6 "needs two CPUs, taskset and hwloc"
fi

tap_done
