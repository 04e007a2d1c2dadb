#!/bin/sh
# b0008-scale - the suite of the simulated machine, and the page of its results
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
[ -x "$BUILD/simulate" ] || skip_all "no simulate at $BUILD/simulate"

TIMEOUT=600
limited "$SRC/bench/lbench" run scale --build "$BUILD" --dir "$TMP" \
    --out "$TMP/out" --ranks 64 --sets sim-interleaved >"$TMP/said" \
    2>"$TMP/err" </dev/null
is $? 0 "records in turn, 64 ranks"
like "$(cat "$TMP/err")" "3 launches in [0-9]+:[0-9]+" "the time of it all"

# value SET VARIANT PHASE: of the results
value() {
    awk -F , -v set="$1" -v variant="$2" -v phase="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["set"] == set && $c["variant"] == variant && $c["phase"] == phase {
            print $c["value_s"]
        }' "$TMP/out/results.csv"
}
for variant in ours stock stock-lustre; do
    like "$(value simcount-interleaved $variant far_messages)" '^[1-9]' \
        "messages of $variant"
done
sum=$(awk -F , '$2 == "simkind-interleaved" { n += $8 } END { print n }' \
    "$TMP/out/results.csv")
ok "the kinds of messages are nearly all of them" test "$sum" -ge \
    $(($(value simcount-interleaved ours far_messages) * 2 / 3))

mkdir -p "$TMP/top/doc/pictures"
printf 'before\n<!-- scale: begin page -->\nold\n<!-- scale: end -->\nafter\n' \
    >"$TMP/top/doc/scale.md"
ok "the page" "$SRC/bench/scale-page" "$TMP/out" "$TMP/top"
is "$(sed -n '1p;$p' "$TMP/top/doc/scale.md" | tr '\n' ' ')" "before after " \
    "keeps what is around the marks"
like "$(cat "$TMP/top/doc/scale.md")" \
    "^\| interleaved \| 64 x 8 \| 64 \| [0-9.]+ / [0-9.]+ / [0-9.]+ \|" \
    "... and has a row of all three drivers"
is "$(grep -c old "$TMP/top/doc/scale.md")" 0 "... in place of the old ones"
not_ok "no results" "$SRC/bench/scale-page" "$TMP/nosuch" "$TMP/top"
tap_done
