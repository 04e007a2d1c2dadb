#!/bin/sh
# t8030-killed - a rank is killed in a collective write, whatever its role
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Four ranks on two nodes: rank 0 leads, 0 and 1 aggregate, the others hand their
# data over; each of them is killed at several moments.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
TIMEOUT=${ADL_TIMEOUT:-60}

ok "killed compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$TMP/killed" \
    "$SRC/src/mpi/romio/test/killed.c"
sim_mkfs --osts 4 --stripe-count 2 --stripe-size 64K || exit 1

# A directory for temporary files that only the job uses; /dev/shm is also
# other programs': theirs, the test's own and MPI's (UCX, MPICH) are left out.
mkdir "$TMP/tmp"
left() {
    find "$TMP/tmp" -mindepth 1
    find /dev/shm -mindepth 1 -maxdepth 1 -user "$(id -u)" 2>/dev/null |
        grep -E '/(romio|adl[-_.][^t]|lustre)' | sort
}

victim() {
    rm -f "$SIM/f"
    rc=0
    TMPDIR="$TMP/tmp" node_run 2 4 "$TMP/killed" "$1" "$2" "$SIM/f" \
        >"$TMP/out" 2>&1 || rc=$?
    # In a job that was over before its time no rank was killed: tell them apart.
    [ $rc -ne 0 ] || return 10
    [ $rc -ne 124 ] || return 124
}

moments="2000 30000 90000"
[ $FULL = no ] || moments="0 500 1000 2000 4000 8000 16000 32000 64000 128000"
killed=0
for rank in 0 1 2 3; do
    for usec in $moments; do
        victim $rank "$usec"
        how=$?
        [ $how -ne 10 ] || diag "rank $rank, $usec us: it was too late"
        [ $how -ne 0 ] || killed=$((killed + 1))
        ok "rank $rank killed after $usec us: the job ends" [ $how -ne 124 ]
        [ -f "$SIM/f" ] || continue
        ok "rank $rank killed after $usec us: old or new bytes only" \
            "$TMP/killed" --check 4 "$SIM/f"
    done
done
ok "$killed times a rank was killed in time" [ "$killed" -ge 6 ]
is "$(left)" "" "nothing is left behind by us"
ok "the next job works" node_run 2 4 "$TMP/killed" -1 -1 "$SIM/f"
is "$("$TMP/killed" --check 4 "$SIM/f")" "generations 60 to 60" \
    "and its bytes are there"

# The group lock of a job that died must not keep the next one out.
MPICH_MPIIO_HINTS='*:cray_cb_write_lock_mode=1:romio_no_indep_rw=true'
export MPICH_MPIIO_HINTS
victim 1 30000
ok "under a group lock: the job ends" [ $? -ne 124 ]
ok "under a group lock: the next job works" \
    node_run 2 4 "$TMP/killed" -1 -1 "$SIM/f"
tap_done
