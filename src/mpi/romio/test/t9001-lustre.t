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
        -genv LD_PRELOAD "$PLUGIN" "$here/onmount.sh" "$DIRS" "$@" </dev/null
}
# here_run CMD...: one process on the file system
here_run() {
    if [ $REAL = no ]; then
        limited "$LUSTRE_SIM" run --root "$SIM" "$@"
    else
        limited "$@"
    fi
}
# callbacks: blocking callbacks so far, or nothing where they cannot be read;
# of this client only, on a real Lustre
callbacks() {
    if [ $REAL = no ]; then
        sim_count bl_callback
        return
    fi
    f=/sys/kernel/debug/lustre/ldlm/services/ldlm_cbd/stats
    [ -r $f ] && awk '/ldlm_bl_callback/ { n = $2 } END { print n + 0 }' $f
}
# quiet NAME BEFORE: no callback since then, where that can be told
quiet() {
    now=$(callbacks)
    if [ -n "$now" ] && [ -n "$2" ]; then
        is "$((now - $2))" 0 "$1: no callback"
    else
        skip 1 "$1: the client's callbacks cannot be read (root may)"
    fi
}

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
        before=$(callbacks)
        # shellcheck disable=SC2086 # a pair
        ok "$name, mode $mode: written" run "$TMP/coll" \
            "lustre:$DIR/$mode" 16 romio_cb_write enable \
            cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode $mode $promise \
            "$@"
        is "$(grep -c 'does not work here' "$TMP/.out")" 0 \
            "$name, mode $mode: no message"
        [ $mode = 0 ] || quiet "$name, mode $mode" "$before"
        ok "$name, mode $mode: read" run "$TMP/coll" "lustre:$DIR/$mode" -16 \
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

if pkg-config --exists hdf5-mpich 2>/dev/null; then
    # shellcheck disable=SC2046 # compiler options
    ok "the HDF5 program compiles" "$MPICC" $(pkg-config --cflags hdf5-mpich) \
        -o "$TMP/hdf5" "$here/hdf5_par.c" $(pkg-config --libs hdf5-mpich)
    ok "HDF5 writes and reads" run "$TMP/hdf5" "lustre:$DIR/par.h5"
else
    skip 2 "no libhdf5-mpich-dev"
fi
tap_done
