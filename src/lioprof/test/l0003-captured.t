#!/bin/sh
# l0003-captured - logs of a real Lustre 2.17, with the counts of its clients
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"

# what the clients' own counters said: test/data/README
# counts FILE WRITES READS ENQUEUES BLOCKING CANCELS COMPLETIONS SYNCS METADATA
# The clients counted blocking callbacks of OSTs and of the MDT together; the log
# tells them apart.
counts() {
    f=$DATA/$1.handl.gz
    "$PROF" analyze -q --format csv -t overview "$f" >"$TMP/o"
    shift
    for what in "writes" "reads" "lock requests" "blocking callbacks" \
        "lock cancels" "completion callbacks" "syncs" \
        "blocking callbacks of metadata servers"; do
        is "$(sed -n "s/^$what,//p" "$TMP/o")" "$1" "$(basename "$f"): $what"
        shift
    done
}
counts a_indep 141 0 198 140 155 179 0 6
counts c_collread 0 28 16 0 10 0 0 5
counts d_fight 95 0 66 64 67 65 2 0
counts e_stock_lustre_coll 16 0 4 0 9 0 0 4

# by client, as their osc.*.stats had it
while read -r file client writes locks; do
    is "$(cell client "$client" writes "$DATA/$file.handl.gz")" "$writes" \
        "$file: writes of $client"
    is "$(cell client "$client" lock_requests "$DATA/$file.handl.gz")" \
        "$locks" "and lock requests"
done <<'EOT'
a_indep 97ed66cc 50 62
a_indep e4d73090 37 52
a_indep 515f9fcf 20 20
a_indep 974ca5f6 34 64
d_fight 97ed66cc 46 33
d_fight e4d73090 49 33
EOT

# all messages of the first 3000 lines: OSTs, objects and extents are named
A=$DATA/a_indep.all_first3000.gz
is "$(cell overview writes value "$A")" 23 "all messages: writes"
is "$(cell overview OSTs value "$A")" 4 "OSTs are named"
is "$(sum ost written_bytes "$A")" \
    "$(zcat "$A" | awk '/hpreq_check/ && /fl New/ {
        split($0, p, /[(]/); n = split(p[4], e, /[->)]+/)
        s += e[2] - e[1] + 1 } END { print s }')" "bytes of the extents"
# the log names who calls back: each OST, and the MDT, which has no other row
is "$("$PROF" analyze -q --format csv -t ost "$A" | awk -F , '
    NR == 1 { next }
    NR == 2 { for (i = 1; i <= NF; i++) if ($i == "callbacks") c = i; next }
    $1 ~ /not named/ { named += $c; next }
    { printf "%s=%s ", $1, $c } END { printf "others %d", named }')" \
    "$(zcat "$A" | awk '/Sending RPC/ && /:104:$/ {
        match($0, /-(OST|MDT)[0-9a-f]+_UUID/)
        n[substr($0, RSTART + 1, RLENGTH - 6)]++
    } END { for (i = 0; i < 4; i++) printf "OST000%d=%d ", i, n["OST000" i]
        printf "MDT0000=%d others 0", n["MDT0000"] }')" \
    "callbacks are under the OST or MDT that sent them"
like "$("$PROF" analyze -q -t findings "$DATA/d_fight.handl.gz")" \
    '64 blocking lock callbacks' "the fight is found"
tap_done
