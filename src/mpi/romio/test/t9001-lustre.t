#!/bin/sh
# t9001-lustre - the driver on a real Lustre, or the rehearsal on lustre-sim
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
#   TEST_LUSTRE_DIR    a directory on a real Lustre that may be written to, or
#                      several, DIR:DIR:..., the same one through other mounts:
#                      each is another client, and the ranks are dealt to them
#   TEST_LUSTRE_HOSTS  hosts for mpiexec, host1,host2,...: several clients;
#                      without it all ranks are on this one
#   TEST_LUSTRE_RANKS  ranks (4)
#
# Without TEST_LUSTRE_DIR everything runs on lustre-sim, each rank a client, so
# that the script is known to work; with mounts that are symbolic links.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/counts.sh"
need_plugin
RANKS=${TEST_LUSTRE_RANKS:-4}
TIMEOUT=${ADL_TIMEOUT:-300}
here=$SRC/src/mpi/romio/test

if [ -n "${TEST_LUSTRE_DIR-}" ]; then
    REAL=yes
    mounts=$(echo "$TEST_LUSTRE_DIR" | tr ':' '\n')
    DIR=$(mktemp -d "${TEST_LUSTRE_DIR%%:*}/romio-lustre.XXXXXX") ||
        skip_all "no folder can be made in ${TEST_LUSTRE_DIR%%:*}"
    trap 'rc=$?; rm -rf "$DIR"; tap_end $rc' EXIT
    DIRS=
    for mount in $mounts; do
        [ "$(stat -f -c %t "$mount")" = bd00bd0 ] ||
            skip_all "TEST_LUSTRE_DIR: $mount is not on Lustre"
        [ -d "$mount/${DIR##*/}" ] || skip_all "TEST_LUSTRE_DIR: $mount is not" \
            "the same directory as ${TEST_LUSTRE_DIR%%:*}"
        DIRS=$DIRS${DIRS:+:}$mount/${DIR##*/}
    done
    diag "on $DIRS, $RANKS ranks, hosts ${TEST_LUSTRE_HOSTS:-this one}"
else
    REAL=no
    need_sim
    sim_mkfs --osts 4 >/dev/null
    DIRS=
    for i in $(seq "$RANKS"); do
        ln -s "$SIM" "$TMP/mount$i"
        DIRS=$DIRS${DIRS:+:}$TMP/mount$i
    done
    DIR=${DIRS%%:*}
    diag "TEST_LUSTRE_DIR is not set: the rehearsal, on lustre-sim"
fi

# run PROG ARG...: on all ranks through the plug-in
run() {
    if [ $REAL = no ]; then
        node_run "$RANKS" "$RANKS" "$here/onmount.sh" "$DIRS" "$@"
        return
    fi
    # Mounts are clients as nodes are: the driver has to see as many.
    nodes=
    [ "$DIRS" = "$DIR" ] || nodes=$(echo "$mounts" | wc -l)
    limited env ${nodes:+MPIR_CVAR_NUM_CLIQUES="$nodes"} "$MPIEXEC" \
        -n "$RANKS" ${TEST_LUSTRE_HOSTS:+-hosts} \
        ${TEST_LUSTRE_HOSTS:+"$TEST_LUSTRE_HOSTS"} \
        -genv LD_PRELOAD "${LIBRARY-$PLUGIN}" "$here/onmount.sh" "$DIRS" "$@" \
        </dev/null
}
# here_run CMD...: one process on the file system
here_run() {
    if [ $REAL = no ]; then
        limited "$LUSTRE_SIM" run --root "$SIM" "$@"
    else
        limited "$@"
    fi
}
# log_callbacks WHO: of a Lustre log with rpctrace, the blocking callbacks that
# came from OSTs, or from the MDT: a client handles both, and knows an OST as
# LOV_OSC_UUID
log_callbacks() {
    awk -v who="$1" '/ Handling RPC / && / ldlm_cb[^ ]*:/ && /:104:[^:]*$/ {
        ost = /:LOV_OSC_UUID\+/
        n += who == "ost" ? ost : !ost
    } END { print n + 0 }'
}
# mdt_count: callbacks of lustre-sim's MDT so far
mdt_count() {
    "$LUSTRE_SIM" stats "$SIM" |
        sed -n 's/^mdt 0:.* bl_callback=\([0-9]*\).*/\1/p' | grep . || echo 0
}
# watch: begin to count callbacks. On a real Lustre the log of this client is
# needed, which root may read; without it all callbacks together are known.
stats=/sys/kernel/debug/lustre/ldlm/services/ldlm_cbd/stats
watch() {
    before=
    if [ $REAL = no ]; then
        before=$(sim_count bl_callback)
        mdt_before=$(mdt_count)
    elif lctl clear >/dev/null 2>&1; then
        mask=$(lctl get_param -n debug)
        lctl set_param -n debug=rpctrace && before=log
    elif [ -r $stats ]; then
        before=$(awk '/ldlm_bl_callback/ { n = $2 } END { print n + 0 }' $stats)
    fi
}
# quiet NAME: no OST has called back since watch, where that can be told
quiet() {
    if [ "$before" = log ]; then
        lctl dk >"$TMP/dk" 2>/dev/null
        lctl set_param -n debug="$mask" >/dev/null 2>&1
        diag "$1: callbacks of the MDT: $(log_callbacks mdt <"$TMP/dk")"
        is "$(log_callbacks ost <"$TMP/dk")" 0 "$1: no callback of an OST"
    elif [ $REAL = no ]; then
        diag "$1: callbacks of the MDT: $(($(mdt_count) - mdt_before))"
        is "$(($(sim_count bl_callback) - before))" 0 "$1: no callback of an OST"
    elif [ -n "$before" ] && [ "$before" = "$(awk '/ldlm_bl_callback/ { n = $2 }
        END { print n + 0 }' $stats)" ]; then
        pass "$1: no callback of an OST"
    else
        skip 1 "$1: whose callbacks they are cannot be told (root may)"
    fi
}
# The rule, on logs of a real Lustre whose counters are known
data=$SRC/src/lioprof/test/data
is "$(zcat "$data/a_indep.handl.gz" | log_callbacks ost) $(
    zcat "$data/a_indep.handl.gz" | log_callbacks mdt)" "140 6" \
    "a log: the OSTs' callbacks and the MDT's"
