#!/bin/sh
# t1006-nodes - three real nodes: network namespaces with names of their own
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

[ "$(id -u)" = 0 ] || skip_all "needs root, for network namespaces"
for tool in ip unshare hostname; do
    command -v $tool >/dev/null || skip_all "needs $tool"
done
# hydra's own option for the launcher; other mpiexecs have others
"$MPIEXEC" -info 2>/dev/null | grep -q 'Process Manager: *hydra\|HYDRA' ||
    skip_all "needs hydra's mpiexec"

net=adl$$
subnet=10.213.$(($$ % 256))
down() {
    for i in 1 2 3; do
        ip netns del $net-$i 2>/dev/null
    done
    ip link del ${net}b 2>/dev/null
}
trap 'rc=$?; down; tap_end $rc' EXIT

# Each node has an address on one bridge, its name, and nothing else.
up() {
    ip link add ${net}b type bridge &&
        ip addr add "$subnet.254/24" dev ${net}b && ip link set ${net}b up ||
        return 1
    for i in 1 2 3; do
        ip netns add $net-$i &&
            ip link add ${net}v$i type veth peer name eth0 netns $net-$i &&
            ip link set ${net}v$i master ${net}b up &&
            ip -n $net-$i addr add "$subnet.$i/24" dev eth0 &&
            ip -n $net-$i link set eth0 up &&
            ip -n $net-$i link set lo up || return 1
    done
}
up 2>"$TMP/why" || skip_all "no network namespaces here: $(head -n 1 "$TMP/why")"
unshare --uts hostname test 2>"$TMP/why" ||
    skip_all "no host names of their own here: $(head -n 1 "$TMP/why")"

# What ssh would do: run a command there.
cat >"$TMP/ssh" <<END
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
i=\${1##*.}
shift
exec ip netns exec $net-\$i unshare --uts sh -c "hostname node\$i; \$*"
END
cat >"$TMP/mpiexec" <<END
#!/bin/sh
exec "$MPIEXEC" -launcher ssh -launcher-exec "$TMP/ssh" \\
    -localhost $subnet.254 -hosts $subnet.1,$subnet.2,$subnet.3 -ppn 2 "\$@"
END
chmod +x "$TMP/ssh" "$TMP/mpiexec"
MPIEXEC=$TMP/mpiexec

tap_plan 15

is "$(mpi_run 6 uname -n | sort | uniq -c | awk '{ print $2 ":" $1 }' |
    tr '\n' ' ')" "node1:2 node2:2 node3:2 " "three nodes, two ranks on each"

prog=$TMP/opener
"$MPICC" -o "$prog" "$SRC/src/mpi/romio/test/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 8 --stripe-size 64K || exit 1
export MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY=1
number=0
# place HINT...: $placed is "rank@node ..." of the aggregators
place() {
    number=$((number + 1))
    for hint; do
        set -- "$@" -h "$hint"
        shift
    done
    sim_run 6 "$prog" "$@" "$SIM/f$number" fds write read size >"$TMP/out" \
        2>"$TMP/err"
    placed=$(awk '/^ +[0-9]+ +[0-9]+ +node/ {
        printf "%s%s@%s", sep, $2, $3; sep = " " }' "$TMP/err")
}
place striping_factor=3
is "$placed" "0@node1 2@node2 4@node3" \
    "3 stripes: an aggregator on each node"
is "$(sed -n 's/^close: //p' "$TMP/out")" ok "data go over the network"
is "$(sed -n 's/^size: //p' "$TMP/out")" 24 "and arrive"
is "$(sed -n 's/^fds: //p' "$TMP/out")" "1 0 1 0 1 0" \
    "only the aggregators have opened the file"
place striping_factor=6
is "$placed" "0@node1 2@node2 4@node3 1@node1 3@node2 5@node3" \
    "6 stripes: two on each, in turn"
place striping_factor=8 cb_config_list=node2:1,node3:2
is "$placed" \
    "2@node2 4@node3 5@node3" "cb_config_list by name"
is "$(sed -n 's/^close: //p' "$TMP/out")" ok "works"
place striping_factor=8 'cb_config_list=node3:*'
is "$placed" "4@node3 5@node3" \
    "one node, all its ranks"
is "$(sed -n 's/^fds: //p' "$TMP/out")" "1 0 0 0 1 1" \
    "rank 0 has it open too: it created the file"
place striping_factor=8 'cb_config_list=*:1'
is "$placed" \
    "0@node1 2@node2 4@node3" "one on each node"
place striping_factor=3 cray_cb_nodes_multiplier=2
is "$placed" \
    "0@node1 2@node2 4@node3 1@node1 3@node2 5@node3" \
    "two owners an object: on one node"
is "$(sed -n 's/^close: //p' "$TMP/out")" ok "works"
place striping=auto
like "$(cat "$TMP/err")" "striping=auto: 3 nodes, 8 OSTs: stripe count 8" \
    "striping=auto counts the nodes"
is "$("$LUSTRE_SIM" getstripe -c "$SIM/f$number")" 8 "8 stripes"
