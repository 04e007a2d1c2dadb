#!/bin/sh
# l0007-page - the pages, seen by a browser: drawn, no error, text and numbers
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
A=$DATA/a_indep.all_first3000.gz
D=$DATA/d_fight.handl.gz
P=$TMP/page.html

ok "a page" "$PROF" report -o "$P" --title "A <run>" "$A"
like "$(cat "$P")" '<title>A &lt;run&gt;</title>' "with its title"
is "$(grep -cE '(src|href)="[^d#]|@import|url\(h' "$P")" 0 \
    "nothing is fetched from elsewhere"
ok "every svg is closed" sh -c '[ "$(grep -o "<svg" "$1" | wc -l)" = \
    "$(grep -o "</svg>" "$1" | wc -l)" ]' - "$P"
ok "a comparison" "$PROF" diff -o "$TMP/diff.html" "$A" "$D"
# reads N BYTES MICROSECONDS: the log of N reads, one every so often
reads() {
    awk -v n="$1" -v bytes="$2" -v us="$3" 'BEGIN {
        host = "00000100:00100000:0.0:%.6f:0:9:0:(service.c:2543:" \
            "ptlrpc_server_handle_request()) Handling RPC pname:cluuid+ref:" \
            "pid:xid:nid:opc:job ll_ost_io00_000:943ff9fc-99de-4f03-b768-" \
            "4def5c5a04ab+7:5:x%d:12345-192.168.1.1@o2ib:3:ior.0\n"
        bulk = "00000100:00000200:0.0:%.6f:0:9:0:(niobuf.c:333:" \
            "ptlrpc_start_bulk_transfer()) Transferring %d pages %d bytes " \
            "via portal 8 id 12345-192.168.1.1@o2ib mbits 0x1-0x1\n"
        for (i = 0; i < n; i++) {
            t = 1795016112 + i * us / 1e6
            printf host, t, 100 + i
            printf bulk, t + 1e-6, bytes / 4096, bytes
        }
    }'
}
# side N: the rates at its axes and legends, and the times below
side() {
    awk -v n="$1" '/<section><h2>/ { part++ } part == n' "$TMP/diff.html" |
        grep -oE '>[0-9.]+ ([KMG]iB/s|m?s)<' | sort -u
}
# Each side alone would have a scale of its own: other periods, other rates, and
# slices of time of another width, because it has more requests or fewer.
reads 440 262144 5000 >"$TMP/many.log"
for few in "47 2883584 17000" "20 4194304 3000" "300 65536 40000" "9 1048576 90"; do
    # shellcheck disable=SC2086 # three numbers
    reads $few >"$TMP/few.log"
    ok "of 440 reads and $few" "$PROF" diff -o "$TMP/diff.html" \
        "$TMP/many.log" "$TMP/few.log"
    like "$(side 1)" 'iB/s' "it has axes"
    is "$(side 2)" "$(side 1)" "both sides have the same scale"
done
ok "of logs without sizes" "$PROF" report -o "$TMP/plain.html" "$D"
like "$(cat "$TMP/plain.html")" 'requests are shown instead of bytes' \
    "which the page says"
ok "the driver's report" "$PROF" report -o "$TMP/driver.html" \
    "$SRC/src/mpi/romio/adio/ad_lustre/core/test/golden/report.json"
like "$(cat "$TMP/driver.html")" 'Phases of writes' "its phases are shown"
like "$(cat "$TMP/driver.html")" 'striping_factor=2' "and its hints"

browser=$(command -v chromium || command -v chromium-browser) || browser=
# look FILE ARGUMENT...: with the browser; errors of the page's in err
look() {
    page=$1
    shift
    timeout -k 5 180 "$browser" --headless --no-sandbox --disable-gpu \
        --no-first-run --disable-background-networking --hide-scrollbars \
        --enable-logging=stderr --user-data-dir="$TMP/browser" "$@" \
        "file://$page" >"$TMP/out" 2>"$TMP/err" </dev/null
}
if [ -z "$browser" ]; then
    skip 14 "no chromium here"
    tap_done
    exit 0
fi
# a copy whose script notes what a reader would meet
sed 's|</body>|<script>window.onload=function(){var n=document.querySelectorAll("[data-tip]").length,c=document.querySelector(".heat"),r=c.getBoundingClientRect();c.dispatchEvent(new MouseEvent("mousemove",{bubbles:true,clientX:r.x+1,clientY:r.y+1}));var t=document.getElementById("tip");document.title="marks="+n+" tip="+t.style.display+" text="+t.textContent.split("\\n")[0]+" wide="+(document.documentElement.scrollWidth<=innerWidth)}</script></body>|' \
    "$P" >"$TMP/probe.html"
for size in 1280,800 420,900; do
    ok "the browser reads it, $size" look "$TMP/probe.html" \
        --window-size=$size --dump-dom
    like "$(cat "$TMP/out")" 'marks=[1-9][0-9]{2}' "hundreds of marks have values"
    like "$(cat "$TMP/out")" 'tip=block text=OST000' "which are shown at the pointer"
    like "$(cat "$TMP/out")" 'wide=true' "nothing sticks out"
    is "$(grep -c 'CONSOLE\|Uncaught' "$TMP/err")" 0 "no error on the console"
done
like "$(cat "$TMP/out")" 'Nearly every client writes to every OST' \
    "the findings are there"
ok "a picture" look "$P" --window-size=1280,2600 --screenshot="$TMP/light.png"
ok "a dark one" look "$P" --window-size=1280,2600 --force-dark-mode \
    --screenshot="$TMP/dark.png"
ok "both are drawn, and differ" sh -c '
    [ "$(head -c 4 "$1/light.png" | tail -c 3)" = PNG ] &&
    [ "$(wc -c <"$1/light.png")" -gt 50000 ] &&
    [ "$(wc -c <"$1/dark.png")" -gt 50000 ] &&
    ! cmp -s "$1/light.png" "$1/dark.png"' - "$TMP"
tap_done
