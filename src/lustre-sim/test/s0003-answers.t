#!/bin/sh
# s0003-answers - SETSTRIPE and GETSTRIPE answer as a real Lustre answered
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
R=$TMP/root
LAYOUTS=$SRC/src/mpi/romio/adio/ad_lustre/core/test/layouts
ANSWERS=$SRC/src/lustre-sim/test/answers.txt
echo 'fix: 1-2' >"$TMP/pools"
sim mkfs --pools "$TMP/pools" "$R" || exit 1
mkdir "$R/a" "$R/b"

# Part 1: what was asked of new files. One test a line.
sim run --root "$R" "$PROGS/answers" "$R/a" >"$TMP/got"
grep -v '^GETSTRIPE ' "$ANSWERS" >"$TMP/want"
line=0
while IFS= read -r want; do
    line=$((line + 1))
    is "$(sed -n "${line}p" "$TMP/got")" "$want" \
        "$(echo "$want" | sed 's/  .*//' | cut -c1-60)"
done <"$TMP/want"
is "$(wc -l <"$TMP/got")" "$(wc -l <"$TMP/want")" "nothing else"

# Part 2: recorded layouts, put where setstripe would have put them.
put() {
    if [ "$2" = dir ]; then mkdir "$R/b/$1"; else : >"$R/b/$1"; fi
    "$PROGS/putlov" "$R/b/$1" "$LAYOUTS/$1.bin" || diag "no layout for $1"
}
for n in pfl_fresh pfl_w0 pfl_full dom mirror_stale sel foreign pool2 over8; do
    put $n file
done
printf x >"$R/b/pfl_w0"
truncate -s 104857601 "$R/b/pfl_full"
truncate -s 4096 "$R/b/mirror_stale"
put dir_plain dir
put dir_pfl dir
mkdir "$R/b/dir_none"
sim run --root "$R" python3 -c "
import os
os.close(os.open('$R/b/nolov_delay', os.O_CREAT | os.O_RDWR | 0o400 | 0o20000))
" 2>/dev/null || : >"$R/b/nolov_delay"
grep '^GETSTRIPE ' "$ANSWERS" | while read -r _ name _; do echo "$name"; done \
    >"$TMP/names"
# shellcheck disable=SC2046 # names
sim run --root "$R" "$PROGS/answers" "$R/b" $(cat "$TMP/names") >"$TMP/got"
grep '^GETSTRIPE ' "$ANSWERS" >"$TMP/want"
line=0
while IFS= read -r want; do
    line=$((line + 1))
    is "$(sed -n "${line}p" "$TMP/got")" "$want" \
        "GETSTRIPE $(sed -n "${line}p" "$TMP/names")"
done <"$TMP/want"
tap_done
