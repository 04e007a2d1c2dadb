#!/bin/sh
# l0006-sim - 16 ranks on lustre-sim: the counts are lustre-sim's own
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
need_sim
command -v "$MPICC" >/dev/null && command -v "$MPIEXEC" >/dev/null ||
    skip_all "no MPI"
"$MPICC" -o "$TMP/ranks" "$SRC/src/lustre-sim/test/ranks.c" || exit 1
LUSTRE_SIM=$LUSTRE_SIM
export LUSTRE_SIM
TIMEOUT=300
sim_mkfs --osts 6
"$LUSTRE_SIM" setstripe -c 4 -S 1M "$SIM/f"

# 64 blocks of 64 KiB a rank, dealt out round robin: locks fight
is "$(status "$PROF" collect -o "$TMP/run" --lustre-sim "$SIM" -- \
    "$MPIEXEC" -n 16 "$TMP/ranks" "$SIM/f" 65536 64)" 0 "16 ranks, traced"
# counter WHAT NUMBER NAME: of lustre-sim's own statistics
counter() {
    "$LUSTRE_SIM" stats "$SIM" | sed -n "s/^$1 $2: *//p" | tr ' ' '\n' |
        awk -F = -v name="$3" '$1 == name { n = $2 } END { print n + 0 }'
}
for i in 0 1 2 3 4 5; do
    while read -r ours theirs; do
        is "$(cell ost "OST000$i" "$ours" "$TMP/run")" \
            "$(counter ost $i "$theirs")" "OST $i: $ours"
    done <<'EOT'
writes write_rpc
reads read_rpc
written_bytes write_bytes
read_bytes read_bytes
lock_requests enqueue
callbacks bl_callback
cancels cancel
EOT
done
"$PROF" analyze -q --format csv -t client "$TMP/run" >"$TMP/clients"
ours=$(awk -F , 'NR > 2 { print $3, $5, $8, $9, $10 }' "$TMP/clients")
theirs=
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    theirs="$theirs$(counter client $i write_rpc) $(counter client $i write_bytes)"
    theirs="$theirs $(counter client $i enqueue) $(counter client $i bl_callback)"
    theirs="$theirs $(counter client $i cancel)
"
done
is "$ours" "$(printf '%s' "$theirs")" \
    "16 clients: writes, bytes, lock requests, callbacks, cancels"
ok "there was contention" [ "$(sum ost callbacks "$TMP/run")" -gt 16 ]
is "$(sum contention callbacks "$TMP/run")" "$(sum ost callbacks "$TMP/run")" \
    "every callback is between two clients"
is "$("$PROF" analyze -q --format csv -t file "$TMP/run" | sed -n '3s/,.*//p')" \
    "f" "the file has its name"
is "$(sum file written_bytes "$TMP/run")" $((16 * 64 * 65536)) "and all bytes"
is "$(cell job "ranks.$(id -u)" written_bytes "$TMP/run")" \
    $((16 * 64 * 65536)) "so has the job"
is "$(cell imbalance "bytes of an OST" idle "$TMP/run")" 2 "two idle OSTs"
like "$("$PROF" analyze -q -t findings "$TMP/run")" '2 of 6 OSTs moved no data' \
    "are found"
# data on the MDT: what that calls back is told apart, and no OST of that number
# is made up
"$LUSTRE_SIM" setstripe -E 1M -L mdt -E -1 -c 2 -S 1M "$SIM/dom"
is "$(status "$PROF" collect -o "$TMP/mdt" --lustre-sim "$SIM" -- \
    "$MPIEXEC" -n 4 "$TMP/ranks" "$SIM/dom" 65536 16)" 0 "data on the MDT, traced"
ok "which calls back" [ "$(counter mdt 0 bl_callback)" -gt 0 ]
is "$(cell ost MDT0000 callbacks "$TMP/mdt")" "$(counter mdt 0 bl_callback)" \
    "as often as lustre-sim counts"
is "$(cell overview OSTs value "$TMP/mdt")" 6 "there are 6 OSTs"
is "$(cell overview "blocking callbacks" value "$TMP/mdt")" \
    "$(sum object callbacks "$TMP/mdt")" "whose callbacks are about objects"
is "$(status "$PROF" collect -o "$TMP/mdt" --lustre-sim "$SIM" -- \
    touch "$SIM/ran")" 1 "where the logs of another run are"
like "$(cat "$TMP/err")" 'mdt is not an empty directory' "it says so"
not_ok "and runs nothing" test -e "$SIM/ran"
not_ok "a command that fails" "$PROF" collect -o "$TMP/bad" \
    --lustre-sim "$SIM" -- false
tap_done
