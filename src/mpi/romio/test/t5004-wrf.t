#!/bin/sh
# t5004-wrf - the lockahead paper's WRF case in miniature: hints by file name in
# SPDX-License-Identifier: LicenseRef-romio-lustre
# the environment, as in its listing 1
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 22

prog=$TMP/wrf
ok "bench/apps/wrf compiles" "$SRC/bench/apps/build" --mpicc "$MPICC" \
    --out "$TMP" wrf

# listing LOCKMODE MULTIPLE LOCKMODE MULTIPLE: for wrfout, then for auxhist;
# the line breaks are the paper's
listing() {
    echo "wrfout*:cray_cb_write_lock_mode=
$1:cray_cb_nodes_multiplier=$2,
auxhist*:cray_cb_write_lock_mode=$3:
cray_cb_nodes_multiplier=$4"
}

# hint FILE KEY: what the display says of a file of the last run
hint() {
    awk -v file="/$1:" -v key="$2" '
        /MPIIO hints for/ { on = index($0, file) }
        on && $1 == key { print $3; exit }' "$TMP/said"
}

# counted FILE COUNTER: of the objects of a file
counted() {
    "$LUSTRE_SIM" stats --objects "$SIM" | grep "^object $1 " | tr ' ' '\n' |
        awk -F = -v name="$2" '$1 == name { n += $2 } END { print n + 0 }'
}

# run VARIABLE VALUE: 16 ranks on 4 nodes, 4 OSTs
run() {
    sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null
    (
        export "$1=$2" MPICH_MPIIO_HINTS_DISPLAY=1 MPICH_MPIIO_STATS=1
        node_run 4 16 "$prog" --records 3 -w -k "$SIM"
    ) >"$TMP/said" 2>&1 || { cat "$TMP/said"; return 1; }
    "$prog" --records 3 -v "$SIM"
}

# shows FILE MODE CB_NODES: its mode and number of aggregators
shows() {
    is "$(hint "$1" cray_cb_write_lock_mode) $(hint "$1" cb_nodes)" "$2 $3" \
        "$1: lock mode $2, $3 aggregators"
}

ok "MPICH_MPIO_HINTS as in the paper: written and right" \
    run MPICH_MPIO_HINTS "$(listing 2 4 2 2)"
shows wrfout_d01_1 2 16
shows wrfout_d01_2 2 16
shows auxhist2_d01_1 2 8
shows auxhist2_d01_2 2 8
for file in wrfout_d01_1 auxhist2_d01_2; do
    ok "$file: locks were asked for ahead" \
        test "$(counted $file lockahead)" -gt 0
done
# The header of rank 0 takes back the locks of the owner of the first stripe,
# once a record; nothing else may.
ok "wrfout: hardly a callback" test "$(counted wrfout_d01_1 bl_callback)" -le 12
diag "callbacks of wrfout_d01_1: $(counted wrfout_d01_1 bl_callback)"
if grep -q "write access patterns" "$TMP/said"; then
    for file in wrfout_d01_1 auxhist2_d01_2; do
        block=$(sed -n "/write access patterns.*$file/,/^+--/p" "$TMP/said")
        like "$block" "lock ahead extent count *= *[1-9]" "$file: report: extents"
        like "$block" "lock ahead write hits *= *[1-9]" "$file: report: hits"
        like "$block" "lock ahead write misses *= *[0-9]" "$file: report: misses"
    done
else
    skip 6 "no report of access patterns in this build"
fi

ok "MPICH_MPIIO_HINTS, a mode for each: written and right" \
    run MPICH_MPIIO_HINTS "$(listing 0 4 2 1)"
shows wrfout_d01_1 0 16
shows auxhist2_d01_1 2 4
is "$(counted wrfout_d01_1 lockahead)" 0 "wrfout: nothing is locked ahead"

# A header written by one rank needs the promise not to be given: mode 1 is
# refused.
ok "mode 1 without the promise: written and right" \
    run MPICH_MPIO_HINTS "$(listing 1 4 1 4)"
shows wrfout_d01_1 0 16
like "$(cat "$TMP/said")" "needs the promise" "it is said that 1 became 0"
