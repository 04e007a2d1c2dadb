#!/bin/sh
# t8001-faults - the fault matrix on lustre-sim: every call, error and moment
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# More than 1,000 cases of faults/cases.h, all of them with ADL_CHECK_FULL=1.
# ADL_FAULTS='--only PATTERN' picks cases by name.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
step=${ADL_FAULT_STEP:-4}
TIMEOUT=${ADL_TIMEOUT:-400}
[ $FULL = no ] || { step=1 TIMEOUT=3000; }

tap_plan 8

ok "the matrix compiles" "$MPICC" -std=gnu11 -O2 -g -Wall -Wextra -Werror \
    -o "$TMP/faults" "$here"/faults/*.c

# launch NODES FROM: one launch, its words appended to $TMP/out
launch() {
    # shellcheck disable=SC2086 # a list
    node_run "$1" 4 "$TMP/faults" --now "$TMP/now" --from "$2" --step "$step" \
        ${ADL_FAULTS:-} "$SIM/f" >"$TMP/part" 2>&1
    rc=$?
    cat "$TMP/part" >>"$TMP/out"
    return $rc
}

# matrix NODES: all cases, with a new launch after one that killed the job
matrix() {
    from=0 cases=0 launches=0
    : >"$TMP/out"
    until launch "$1" "$from"; do
        read -r played from name <"$TMP/now"
        cases=$((cases + played + 1)) launches=$((launches + 1))
        grep -q '^hangs: ' "$TMP/part" && why=hangs || why='ends the job'
        echo "failed: $from $name: $why" >>"$TMP/out"
        from=$((from + 1))
        [ $launches -lt 20 ] || break
    done
    last=$(sed -n 's/ cases, .*//p' "$TMP/part")
    cases=$((cases + ${last:-0}))
}

# judge NODES: what is not known to fail
judge() {
    grep -v '^#' "$here/faults/known" >"$TMP/known"
    sed -n 's/^failed: [0-9]* //p' "$TMP/out" >"$TMP/failed"
    if [ -s "$TMP/known" ]; then
        grep -vxEf "$TMP/known" "$TMP/failed" >"$TMP/new"
    else
        cp "$TMP/failed" "$TMP/new"
    fi
    diag "$1 node(s): $cases cases, $(wc -l <"$TMP/failed") failed," \
        "$(wc -l <"$TMP/new") of them not in faults/known"
    [ ! -s "$TMP/new" ] || head -n 40 "$TMP/new" | sed 's/^/#   /'
    [ -s "$TMP/out" ] && [ ! -s "$TMP/new" ]
}

total=0
for nodes in 1 4; do
    sim_mkfs --osts 4
    matrix $nodes
    if judge $nodes; then
        pass "$nodes node(s): every error is told as it has to be"
    else
        fail "$nodes node(s): every error is told as it has to be"
        diag_file "$TMP/part"
    fi
    is "$launches" 0 "$nodes node(s): no case ends the job"
    is "$(sim_count ungroup)" "$(sim_count group)" \
        "$nodes node(s): no group lock is left"
    total=$((total + cases))
done
if [ -n "${ADL_FAULTS:-}" ]; then
    skip 1 "cases were picked by hand"
else
    least=$((4000 / ${ADL_FAULT_STEP:-4}))
    ok "$total cases: $least at least" [ "$total" -ge $least ]
fi
