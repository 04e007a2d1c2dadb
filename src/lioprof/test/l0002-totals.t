#!/bin/sh
# l0002-totals - a log made by hand whose every total is known
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"

# request SECONDS THREAD SERVICE CLIENT XID OPC [UUID]: the paper's format
request() {
    echo "00000100:00100000:1.0:$1:0:$2:0:(service.c:2071:ptlrpc_server_handle_request()) Handling RPC pname:cluuid+ref:pid:xid:nid:opc $3:${7:-uuid-$4}+7:8424:x$5:12345-10.0.0.$4@o2ib:$6"
}
# extent SECONDS THREAD OST OBJECT FROM TO XID
extent() {
    echo "00002000:00100000:1.0:$1:0:$2:0:(ofd_dev.c:2708:ofd_rw_hpreq_check()) @@@ lustre-OST000$3 ll: refresh rw locks for [0x2:$4:0x0] ($5->$6)  req@0 x$7/t0(0) o4->u@n"
}
{
    request 100.000001 1 ll_ost00_000 1 16 101
    extent 100.100000 2 0 0xa 0 1048575 32
    request 100.100000 2 ll_ost_io00_000 1 32 4
    echo "00000100:00100000:1.0:100.200000:0:5:0:(client.c:1:f()) nothing of interest"
    extent 101.100000 2 0 0xa 1048576 2097151 48
    request 101.100000 2 ll_ost_io00_000 1 48 4
    extent 102.000000 3 1 0xb 0 8191 64
    request 102.000000 3 ll_ost_io00_001 2 64 3
    extent 103.000000 3 1 0xb 524288 1048575 80
    request 103.000000 3 ll_ost_io00_001 1 80 3
    request 103.500000 4 ldlm_cn00_000 1 96 103
    # called back by an OST, and, known by its uuid, by the metadata server
    request 103.600000 4 ldlm_cb00_000 2 112 104 LOV_OSC_UUID
    request 103.650000 4 ldlm_cb00_000 1 113 104
    request 103.660000 4 ldlm_cb00_000 2 114 104
    request 103.700000 6 mdt00_000 2 128 35
} >"$TMP/oss.log"
L=$TMP/oss.log

is "$(cell ost OST0000 writes "$L")" 2 "OST0000: writes"
is "$(cell ost OST0000 written_bytes "$L")" 2097152 "and bytes"
is "$(cell ost OST0000 clients "$L")" 1 "by one client"
is "$(cell ost OST0000 seeks "$L")" 1 "one seek: the second goes on"
is "$(cell ost OST0001 reads "$L")" 2 "OST0001: reads"
is "$(cell ost OST0001 read_bytes "$L")" $((8192 + 524288)) "and bytes"
is "$(cell ost OST0001 clients "$L")" 2 "by two clients"
is "$(cell ost OST0001 seeks "$L")" 2 "two seeks"
is "$(cell client 10.0.0.1@o2ib writes "$L")" 2 "client 1: writes"
is "$(cell client 10.0.0.1@o2ib reads "$L")" 1 "reads"
is "$(cell client 10.0.0.1@o2ib osts "$L")" 2 "on two OSTs"
is "$(cell client 10.0.0.1@o2ib lock_requests "$L")" 1 "a lock request"
is "$(cell client 10.0.0.1@o2ib cancels "$L")" 1 "a cancel"
is "$(cell client 10.0.0.2@o2ib callbacks "$L")" 1 "client 2: a callback"
is "$(cell client 10.0.0.1@o2ib callbacks "$L")" 0 \
    "none of the metadata server's"
is "$(cell ost MDT callbacks "$L")" 2 "which are its own"
is "$(cell overview "blocking callbacks" value "$L") $(cell overview \
    "blocking callbacks of metadata servers" value "$L")" "1 2" "in all"
