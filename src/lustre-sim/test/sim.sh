# sim.sh - lib.sh, and what the scripts about lustre-sim share
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# SIM      the command            PROGS   the test programs' folder
# FAST     a scratch directory in memory where there is one, else TMP
#
# shellcheck shell=sh disable=SC2034

. "$(dirname "$0")/../../mpi/romio/test/lib.sh"

SIM=$BUILD/src/lustre-sim/lustre-sim
PROGS=$BUILD/src/lustre-sim/test
[ -x "$SIM" ] || skip_all "no lustre-sim at $SIM (set ADL_BUILD)"
[ -x "$PROGS/calls" ] || skip_all "no test programs (make check TESTS=)"
unset LUSTRE_SIM_ROOT LUSTRE_SIM_CLIENT LUSTRE_SIM_PROFILE LUSTRE_SIM_FAULT \
    LUSTRE_SIM_TRACE LUSTRE_SIM_CLIENTS LUSTRE_SIM_RANKS_PER_CLIENT

FAST=$TMP
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
    FAST=$(mktemp -d /dev/shm/adl-test.XXXXXX) || exit 1
    trap 'rc=$?; rm -rf "$FAST"; tap_end $rc' EXIT
fi

# sim ARG...: the command, with a time limit
sim() {
    limited "$SIM" "$@" </dev/null
}

# total ROOT COUNTER: its value over all OSTs
total() {
    "$SIM" stats "$1" | sed -n "s/^total:.* $2=\([0-9]*\).*/\1/p" | grep . ||
        echo 0
}

# status CMD...: its exit status; output in $TMP/out
status() {
    rc=0
    "$@" >"$TMP/out" 2>&1 </dev/null || rc=$?
    echo "$rc"
}
