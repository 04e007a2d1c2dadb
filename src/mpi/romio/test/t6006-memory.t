#!/bin/sh
# t6006-memory - 1,000 files opened, written and closed: memory stays
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
. "$SRC/src/mpi/romio/test/reports.sh"
TIMEOUT=300
sim_mkfs --osts 4 --stripe-size 64K --stripe-count 2 || exit 1
export MPICH_MPIIO_STATS=2 MPICH_MPIIO_STATS_FILE="$TMP/bins"
export MPICH_MPIIO_TIMERS=1 ROMIO_LUSTRE_ADVICE=1
export ROMIO_LUSTRE_REPORT="$TMP/rep.json"

sim_run 2 "$ACCESSES" "$SIM/f" many=1000,4096 >"$TMP/out" 2>"$TMP/err"
is "$?" 0 "1,000 files, everything asked for"
is "$(grep -c 'MPIIO write access' "$TMP/err")" 1000 "1,000 blocks"
is "$(wc -l <"$TMP/rep.json")" 1002 "as many lines of JSON, and two of unused files"
grown=$(sed -n 's/^grown: \(-*[0-9]*\) KiB/\1/p' "$TMP/out")
within -100000 "$grown" 1024 "memory grew by less than 1 MiB ($grown KiB)"

if command -v valgrind >/dev/null; then
    diag "$(valgrind --version)"
    sim_one valgrind --leak-check=full --show-leak-kinds=definite \
        --log-file="$TMP/vg" "$ACCESSES" "$SIM/g" many=20,4096 \
        >"$TMP/out" 2>"$TMP/err"
    # Losses of the MPI library itself are not ours.
    awk '/definitely lost in/ { if (text ~ /adl_|ADIOI_LUSTRE/) print text
            text = "" }
        { text = text $0 "\n" }
        END { if (text ~ /definitely lost in.*(adl_|ADIOI_LUSTRE)/)
            print text }' "$TMP/vg" >"$TMP/ours"
    is "$(cat "$TMP/ours")" "" "valgrind: nothing of ours is lost"
    like "$(cat "$TMP/out")" '^grown' "it ran"
else
    skip 2 "no valgrind"
fi
tap_done