is "$(zcat "$data/c_collread.handl.gz" | log_callbacks ost) $(
    zcat "$data/c_collread.handl.gz" | log_callbacks mdt)" "0 5" \
    "a log with the MDT's only"

# every rank on its mount, as far as there are ranks
clients=$(echo "$DIRS" | tr ':' '\n' | head -n "$RANKS" | wc -l)
# shellcheck disable=SC2016 # for the ranks' shells
is "$(run sh -c 'echo "$1"' - "$DIR/seen" | grep '/seen$' | sort -u | wc -l)" \
    "$clients" "ranks have $clients mounts"

# what the file system can do
here_run "$BUILD/romio-lustre" doctor "$DIR" >"$TMP/doctor" 2>&1
diag_file "$TMP/doctor"
like "$(cat "$TMP/doctor")" ": on (Lustre|lustre-sim)" "doctor: it is Lustre"
for what in striping "group lock" lockahead; do
    like "$(cat "$TMP/doctor")" "$what +yes" "doctor: $what"
done

# every lock mode on every layout: written, then read back by new clients
ok "coll compiles" "$MPICC" -O2 -o "$TMP/coll" "$SRC/src/lustre-sim/test/coll.c"
# modes NAME HINT VALUE...
modes() {
    name=$1
    shift
    for mode in 0 1 2; do
        promise=
        [ $mode = 1 ] && promise="romio_no_indep_rw true"
        watch
        # shellcheck disable=SC2086 # a pair
        ok "$name, mode $mode: written and read" run "$TMP/coll" \
            "lustre:$DIR/$mode" +16 romio_cb_write enable \
            cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode $mode $promise \
            romio_cb_read enable "$@"
        is "$(grep -c 'does not work here' "$TMP/.out")" 0 \
            "$name, mode $mode: no message"
        [ $mode = 0 ] || quiet "$name, mode $mode"
        ok "$name, mode $mode: read again" run "$TMP/coll" "lustre:$DIR/$mode" -16 \
            romio_cb_read enable
        rm -f "$DIR/$mode"
    done
}
modes "plain" striping_factor 2 striping_unit 1048576
modes "overstriped" striping_factor 2 striping_unit 1048576 \
    overstriping_factor 2
