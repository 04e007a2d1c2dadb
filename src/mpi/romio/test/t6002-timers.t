#!/bin/sh
# t6002-timers - the phases: they add up, and time goes where it belongs
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
. "$SRC/src/mpi/romio/test/reports.sh"
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 2 || exit 1
export MPICH_MPIIO_TIMERS=1
wa="MPIIO write by phases, all ranks"
ww="MPIIO write by phases, writers only"
ra="MPIIO read by phases, all ranks"
rr="MPIIO read by phases, readers only"

# ---- blocks ----
access 4 "$SIM/f1" coll=20,$M rcoll=20,$M
is "$(grep '^| MPIIO' "$TMP/err")" "| $wa, for $SIM/f1
| $ww, for $SIM/f1
| $ra, for $SIM/f1
| $rr, for $SIM/f1" "four blocks, in this order"
is "$(field 'number of ranks writing')" "    2" "ranks writing"
is "$(field 'number of ranks not writing')" "    2" "ranks not writing"
is "$(field 'number of ranks reading')" "    2" "ranks reading"
like "$(cat "$TMP/err")" 'time scale: 1 = 2\*\*[0-9]+ +clock ticks' "a scale"
is "$(grep -c 'lock mode' "$TMP/err")" 0 "no row for locks in mode 0"

# ---- rows add up ----
within 98 "$(row_sum "$wa" 2 4)" 102 "writing, all ranks: rows are the total"
within 98 "$(row_sum "$ww" 1 1)" 102 "writers only"
within 98 "$(row_sum "$ra" 2 4)" 102 "reading, all ranks"
within 98 "$(row_sum "$rr" 1 1)" 102 "readers only"
parse "$TMP/err" | awk -F '\t' '$3 ~ /%$/ { split($3, v, " ")
    if (v[1] + 0 > v[2] + 0) print }' >"$TMP/wrong"
is "$(cat "$TMP/wrong")" "" "no minimum above its maximum"

# ---- bandwidth lines are what the rows say ----
bw=$(parse "$TMP/err" | awk -F '\t' -v b="$ww" '
    $1 == b && $2 ~ /^net write BW/ { print $3 }')
ticks=$(time_of "$ww" total 1)
within 0.98 "$(awk -v bw="$bw" -v t="$ticks" \
    'BEGIN { print bw * t / 1e9 / 80 }')" 1.02 "net: 80 MiB in the total time"
bw=$(parse "$TMP/err" | awk -F '\t' -v b="$ww" '
    $1 == b && $2 ~ /^raw write BW/ { print $3 }')
within 0.98 "$(awk -v bw="$bw" -v t="$(time_of "$ww" 'file write' 3)" \
    'BEGIN { print bw * t / 1e9 / 80 }')" 1.02 "raw: in the time of file write"

# ---- time that is known: writes that take 50 ms each ----
# The rows are made to add up; what they may not do is lose time that was spent
# or count it twice, which the writes and the clock on the wall tell.
SIM_OPTIONS="--fault write:delay=50"
t0=$(date +%s%N)
access 4 "$SIM/f0" coll=5,$M
wall=$(($(date +%s%N) - t0))
unset SIM_OPTIONS
slept=$(($(counted writes) * 50000000 / 2))
ok "there were writes to wait for" [ "$slept" -gt 0 ]
within "$slept" "$(time_of "$ww" 'file write' 3)" "$wall" \
    "file write: all of the time that the writes took, and not more"
within "$slept" "$(time_of "$ww" total 1)" "$wall" \
    "the total: not less than that, nor more than the job took"
within 0 "$(time_of "$wa" total 1)" "$wall" "nor for all ranks"

# ---- a rank that comes late ----
access 4 "$SIM/f2" late=2,300 coll=1,$M
within 280000000 "$(time_of "$wa" 'wait for coll' 2)" 5000000000 \
    "a late rank: the others wait for it"
within 0 "$(time_of "$wa" 'wait for coll' 1)" 100000000 "it waits for no rank"
within 0 "$(time_of "$wa" collective 2)" 200000000 \
    "the collective itself is not blamed"
within 98 "$(row_sum "$wa" 2 4)" 102 "rows add up"
MPICH_MPIIO_TIME_WAITS=0 access 4 "$SIM/f3" late=2,300 coll=1,$M
is "$(time_of "$wa" 'wait for coll' 2) $(time_of "$wa" imbalance 2)" "0 0" \
    "TIME_WAITS=0: no waiting apart"
within 280000000 "$(time_of "$wa" collective 2)" 5000000000 \
    "but in the collective"
within 98 "$(row_sum "$wa" 2 4)" 102 "rows add up"

# ---- nonblocking, independent, alone ----
access 4 "$SIM/f4" coll=1,$M icoll=10,$M,$((4 * M)) ind=1,20,4096,0
within 98 "$(row_sum "$wa" $(field 'number of ranks writing') 4)" 102 \
    "nonblocking and independent: rows add up"
within 98 "$(row_sum "$ww" 1 1)" 102 "writers only"
access 4 -h romio_cb_write=disable "$SIM/f5" coll=10,$M
is "$(field 'number of ranks writing')" "    4" "alone: all ranks write"
within 98 "$(row_sum "$wa" 4 4)" 102 "rows add up"
is "$(time_of "$wa" 'data send' 2)" 0 "nothing is sent"

# ---- several nodes ----
export MPIR_CVAR_NUM_CLIQUES=2
access 4 "$SIM/f11" coll=20,$M rcoll=20,$M
within 98 "$(row_sum "$wa" 2 4)" 102 "two nodes: writing, all ranks"
within 98 "$(row_sum "$ww" 1 1)" 102 "writers only"
within 98 "$(row_sum "$ra" 2 4)" 102 "reading, all ranks"
within 98 "$(row_sum "$rr" 1 1)" 102 "readers only"
unset MPIR_CVAR_NUM_CLIQUES

# ---- locks ----
access 4 -h cray_cb_write_lock_mode=2 "$SIM/f6" coll=10,$M
within 1 "$(time_of "$ww" 'lock mode' 3)" 100000000000 "mode 2: time for locks"
within 98 "$(row_sum "$ww" 1 1)" 102 "rows add up"
access 4 -h cray_cb_write_lock_mode=1 -h romio_no_indep_rw=true "$SIM/f7" \
    coll=10,$M
within 1 "$(time_of "$ww" 'lock mode' 3)" 100000000000 "mode 1: too"
within 98 "$(row_sum "$ww" 1 1)" 102 "rows add up"

# ---- scale; the other spelling; off ----
MPICH_MPIIO_TIMERS_SCALE=12 access 4 "$SIM/f8" coll=1,$M
like "$(cat "$TMP/err")" '1 = 2\*\*12    clock ticks' "a scale that was asked for"
within 98 "$(row_sum "$ww" 1 1)" 102 "rows add up"
unset MPICH_MPIIO_TIMERS
MPICH_MPIO_TIMERS=1 access 4 "$SIM/f9" coll=1,$M
is "$(grep -c '^| MPIIO' "$TMP/err")" 2 "MPICH_MPIO_TIMERS works, too"
access 4 "$SIM/f10" coll=1,$M
is "$(cat "$TMP/err")" "" "not asked: nothing is said"

tap_done
