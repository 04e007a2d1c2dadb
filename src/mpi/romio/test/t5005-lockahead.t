#!/bin/sh
# t5005-lockahead - lockahead where it cannot help, locks that others cancel, and
# the lockahead paper's claims on the time model
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

tap_plan 11
TIMEOUT=180

prog=$TMP/lockcase
ok "lockcase compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/lockcase.c"

# Every call is somewhere else: wrong guesses ask for less and less, then it
# is given up. One object, two owners: both write in each of 100 calls.
sim_mkfs --osts 1 >/dev/null
ok "writes in no order: right" node_run 2 8 "$prog" -r "$SIM/f" \
    striping_unit=65536 cray_cb_nodes_multiplier=2 cray_cb_write_lock_mode=2
said=$(cat "$TMP/.out")
is "$(echo "$said" | grep -c 'lockahead turned off')" 1 "it is turned off, said once"
like "$said" "lock mode in the end: 0" "MPI_File_get_info tells"
asked=$(sim_count lockahead)
diag "extents asked for: $asked"
ok "and few extents were asked for in vain" test "$asked" -le $((2 * 2000))

# Locks ahead that others have cancelled. Only the owner of the stripe asks
# again; it moves its window by the two stripes it has used meanwhile.
sim_mkfs --osts 4 >/dev/null
ok "an independent write ahead of collective ones: right" \
    node_run 4 8 "$prog" -n "$SIM/f" striping_factor=4 striping_unit=65536 \
    cray_cb_nodes_multiplier=2 cray_cb_write_lock_mode=2 \
    romio_lustre_cb_lock_ahead_num_extents=100
is "$(sim_count lockahead)" $((8 * 100 + 1 + 2)) \
    "the lock that it took away is asked for again, and no other"

# The lockahead paper's claims, by the suite of the papers
said=$(limited "$SRC/bench/lbench" run papers --build "$BUILD" --sets locks-flash \
    --labels 4_aggregators_an_OST --reps 1 --dir "$TMP" --out "$TMP/out" 2>&1)
echo "$said" | sed 's/^/# /'
like "$said" "holds: lockahead is twice as fast" \
    "mode 2 is twice as fast as mode 0"
like "$said" "holds: lockahead is as fast as the group lock" \
    "mode 2 is as fast as mode 1"
like "$said" "holds: lockahead reaches 80 %" \
    "mode 2 reaches 80 % of file per process"
is "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
    $c["variant"] == "mode0" { print $c["callbacks"] }' "$TMP/out/results.csv")" \
    0 "owners of an object on one node need no lockahead: no callback"