is "$(cell client 10.0.0.2@o2ib read_bytes "$L")" 8192 "bytes read"
is "$(cell overview "requests to metadata servers" value "$L")" 1 "metadata"
is "$(sum ost_time read_bytes --interval 1s "$L")" $((8192 + 524288)) \
    "over time the bytes are the same"
is "$(cell ost_time 101000000 write --interval 1s "$L")" 1 "a write in second 1"
is "$(sum ost writes --from 101 "$L")" 1 "--from leaves out what came before"
is "$(sum ost writes --to 101 "$L")" 1 "--to what came later"
is "$(cell sizes "up to 8 KiB" reads "$L")" 1 "sizes: 8 KiB"
is "$(cell sizes "up to 1 MiB" writes "$L")" 2 "1 MiB"
is "$(cell object 0x2:0xb:0x0 read_bytes "$L")" $((8192 + 524288)) "objects"
is "$(cell imbalance "bytes of an OST" idle "$L")" 0 "no OST idle"
ratio=$("$PROF" analyze -q --format csv -t client_ost "$L" |
    awk -F , '$1 == "OST0001" && $2 ~ /0.1@/ { print $7 }')
is "$ratio" 0.984615 "client 1 had 98 % of OST0001"

is "$("$PROF" characterize -q --interval 1s --format csv -t bandwidth "$L" |
    awk -F , '$1 == "all" && $2 == "write" { print $3, $7, $8 }')" \
    "524288 1048576 2" "characterize: mean, peak, peak to mean"
is "$("$PROF" characterize -q --format csv -t size_peaks "$L" |
    awk -F , '$1 == "all" { print $2, $5, $6, $7, $8 }' | tr '\n' ';')" \
    "read 0.5 0.5 0 1;write 0 0 1 1;" "4-16 KiB, 512 KiB and 1 MiB"
is "$("$PROF" characterize -q --format csv -t directions "$L" |
    awk -F , '$1 == "all" { print $2, $3, $4 }')" "2 2 0.5" "reads and writes"
is "$("$PROF" characterize -q --interval 1s --format csv -t bursts "$L" |
    awk -F , '$1 == "OST0000" { print $2 }')" 0.5 "busy in half of the seconds"

# the same, without sizes: as the paper has them
grep -v hpreq_check "$L" >"$TMP/plain.log"
is "$(cell ost plain writes "$TMP/plain.log")" 2 "without OSTs: by the file"
is "$(cell ost plain written_bytes "$TMP/plain.log")" "" "bytes are left open"
is "$(cell ost plain written_bytes --rpc-size 1M "$TMP/plain.log")" 2097152 \
    "--rpc-size tells them"
gzip -c "$L" >"$TMP/oss.log.gz"
is "$(cell ost OST0000 written_bytes "$TMP/oss.log.gz")" 2097152 "compressed"
is "$("$PROF" analyze -q --format csv -t ost - <"$L" | grep -c "^OST")" 2 \
    "standard input"
# what cannot be opened twice
mkfifo "$TMP/pipe"
for f in "$L" "$TMP/oss.log.gz"; do
    cat "$f" >"$TMP/pipe" &
    is "$(sum ost reads "$TMP/pipe")" 2 "a pipe: ${f##*/}"
done
is "$(printf '{"schema":"romio-lustre-report","version":1}\n' |
    "$PROF" analyze -q --format csv -t overview - |
    grep 'reports of')" "reports of the driver,1" "a report on standard input"
ok "JSON is JSON" sh -c '"$1" analyze -q --format json "$2" |
    perl -MJSON::PP -e "local \$/; decode_json(<>)"' - "$PROF" "$L"
ok "a file for each table" "$PROF" analyze -q --format csv -o "$TMP/d" "$L"
is "$(head -n 1 "$TMP/d/client.csv")" \
    "client,reads,writes,read_bytes,written_bytes,share,osts,lock_requests,callbacks,cancels" \
    "with a head"
is "$("$PROF" diff --format csv "$L" "$TMP/oss.log.gz" |
    grep -vc ',same$')" 1 "diff of the same: all but the head is the same"
tap_done
