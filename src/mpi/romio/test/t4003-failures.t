#!/bin/sh
# t4003-failures - nonblocking collectives that fail: error, status, file after
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin
need_sim

prog=$TMP/failures
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/failures.c"
cases=$("$prog" -l)

# The first write or read of aggregator 0 in each case's own file.
faults() {
    sep=
    for name in $cases; do
        case $name in
        write*) printf '%swrite:errno=ENOSPC' "$sep" ;;
        *) printf '%sread:errno=EIO' "$sep" ;;
        esac
        printf ':n=1:client=0:file=*.%s' "$name"
        sep=';'
    done
}

# judge LABEL: one test for each case, from the job's output
judge() {
    for name in $cases; do
        if grep -qx "ok $name" "$TMP/out"; then
            pass "$1: $name"
        else
            fail "$1: $name"
        fi
    done
    [ "$2" = 0 ] || diag_file "$TMP/out"
}

for nodes in 1 2 4; do
    sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
    SIM_OPTIONS="--fault $(faults)"
    node_run $nodes 4 "$prog" "$SIM/f" >"$TMP/out" 2>&1
    judge "plug-in, nodes: $nodes" $?
done
if [ -n "$fork" ] && [ -x "$fork/bin/mpiexec" ]; then
    ok "the program compiles for the fork" "$fork/bin/mpicc" -o "$prog" \
        "$here/failures.c"
    sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K >/dev/null
    MPIR_CVAR_NUM_CLIQUES=2 limited env LD_PRELOAD="$(preload)" "$LUSTRE_SIM" \
        run --root "$SIM" --fault "$(faults)" "$fork/bin/mpiexec" -n 4 \
        "$here/onnode.sh" 2 "$prog" "$SIM/f" >"$TMP/out" 2>&1 </dev/null
    judge "fork, nodes: 2" $?
else
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
tap_done