modes "composite" romio_lustre_comp_layout "-E 4M -c 1 -E -1 -c 2 -S 1M"
modes "data on MDT" romio_lustre_comp_layout \
    "-E 1M -L mdt -E -1 -c 2 -S 1M"
modes "direct" striping_factor 2 striping_unit 1048576 direct_write true

# random accesses against a model, the hints random too
"$MPICC" -std=gnu11 -O2 -o "$TMP/oracle" "$here/oracle.c" "$here"/oracle/*.c ||
    exit 1
cases=${TEST_LUSTRE_CASES:-30}
for what in write read; do
    run "$TMP/oracle" --cases "$cases" --seed 1794806580 --what $what \
        --timeout 120 --file "lustre:$DIR/oracle" >"$TMP/log" 2>&1
    like "$(cat "$TMP/log")" "$cases cases on .*, 0 failed" \
        "oracle: $cases cases of $what"
done
# exact locks on data at the MDT, which Lustre refuses: written, read, and read
# past the end, in one open
MPICH_MPIIO_HINTS="*:romio_lustre_comp_layout=-E 1M -L mdt -E -1 -c 2 -S 1M:\
cray_cb_nodes_multiplier=2:cray_cb_write_lock_mode=2" \
    run "$TMP/oracle" --cases 10 --seed 1794806580 --what all --timeout 120 \
    --file "lustre:$DIR/oracle" >"$TMP/log" 2>&1
like "$(cat "$TMP/log")" "10 cases on .*, 0 failed" \
    "oracle: 10 cases of data on the MDT in mode 2"

# ---- the counts table (counts.sh): a real Lustre beside lustre-sim ----

STOCK=$BUILD/libromio_stock.so
SIDE=$TMP/side # lustre-sim's root for it
[ -x "$LUSTRE_SIM" ] && "$LUSTRE_SIM" mkfs --osts 4 "$SIDE" >/dev/null || SIDE=

# counted_job SYSTEM WHO LAYOUT BLOCKS HINT...: the job, on sim or real
counted_job() {
    system=$1 who=$2 layout=$3 blocks=$4
    shift 4
    LIBRARY=$PLUGIN prefix=lustre: where=$DIR
    [ "$system" = real ] || where=$SIDE
    case $who in
    stock) LIBRARY=$STOCK ;;
    generic) LIBRARY='' prefix=ufs: ;;
    esac
    [ "$who" = ours ] || set -- cb_nodes 4 cb_config_list '*:*' "$@"
    case $who-$layout in
    *--) ;;
    *--E*) set -- romio_lustre_comp_layout "$layout" "$@" ;;
    generic-*)
        if [ "$system" = real ]; then
            lfs setstripe -c "${layout% *}" -S "${layout#* }" "$where/counts"
        else
            "$LUSTRE_SIM" setstripe -c "${layout% *}" -S "${layout#* }" \
                "$where/counts"
        fi ;;
    *)
        unit=${layout#* }
        set -- striping_factor "${layout% *}" striping_unit \
            $((${unit%M} * 1048576)) "$@" ;;
    esac
    set -- "$TMP/coll" "$prefix$where/counts" "$blocks" romio_cb_write enable \
        romio_cb_read enable "$@"
    if [ "$system" = real ]; then
        RANKS=4 run "$@"
    else
        # shellcheck disable=SC2086 # a list of options
        MPIR_CVAR_NUM_CLIQUES=4 limited "$LUSTRE_SIM" run --root "$SIDE" \
            ${OPTIONS-} "$MPIEXEC" -n 4 \
            -genv LD_PRELOAD "$LIBRARY:$("$LUSTRE_SIM" --preload)" \
            "$here/onclient.sh" 4 "${SHIFT:-0}" "$@" </dev/null
    fi
    rc=$?
    LIBRARY=$PLUGIN
    return $rc
}
# sim_counts, real_counts: "callbacks requests writes reads" so far
sim_counts() {
    "$LUSTRE_SIM" stats "$SIDE" | sed -n 's/^total: *//p' | tr ' ' '\n' |
        awk -F = '{ n[$1] = $2 } END { print n["bl_callback"] + 0,
            n["enqueue"] + 0, n["write_rpc"] + 0, n["read_rpc"] + 0 }'
}
real_counts() {
    lctl dk 2>/dev/null >>"$TMP/counts.dk"
    set -- "$(log_callbacks ost <"$TMP/counts.dk")" \
        "$(lctl get_param 'osc.*.stats' 2>/dev/null | counts_stats)"
    echo "$*"
}
# counted SYSTEM KEEP WHO LAYOUT BLOCKS HINT...: the difference that the job
# makes, b/e/w/r, in GOT; KEEP no: with empty caches, before and after
counted() {
    system=$1 keep=$2
    shift 2
    if [ "$system" = real ]; then
        [ "$keep" = yes ] || lctl set_param -n \
            'ldlm.namespaces.*osc*.lru_size=clear' >/dev/null 2>&1
        mask=$(lctl get_param -n debug)
        lctl clear && lctl set_param -n debug=rpctrace
        : >"$TMP/counts.dk"
    elif [ "$keep" = no ]; then
        "$LUSTRE_SIM" drop "$SIDE"
    fi
    first=$("${system}_counts")
    counted_job "$system" "$@" >"$TMP/counts.out" 2>&1 || {
        fail "counts: a job on $system: $*"
        diag_file "$TMP/counts.out"
    }
    if [ "$system" = real ]; then
        echo "$DIRS" | tr ':' '\n' | while read -r mount; do sync -f "$mount"; done
    elif [ "$keep" = no ]; then
        "$LUSTRE_SIM" drop "$SIDE"
    fi
    GOT=$(echo "$first $("${system}_counts")" |
        awk '{ print $5 - $1 "/" $6 - $2 "/" $7 - $3 "/" $8 - $4 }')
    [ "$system" = sim ] || lctl set_param -n debug="$mask" >/dev/null 2>&1
}
# shown KIND: GOT as the table has it
shown() {
    case $1 in
    read) echo "$GOT" | awk -F / '{ print $2 "/" $4 }' ;;
    *) echo "${GOT%/*}" ;;
    esac
}
# agrees KIND RECORDED GOT: as well as the row has to
agrees() {
    case $1 in
    fight) counts_near "$2" "$3" ;;
    early) [ "${2%/*}" = "${3%/*}" ] && counts_near "$2" "$3" ;;
    *) [ "$2" = "$3" ] ;;
    esac
}
# reported NAME KIND RECORDED SIM REAL: a line, and what is summed up
reported() {
    diag "$(printf '%-34s recorded %-18s here %-10s lustre-sim %s' "$1" "$3" \
        "${5:--}" "${4:--}")"
    for system in sim real; do
        got=$4
        [ $system = sim ] || got=$5
        [ -n "$got" ] || continue
        verdict=no
        agrees "$2" "$3" "$got" && verdict=yes
        [ "$3" != "$got" ] || verdict=equal
        echo "$system $2 $verdict" >>"$TMP/verdicts"
    done
    [ -n "$4" ] || return 0
    # Who is first in a fight is a matter of time: told, not judged.
    [ "$2" = fight ] || ok "counts: $1: lustre-sim $4" agrees "$2" "$3" "$4"
}
# one_row NAME RECORDED KIND WHO LAYOUT BLOCKS HINT...
one_row() {
    name=$1 recorded=$2 kind=$3 who=$4
    shift 4
    sim='' real=''
    if [ "$who" = stock ] && [ ! -f "$STOCK" ]; then
        skip 1 "counts: $name: no stock plug-in"
        return
    fi
    if [ -n "$SIDE" ]; then
        [ "$kind" = read ] || rm -f "$SIDE/counts"
        OPTIONS=
        [ "$kind" != fight ] || OPTIONS="--profile vm"
        [ "$kind" != hybrid ] || OPTIONS="--hybrid-io 1"
        counted sim no "$who" "$@"
        sim=$(shown "$kind")
        OPTIONS=
    fi
    if [ $TELLS = yes ] && [ "$kind" != hybrid ]; then
        [ "$kind" = read ] || rm -f "$DIR/counts"
        counted real no "$who" "$@"
        real=$(shown "$kind")
    fi
    reported "$name" "$kind" "$recorded" "$sim" "$real"
}
# The counters of a real Lustre are those of this node, for root.
TELLS=no
if [ $REAL = yes ] && [ -z "${TEST_LUSTRE_HOSTS-}" ] &&
    lctl get_param osc.\*.stats >/dev/null 2>&1 && lctl clear 2>/dev/null; then
    TELLS=yes
