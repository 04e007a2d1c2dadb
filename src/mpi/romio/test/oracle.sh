# oracle.sh - lib.sh, and what the scripts that run the oracle share
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# CALM     libpolitewait.so, to be preloaded: waiting ranks sleep
# SIM      the command lustre-sim; may be missing
# FAST     a scratch directory in memory where there is one, else TMP
# SEED     of the random numbers: $ADL_TEST_SEED, else the same every time; new
#          ones from the clock with FULL
# EXTRAS   what the cases have beside plain calls: $ADL_TEST_EXTRAS, else none;
#          oracle --help tells the names
#
# shellcheck shell=sh disable=SC2034

. "$(dirname "$0")/lib.sh"
need_plugin
command -v "$MPIEXEC" >/dev/null || skip_all "no mpiexec"

here=$SRC/src/mpi/romio/test
SIM=$LUSTRE_SIM
CALM=$POLITE
SEED=1794806580
[ $FULL = no ] || SEED=$(date +%s)
SEED=${ADL_TEST_SEED:-$SEED}
EXTRAS=${ADL_TEST_EXTRAS:-none}
TIMEOUT=${ADL_TIMEOUT:-1500}
[ $FULL = yes ] && TIMEOUT=14400
export TMPDIR="$TMP"
unset LUSTRE_SIM_ROOT LUSTRE_SIM_CLIENT LUSTRE_SIM_PROFILE LUSTRE_SIM_FAULT \
    LUSTRE_SIM_TRACE LUSTRE_SIM_CLIENTS LUSTRE_SIM_RANKS_PER_CLIENT

FAST=$TMP
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
    FAST=$(mktemp -d /dev/shm/adl-test.XXXXXX) || exit 1
    trap 'rc=$?; rm -rf "$FAST"; tap_end $rc' EXIT
fi

compile_oracle() {
    "$MPICC" -std=gnu11 -O2 -g -Wall -Wextra -Werror -o "$TMP/oracle" \
        "$here/oracle.c" "$here"/oracle/*.c
}

# on_memory NODES RANKS CASES SEED WHAT: cases on a file system in memory, with
# layouts made up, the ranks on so many nodes
on_memory() {
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$MPIEXEC" -n "$2" \
        -genv LD_PRELOAD "$CALM:$PLUGIN" "$TMP/oracle" --cases "$3" \
        --seed "$4" --what "$5" --extras "$EXTRAS" --timeout 120 \
        --file "lustre:$FAST/f" </dev/null
}

# on_lustre NODES RANKS CASES SEED WHAT: the same on a simulated Lustre
on_lustre() {
    rm -rf "$FAST/sim"
    "$SIM" mkfs --osts 8 "$FAST/sim" || return 1
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$SIM" run --root "$FAST/sim" \
        --clients "$1" "$MPIEXEC" -n "$2" \
        -genv LD_PRELOAD "$CALM:$PLUGIN:$("$SIM" --preload)" "$TMP/oracle" \
        --cases "$3" --seed "$4" --what "$5" --extras "$EXTRAS" --timeout 120 \
        --file "lustre:$FAST/sim/f" </dev/null
}

# batch WHERE NODES RANKS CASES WHAT: one launch, one test; a failed case is
# told with the line that repeats it
batch() {
    where=$1
    shift
    if [ "$where" = on_lustre ] && [ ! -x "$SIM" ]; then
        skip 1 "no lustre-sim at $SIM"
        return
    fi
    n=$3
    [ $FULL = yes ] && n=$((n * 25))
    SEED=$((SEED + 1))
    rc=0
    "$where" "$1" "$2" "$n" "$SEED" "$4" >"$TMP/log" 2>&1 || rc=$?
    if [ $rc -eq 0 ] && grep -q "$n cases on .*, 0 failed" "$TMP/log"; then
        pass "$4, $where: $n cases, $1 nodes, $2 ranks, seed $SEED"
    else
        fail "$4, $where: $n cases, $1 nodes, $2 ranks, seed $SEED"
        diag "exit status $rc"
        grep -A 1 -e FAILED -e HANGS "$TMP/log" | head -n 20 |
            awk '{ print "#   " $0 }'
        diag_file "$TMP/log"
    fi
}
