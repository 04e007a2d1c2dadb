#!/bin/sh
# s0010-stock - ROMIO's own ad_lustre, unmodified, on lustre-sim
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
STOCK=$BUILD/libromio_stock.so
[ -f "$STOCK" ] || skip_all "no stock plug-in at $STOCK"
"$MPICC" -o "$TMP/coll" "$SRC/src/lustre-sim/test/coll.c" || exit 1
R=$FAST/root
sim mkfs "$R"

# stock FACTOR RATIO BLOCKS: 4 ranks = 4 clients, BLOCKS MiB in all
stock() {
    rm -f "$R/f"
    sim drop "$R"
    sim reset "$R"
    sim run --root "$R" "$MPIEXEC" -n 4 \
        -genv LD_PRELOAD "$STOCK:$(sim --preload)" "$TMP/coll" "lustre:$R/f" \
        "$3" striping_factor "$1" striping_unit 1048576 \
        romio_lustre_co_ratio "$2" romio_cb_write enable cb_nodes 4 \
        cb_config_list '*:*' >"$TMP/hints" 2>"$TMP/err"
}
# counts: callbacks, enqueues and write RPCs of the OSTs
counts() {
    sim drop "$R" # what is dirty outlives the program
    echo "$(total "$R" bl_callback) $(total "$R" enqueue) $(total "$R" write_rpc)"
}
ok "4 OSTs, co_ratio 1" stock 4 1 64
diag_file "$TMP/err"
is "$(sim getstripe -c "$R/f") $(sim getstripe -S "$R/f")" "4 1048576" \
    "it sets the striping"
is "$(tr '\n' ' ' <"$TMP/hints")" \
    "striping_factor=4 striping_unit=1048576 " "and gets it back"
is "$(counts)" "0 4 16" "one lock an OST, no callback, 16 RPCs: as measured"
ok "the file is right" "$PROGS/hammer" verify "$R/f" 4 262144 64
ok "2 OSTs, co_ratio 1" stock 2 1 64
is "$(counts)" "0 2 16" "2 of 4 ranks write: as measured"

# Measured: 37 callbacks, 43 enqueues, 54 RPCs, depending on who is first.
ok "2 OSTs, co_ratio 2" stock 2 2 64
# shellcheck disable=SC2046 # three numbers
set -- $(counts)
diag "64 MiB: $1 callbacks, $2 enqueues, $3 write RPCs"
ok "two clients fight on each OST" test "$1" -ge 16
ok "nearly every stripe" test "$1" -le 64
big=$1
ok "the file is right" "$PROGS/hammer" verify "$R/f" 4 262144 64
ok "a quarter of it" stock 2 2 16
# shellcheck disable=SC2046 # three numbers
set -- $(counts)
diag "16 MiB: $1 callbacks"
ok "callbacks grow with what is written" test $((2 * $1)) -lt "$big"

ok "a file that is there keeps its layout" sh -c "
    rm -f '$R/f' && '$SIM' setstripe -c 3 -S 2M '$R/f'"
sim run --root "$R" "$MPIEXEC" -n 2 \
    -genv LD_PRELOAD "$STOCK:$(sim --preload)" "$TMP/coll" "lustre:$R/f" 8 \
    >"$TMP/hints" 2>"$TMP/err"
is "$(tr '\n' ' ' <"$TMP/hints")" \
    "striping_factor=3 striping_unit=2097152 " "and says so"
tap_done
