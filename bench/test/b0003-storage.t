#!/bin/sh
# b0003-storage - devices and files below, through fio and obdfilter-survey
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
command -v fio >/dev/null || skip_all "no fio"

TIMEOUT=300
mkdir "$TMP/a" "$TMP/b" "$TMP/bin"
lbench=$SRC/bench/lbench

run() {
    status=0
    limited "$lbench" run storage --dir "$TMP" --out "$TMP/out" --seconds 1 "$@" \
        >"$TMP/said" 2>"$TMP/err" </dev/null || status=$?
}

run --targets "$TMP/a,$TMP/b" --sets storage-targets-4K --variants rand-read,mixed
is "$status" 0 "one and two targets"
diag_file "$TMP/said"
[ "$status" = 0 ] || diag_file "$TMP/err"
is "$(cut -d , -f 2,4,5 "$TMP/out/results.csv" | sed 1d | sort | tr '\n' ' ')" \
    "storage-targets-4K,1,mixed storage-targets-4K,1,rand-read \
storage-targets-4K,2,mixed storage-targets-4K,2,rand-read " "a row each"
is "$(cut -d , -f 9 "$TMP/out/results.csv" | sed 1d | grep -cE '^[1-9]')" 4 \
    "with a bandwidth"
is "$(ls "$TMP/a" "$TMP/b" | grep -c fio)" 0 "no file is left"
n=$("$lbench" run storage --dir "$TMP" --out "$TMP/dry" --dry-run 2>/dev/null |
    grep -c 'set=storage-[0-9]')
is "$n" $((12 * 3 * 5)) "the grid: 12 sizes, 3 queue depths, 5 modes"

# Lustre's survey, a stand-in with its form of output
cat >"$TMP/bin/obdfilter-survey" <<'EOT'
#!/bin/sh
# obdfilter-survey - a stand-in: the lines that the real one prints
cat <<EOO
Mon Nov 16 12:00:00 UTC 2026 Obdfilter-survey for case=disk from oss1
ost  1 sz  1048576K rsz 1024K obj    $nobjlo thr    $thrlo write  141.50 [ 96.77, 190.79] rewrite  209.47 [ 190.00, 229.00] read  300.25 [ 270.00, 310.00]
ost  1 sz  1048576K rsz 1024K obj    $nobjlo thr    $thrhi write  151.50 [ 96.77, 190.79] rewrite  199.47 [ 190.00, 229.00] read  290.25 [ 270.00, 310.00]
done!
EOO
EOT
chmod +x "$TMP/bin/obdfilter-survey"
PATH=$TMP/bin:$PATH run --sets obdfilter
is "$status" 0 "obdfilter-survey"
is "$(grep 'storage,obdfilter,4' "$TMP/out/results.csv" | cut -d , -f 7,9 |
    tr '\n' ' ')" "write,151.5 rewrite,209.47 read,300.25 " \
    "the best of its thread counts, by phase"
tap_done
