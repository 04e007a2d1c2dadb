#!/bin/sh
# t6004-json - the JSON report, advice, CSV over time, files left open
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
. "$SRC/src/mpi/romio/test/reports.sh"
command -v python3 >/dev/null || skip_all "no python3 to read JSON with"
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 2 || exit 1
rep=$TMP/rep

# get FILE LINE EXPRESSION: of a line of JSON, with r the document
get() {
    sed -n "$2p" "$1" | python3 -c "import json, sys
r = json.load(sys.stdin)
print($3)"
}

# ---- everything in it ----
export ROMIO_LUSTRE_REPORT="$rep/%f.%j.json"
mkdir "$rep"
SLURM_JOB_ID=77/1 access 4 -h striping_factor=4 -h cb_nodes=99 "$SIM/one" \
    coll=4,$M rcoll=2,$M ind=1,3,100,0
f=$rep/one.77_1.json
ok "the name has file and job" test -f "$f"
is "$(cat "$TMP/err" | grep -c '^|')" 0 "nothing is printed"
is "$(wc -l <"$f")" 1 "one line"
is "$(get "$f" 1 'r["schema"], r["version"]')" "romio-lustre-report 1" \
    "schema and version"
is "$(get "$f" 1 'r["file"]')" "$SIM/one" "the file's name"
is "$(get "$f" 1 'r["ranks"], r["nodes"], r["job"]')" "4 1 77/1" "who"
is "$(get "$f" 1 'r["write"]["counters"]["collective_calls"]')" 16 "writes"
is "$(get "$f" 1 'r["write"]["counters"]["system_calls"]')" \
    "$(counted writes)" "system writes: as counted"
is "$(get "$f" 1 'r["read"]["counters"]["system_bytes"]')" "$(counted read)" \
    "bytes read: as counted"
is "$(get "$f" 1 'r["write"]["counters"]["independent_calls"]')" 3 "independent"
is "$(get "$f" 1 'sum(s["calls"] for s in r["write"]["sizes"])')" \
    "$(counted writes)" "the histogram has all of them"
is "$(get "$f" 1 '[(s["from"], s["calls"]) for s in r["write"]["sizes"]
    if s["calls"]]')" "[(0, 3), (1048576, 16)]" "by size"
is "$(get "$f" 1 'sum(o["bytes"] for o in r["write"]["osts"])')" \
    "$(counted written)" "the OSTs' bytes are all bytes"
# Each OST by its own server. Three times 100 bytes were written twice.
get "$f" 1 '"\n".join("%d %d" % (o["ost"], o["bytes"]) for o in
    sorted(r["write"]["osts"], key=lambda o: o["ost"]))' >"$TMP/ours"
"$LUSTRE_SIM" stats "$SIM" | sed -n \
    's/^ost \([0-9]*\):.* write_bytes=\([0-9]*\).*/\1 \2/p' >"$TMP/theirs"
is "$(wc -l <"$TMP/ours")" 4 "4 OSTs"
within 0 "$(paste -d ' ' "$TMP/ours" "$TMP/theirs" | awk '{ d = $2 - $4
    if (d < 0) d = -d; if ($1 != $3) d = 1e9; if (d > max) max = d }
    END { print max + 0 }')" 300 "each OST's bytes: as its server counted"
is "$(get "$f" 1 '[(h["requested"], h["requested_by"], h["effective"],
    h["origin"]) for h in r["hints"] if h["name"] == "cb_nodes"]')" \
    "[('99', 'info', '4', 'adjusted')]" "a hint: requested and effective"
is "$(get "$f" 1 'r["layout"]["stripe_count"], r["layout"]["stripe_size"],
    len(r["layout"]["components"][0]["osts"])')" "4 1048576 4" "layout"
is "$(get "$f" 1 'sorted(a["rank"] for a in r["aggregators"])')" \
    "[0, 1, 2, 3]" "placement"
is "$(get "$f" 1 'r["aggregators"][0]["node"]')" "$(uname -n)" "with nodes"
within 98 "$(get "$f" 1 '100 * sum(p["ave_ns"] for k, p in
    r["write"]["phases"]["io_ranks"].items() if isinstance(p, dict)) /
    r["write"]["phases"]["io_ranks"]["total_ns"]')" 102 "phases add up"
