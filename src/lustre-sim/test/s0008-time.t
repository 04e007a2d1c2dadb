#!/bin/sh
# s0008-time - the time model: no writer gets more than an OST has
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
OSTS=2
R=$FAST/root
sim mkfs --osts $OSTS "$R"

# reach PROFILE BANDWIDTH(MiB/s of an OST) MIB: share of the aggregate
reach() {
    pids=
    for i in $(seq 0 $((OSTS - 1))); do
        rm -f "$R/f$i"
        sim setstripe -c 1 -i "$i" "$R/f$i"
        LUSTRE_SIM_CLIENT=$i limited "$SIM" run --root "$R" --profile "$1" \
            "$PROGS/hammer" stream "$R/f$i" "$3" >"$TMP/time$i" &
        pids="$pids $!"
    done
    # shellcheck disable=SC2086 # a list
    wait $pids
    # The job takes as long as its slowest writer.
    sort -n "$TMP"/time* | tail -n 1 |
        awk -v mib="$3" -v bw="$2" '{ printf "%.1f\n", 100 * mib / $1 / bw }'
}
# A machine that is busy sleeps too long: the share is told, and that a writer
# gets all of the bandwidth is tested in virtual time (timing.c).
for p in 'disk 40 120' 'flash 100 240'; do
    # shellcheck disable=SC2086 # name, bandwidth, MiB
    set -- $p
    share=$(reach "$1" "$2" "$3")
    diag "$1: $share % of $OSTS x $2 MiB/s"
    ok "$1: not more than all of its bandwidth" \
        awk "BEGIN { exit !($share > 0 && $share <= 103) }"
done
printf 'base disk\nbandwidth 80M\n' >"$TMP/mine"
share=$(reach "$TMP/mine" 80 120)
diag "from a file: $share %"
ok "nor of that of a profile from a file" \
    awk "BEGIN { exit !($share > 0 && $share <= 103) }"
tap_done
