#!/bin/sh
# s0006-ranks - MPI ranks: client nodes, counts that add up, traces
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
command -v "$MPICC" >/dev/null && command -v "$MPIEXEC" >/dev/null ||
    skip_all "no MPI"
"$MPICC" -o "$TMP/ranks" "$SRC/src/lustre-sim/test/ranks.c" || exit 1
R=$FAST/root
sim mkfs "$R"

# run N OPTION...: N ranks, 64 blocks of 64 KiB each, on 4 stripes. What the
# clients have cached and locked outlives the job: drop makes them write back.
run() {
    n=$1
    shift
    rm -f "$R/f"
    sim setstripe -c 4 -S 1M "$R/f"
    sim drop "$R"
    sim reset "$R"
    sim run --root "$R" "$@" "$MPIEXEC" -n "$n" "$TMP/ranks" "$R/f" 65536 64 &&
        sim drop "$R"
}
clients() {
    "$SIM" stats "$R" | grep -c '^client .*write_bytes'
}
# column PREFIX COUNTER: sum over the lines
column() {
    "$SIM" stats "$R" | sed -n "s/^$1 .* $2=\([0-9]*\).*/\1/p" |
        awk '{ s += $1 } END { print s + 0 }'
}
ok "16 ranks write concurrently" run 16
is "$(total "$R" write_bytes)" $((16 * 64 * 65536)) "no byte is lost"
is "$(clients)" 16 "every rank is a client"
is "$("$SIM" stats "$R" | grep -c '^client .*write_bytes=4194304')" 16 \
    "each with its own bytes"
ok "the file is right" "$PROGS/hammer" verify "$R/f" 16 65536 64
for c in enqueue grant conflict cancel cp_callback write_rpc write_bytes; do
    is "$(column client $c)" "$(column ost $c)" \
        "$c: clients and OSTs add up to the same"
done
is "$(column ost enqueue)" "$(column ost grant)" "every request was granted"
is "$(column ost cancel)" "$(column ost grant)" \
    "and every lock given back at the end"

ok "--ranks-per-client 4" run 8 --ranks-per-client 4
is "$(clients)" 2 "two clients"
ok "--clients 3" run 8 --clients 3
is "$(clients)" 3 "three clients"
ok "one client" run 4 --clients 1
is "$(total "$R" bl_callback)" 0 "does not conflict with itself"
ok "LUSTRE_SIM_CLIENT" env LUSTRE_SIM_CLIENT=9 "$SIM" run --root "$R" \
    dd if=/dev/zero of="$R/g" bs=4k count=1 status=none
like "$("$SIM" stats "$R")" '^client 9:' "is client 9"

ok "with a trace" run 4 --trace "$TMP/trace"
like "$(cat "$TMP"/trace/*)" \
    'ptlrpc_server_handle_request.*Handling RPC .*:4' "write RPCs are there"

ok "two jobs at once on one root" sh -c '
    "$1" run --root "$2" "$3" -n 4 "$4" "$2/j1" 65536 64 &
    "$1" run --root "$2" "$3" -n 4 "$4" "$2/j2" 65536 64 && wait $!' \
    - "$SIM" "$R" "$MPIEXEC" "$TMP/ranks"
ok "the first's file" "$PROGS/hammer" verify "$R/j1" 4 65536 64
ok "the second's file" "$PROGS/hammer" verify "$R/j2" 4 65536 64
tap_done