elif [ $REAL = yes ]; then
    diag "counts: only lustre-sim's: those of the clients are for root, on one" \
        "node"
fi
is "$(printf '%s\n' 'osc.fs-OST0000-osc-ffff8881.stats=' \
    'snapshot_time 1794792298.411776 secs.nsecs' \
    'req_waittime 36 samples [usecs] 61 9911 83232 1' \
    'ldlm_extent_enqueue 16 samples [reqs] 1 1 16 16' \
    'ost_write 13 samples [usecs] 300 4000 90000 1' \
    'osc.fs-OST0001-osc-ffff8881.stats=' 'ost_write 14 samples [usecs] 1 1 1 1' \
    'ost_read 3 samples [usecs] 1 1 1 1' | counts_stats)" "16 27 3" \
    "counts: a client's statistics"
ok "counts: within 1.5" counts_near "12/30/28 15/34/31" 10/45/20
not_ok "counts: not within" counts_near "12/30/28 15/34/31" 7/30/28

: >"$TMP/verdicts"
counts_table >"$TMP/table"
while IFS='|' read -r name recorded kind who layout blocks hints; do
    # shellcheck disable=SC2086 # a list of words
    one_row "$name" "$recorded" "$kind" "$who" "$layout" "$blocks" $hints \
        </dev/null