is "$(get "$f" 1 'r["open_at_finalize"]')" False "it was closed"

# ---- advice ----
access 4 -h striping_factor=1 "$SIM/two" coll=20,$M
is "$(get "$rep/two.0.json" 1 '[a["rule"] for a in r["advice"]][:1]')" \
    "['one_ost']" "advice in the report"
unset ROMIO_LUSTRE_REPORT
ROMIO_LUSTRE_ADVICE=1 access 4 -h striping_factor=1 "$SIM/two" coll=20,$M
like "$(cat "$TMP/err")" "^romio-lustre: advice for $SIM/two: stripe count 1: \
one OST took 100 % of 80 MiB: try striping_factor=4\$" "and printed if asked"
access 4 -h striping_factor=1 "$SIM/two" coll=20,$M
is "$(cat "$TMP/err")" "" "not otherwise"

# ---- several files, in the order of closing; a file left open ----
ROMIO_LUSTRE_REPORT=$rep/all.json MPICH_MPIIO_STATS=1 MPICH_MPIIO_TIMERS=1 \
    access 4 "$SIM/a" coll=1,$M next coll=2,$M next coll=3,$M open
is "$(sed -n 's/^| MPIIO write access patterns for .*\///p' "$TMP/err" |
    tr '\n' ' ')" "a a.2 a.3 " "blocks in the order of closing"
is "$(field 'collective writes' | tr '\n' ' ')" "4 8 12 " "with their numbers"
# MPICH's own words about the open file are not ours.
grep -v ' yaksa: ' "$TMP/err" |
    awk '/^\+/ { inside = !inside; next } !inside || !/^\|/' >"$TMP/mix"
is "$(cat "$TMP/mix")" "" "whole blocks, nothing between the lines"
is "$(get "$rep/all.json" 3 'r["file"][-3:], r["open_at_finalize"]')" \
    "a.3 True" "a file left open is reported at MPI_Finalize"
is "$(wc -l <"$rep/all.json")" 3 "a line a file"
ROMIO_LUSTRE_REPORT=$rep/absent/x access 2 "$SIM/a" coll=1,$M
like "$(cat "$TMP/err")" 'ROMIO_LUSTRE_REPORT=.*/absent/x: No such file' \
    "a report that cannot be written: one line"

# ---- level 2 ----
MPICH_MPIIO_STATS=2 MPICH_MPIIO_STATS_FILE=$rep/bins \
    MPICH_MPIIO_STATS_INTERVAL_MSEC=100 \
    access 4 "$SIM/b" coll=2,$M late=0,250 coll=2,$M,$((8 * M)) next rcoll=1,9
is "$(ls "$rep" | grep -c '^bins\.[0-3]\.csv$')" 4 "a CSV file a rank"
is "$(head -n 1 "$rep/bins.3.csv")" "start_ms,file,write_calls,\
system_writes,bytes_written,write_us,read_calls,system_reads,bytes_read,\
read_us" "the columns' names"
# sum COLUMN: over all ranks and bins
sum() {
    cat "$rep"/bins.*.csv | awk -F , -v c="$1" '
        /^[0-9]/ { n += $c } END { print n + 0 }'
}
is "$(sum 3)" 16 "MPI writes of all ranks and bins"
is "$(sum 4)" "$(counted writes)" "system writes: as counted"
is "$(sum 5)" "$(counted written)" "bytes"
is "$(sum 7)" 4 "MPI reads"
is "$(awk -F , '/^[0-9]/ && $1 % 100' "$rep"/bins.*.csv)" "" \
    "bins start at multiples of the interval"
within 2 "$(awk -F , '/^[0-9]/ && $3 { print $1 }' "$rep/bins.0.csv" |
    sort -u | wc -l)" 9 "a pause divides them"
like "$(cat "$rep/bins.0.csv")" "^[0-9]+,\"$SIM/b.2\"," "both files are in it"
is "$(grep -c '^| MPIIO' "$TMP/err")" 2 "level 2 includes level 1"
MPICH_MPIIO_STATS=2 MPICH_MPIIO_STATS_FILE=$rep/bins access 2 "$SIM/b" \
    coll=1,$M
is "$(grep -c '^start' "$rep/bins.0.csv") $(grep -c '^[0-9]' \
    "$rep/bins.0.csv")" "1 1" "the next run begins anew"

tap_done
