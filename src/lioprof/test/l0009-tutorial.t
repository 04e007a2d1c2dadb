#!/bin/sh
# l0009-tutorial - the case studies: what the tutorial says is so; plots
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
need_plugin
need_sim
TIMEOUT=600
# figure NAME A B: both values of a row of the comparison
figure() {
    "$PROF" diff --format csv "$TMP/t/$2" "$TMP/t/$3" |
        sed -n "s/^$1,//p" | cut -d , -f 1,2
}
ok "a collective read" limited "$SRC/src/lioprof/tutorial/run" \
    --build "$BUILD" --dir "$TMP/t" --quick --only 1
is "$("$PROF" diff --format csv "$TMP/t/read-stock" "$TMP/t/read-ours" |
    awk -F , '/^"clients reading/ { print $3, $4 }')" "16.00 1.00" \
    "16 clients on each OST, then 1"
is "$(figure 'bytes read' read-stock read-ours)" "64 MiB,64 MiB" \
    "each byte comes from an OST once: no client has it from the program before"
is "$(figure 'blocking callbacks' read-stock read-ours)" "0,0" \
    "and no lock of that program is in the way"
like "$("$PROF" analyze -q -t findings "$TMP/t/read-stock")" \
    'Every client reads from every OST: 16 clients on each of 4 OSTs; a Lustre-aware read would use 1' \
    "which is found"
is "$("$PROF" analyze -q -t findings "$TMP/t/read-ours" | grep -c all_read_all)" \
    0 "and is gone"
like "$(cat "$TMP/t/read-ours.html")" 'The driver.* side of it' \
    "the page has the driver's report"
ok "the read of README.md's picture" limited "$SRC/src/lioprof/tutorial/run" \
    --build "$BUILD" --dir "$TMP/t" --quick --only 3
is "$("$PROF" diff --format csv "$TMP/t/stock ROMIO" "$TMP/t/romio-lustre" |
    awk -F , '/^"clients reading/ { print $3, $4 }')" "16.00 1.00" \
    "16 clients on each OST, then 1"
# README.md: 440 seeks and 4. Where clients meet, the number varies a little.
seeks=$(figure 'discontiguous requests' "stock ROMIO" romio-lustre)
diag "discontiguous requests: $seeks"
like "$seeks" '^[34][0-9][0-9],([1-9]|1[0-9])$' "hundreds of seeks, then a few"
if command -v gnuplot >/dev/null; then
    ok "plots" "$PROF" plot -o "$TMP/plots" "$TMP/t/read-stock"
    ok "are drawn" sh -c 'grep -q "</svg>" "$1/rates.svg" &&
        grep -q "</svg>" "$1/matrix.svg"' - "$TMP/plots"
else
    skip 2 "no gnuplot here"
fi
if pkg-config --exists hdf5-mpich 2>/dev/null; then
    ok "HDF5 metadata" limited "$SRC/src/lioprof/tutorial/run" \
        --build "$BUILD" --dir "$TMP/t" --quick --only 2
    like "$("$PROF" analyze -q -t findings "$TMP/t/hdf5-independent")" \
        '8 clients send [0-9]+ small reads' "each client fetches for itself"
    is "$("$PROF" analyze -q -t findings "$TMP/t/hdf5-collective" |
        grep -c shared_small_reads)" 0 "one does for all"
    small=$(figure 'requests below 64 KiB' hdf5-independent hdf5-collective)
    ok "with a fraction of the small requests ($small)" \
        [ "${small#*,}" -lt $((${small%,*} / 2)) ]
else
    skip 4 "no libhdf5-mpich-dev"
fi
tap_done