done <"$TMP/table"

# What a program leaves behind: other clients read, a third set writes, and reads
# what it wrote. Ranks move on to the next mount, or client, each time.
left_behind() {
    system=$1
    SHIFT=0
    counted "$system" no ours "4 1M" 64
    counted "$system" yes ours - 64 # so that its locks are there
    for what in -64 64 -64; do
        if [ $what = 64 ] || [ $SHIFT = 0 ]; then
            SHIFT=$((SHIFT + 1))
            DIRS=${DIRS#*:}:${DIRS%%:*}
        fi
        counted "$system" yes ours - $what
        echo "$GOT"
    done
    SHIFT=0
}
columns() { awk -F / '{ print $1 "/" $2 "/" $3 + $4 }'; }
sim='' real=''
if [ -n "$SIDE" ]; then
    rm -f "$SIDE/counts"
    sim=$(left_behind sim | columns)
fi
if [ $TELLS = yes ] && [ "$clients" -ge 4 ]; then
    rm -f "$DIR/counts"
    real=$(left_behind real | columns)
fi
n=0
for name in "read by other clients" "written by a third set" "and read by it"; do
    n=$((n + 1))
    recorded=$(echo 4/4/27 4/4/17 0/0/0 | cut -d ' ' -f $n)
    kind='write'
    [ $n != 2 ] || kind='early'
    reported "$name" $kind "$recorded" "$(echo "$sim" | sed -n ${n}p)" \
        "$(echo "$real" | sed -n ${n}p)"
done
for system in sim real; do
    awk -v on=$system '$1 == on {
        fight = $2 == "fight"; n[fight]++; good[fight] += $3 != "no"
        equal += !fight && $3 == "equal"
    } END {
        if (n[0] + n[1]) printf "# counts, %s: %d of %d rows without a " \
            "fight equal, %d as they have to be; %d of %d with one within " \
            "1.5\n", on == "sim" ? "lustre-sim" : "here", equal, n[0],
            good[0], good[1], n[1]
    }' "$TMP/verdicts"
done

if pkg-config --exists hdf5-mpich 2>/dev/null; then
    # shellcheck disable=SC2046 # compiler options
    ok "the HDF5 program compiles" "$MPICC" $(pkg-config --cflags hdf5-mpich) \
        -o "$TMP/hdf5" "$here/hdf5_par.c" $(pkg-config --libs hdf5-mpich)
    ok "HDF5 writes and reads" run "$TMP/hdf5" "lustre:$DIR/par.h5"
else
    skip 2 "no libhdf5-mpich-dev"
fi
tap_done
