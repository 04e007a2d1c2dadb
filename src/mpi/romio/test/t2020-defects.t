#!/bin/sh
# t2020-defects - what is wrong in ROMIO's own Lustre driver is right here
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Each case has a number; a remark tells what the stock
# driver does in the same case.
. "$(dirname "$0")/oracle.sh"
TIMEOUT=${ADL_TIMEOUT:-120}
[ -x "$SIM" ] || skip_all "no lustre-sim at $SIM"

tap_plan 26

ok "the program compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/defects" \
    "$here/defects.c"
ok "the counter of fsync compiles" cc -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/fsync.so" "$here/count_fsync.c" -ldl
ok "the program for it compiles" "$MPICC" -o "$TMP/sync" "$here/sync.c"

R=$FAST/sim
"$SIM" mkfs --osts 4 --stripe-count 2 --stripe-size 1M "$R"
OURS=$PLUGIN
STOCK=$BUILD/libromio_stock.so
FAULT=
LIB=$OURS
MORE=
# on_sim N PROG ARG...: N ranks, each a client, with $LIB
on_sim() {
    n=$1
    shift
    limited "$SIM" run --root "$R" ${FAULT:+--fault "$FAULT"} "$MPIEXEC" \
        -n "$n" -genv LD_PRELOAD "$MORE$CALM:$LIB:$("$SIM" --preload)" "$@" \
        </dev/null
}
# stock CMD...: what the stock driver does, as a remark
stock() {
    [ -f "$STOCK" ] || return 0
    LIB=$STOCK
    rc=0
    (TIMEOUT=10 && "$@") >"$TMP/stock" 2>&1 || rc=$?
    LIB=$OURS
    case $rc in
    0) diag "stock: passes" ;;
    124 | 137) diag "stock: hangs" ;;
    *) diag "stock: fails, $(grep -m 1 -e 'defects.c' -e signal "$TMP/stock")" ;;
    esac
}
total() {
    "$SIM" stats "$R" | sed -n "s/^total:.* $1=\([0-9]*\).*/\1/p" | grep . ||
        echo 0
}

# ---- 1: MPI_File_sync ----
MORE=$TMP/fsync.so:
out=$(on_sim 3 "$TMP/sync" collective "lustre:$R/sync" 2>&1)
like "$out" 'fsync [1-9]' "1: MPI_File_sync calls fsync on Lustre"
MORE=

# ---- 2: holes ----
rm -f "$R/f"
ok "2: holes in a collective write stay zero" \
    on_sim 4 "$TMP/defects" holes "lustre:$R/f"
rm -f "$R/f"
sim_fresh "$R"
ok "2: foreign bytes in holes stay" on_sim 4 "$TMP/defects" foreign \
    "lustre:$R/f"
sim_fresh "$R"
on_sim 4 "$TMP/defects" gaps "lustre:$R/f" >/dev/null 2>&1
is "$(total write_bytes) $(total read_bytes)" "25600 0" \
    "2: nothing is read in order to write, nothing else written"
sim_fresh "$R"
stock on_sim 4 "$TMP/defects" gaps "lustre:$R/f"
diag "stock: $(total write_bytes) bytes written, $(total read_bytes) read"

# ---- 3: errors ----
# same CLASS DESC: all four ranks got it, and no bytes
same() {
    is "$(grep -c "^rank [0-3]: $1, 0 bytes" "$TMP/out")" 4 "$2"
}
for case in 'write:n=1:errno=EIO:client=0 IO' 'write:n=3:errno=EIO IO' \
    'write:errno=ENOSPC:client=0 NO_SPACE' 'ost=1:dead IO' \
    'ost=0:full;ost=1:full;ost=2:full;ost=3:full NO_SPACE'; do
    FAULT=${case% *}
    rm -f "$R/f"
    rc=0
    on_sim 4 "$TMP/defects" error "lustre:$R/f" >"$TMP/out" 2>&1 || rc=$?
    [ $rc -lt 124 ] || diag "exit status $rc"
    same "${case##* }" "3: $FAULT: the same error on all ranks"
done
FAULT='write:n=1:errno=EIO:client=0'
rm -f "$R/f"
stock on_sim 4 "$TMP/defects" error "lustre:$R/f"
MPIR_CVAR_NUM_CLIQUES=2
export MPIR_CVAR_NUM_CLIQUES
rm -f "$R/f"
on_sim 4 "$TMP/defects" error "lustre:$R/f" >"$TMP/out" 2>&1
same IO "3: between nodes too"
unset MPIR_CVAR_NUM_CLIQUES
FAULT='write:short=1000'
rm -f "$R/f"
ok "3: short writes are continued" on_sim 4 "$TMP/defects" blocks "lustre:$R/f"
is "$(stat -c %s "$R/f")" $((4 * 64 * 65536)) "3: to the end"
FAULT=

# ---- 4, 6: striping ----
rm -f "$R/f"
out=$(on_sim 4 "$TMP/defects" setview "lustre:$R/f" 2>/dev/null)
like "$("$SIM" getstripe "$R/f")" 'stripe_count: *2' \
    "4: striping_unit alone keeps the directory's stripe count"
like "$("$SIM" getstripe "$R/f")" 'stripe_size: *262144' "4: and is obeyed"
is "$out" "striping_unit 262144" "6: set_view changes no layout"

# ---- 5: another file system ----
ok "5: lustre: forced on another file system" limited "$MPIEXEC" -n 4 \
    -genv LD_PRELOAD "$CALM:$PLUGIN" "$TMP/defects" blocks "lustre:$FAST/g"

# ---- 7: composite files ----
rm -f "$R/f"
"$SIM" setstripe -E 1M -c 1 -S 64K -E 4M -c 2 -S 128K -E -1 -c 4 -S 256K "$R/f"
sim_fresh "$R"
ok "7: a composite file" on_sim 4 "$TMP/defects" blocks "lustre:$R/f"
is "$(total bl_callback)" 0 "7: each object has one writer: no lock callbacks"
is "$(total write_bytes)" $((4 * 64 * 65536)) "7: every byte is written once"

# ---- 8: counts ----
rm -f "$R/f"
ok "8: read_all past the end tells what was there" \
    on_sim 4 "$TMP/defects" eof "lustre:$R/f"
rm -f "$R/f"
stock on_sim 4 "$TMP/defects" eof "lustre:$R/f"

# ---- 9: sieving ----
rm -f "$R/f"
ok "9: writes into the holes of a rank that sieves" on_sim 4 "$TMP/defects" \
    sieve "lustre:$R/f"
stock on_sim 4 "$TMP/defects" sieve "lustre:$R/f"

# ---- 8: counts beyond 2 GiB ----
if [ $FULL = yes ]; then
    for nodes in 1 2; do
        export MPIR_CVAR_NUM_CLIQUES=$nodes
        rm -f "$FAST/g"
        ok "8: over 2 GiB between two ranks, $nodes nodes" limited "$MPIEXEC" \
            -n 2 -genv LD_PRELOAD "$CALM:$PLUGIN" "$TMP/defects" big \
            "lustre:$FAST/g"
    done
else
    skip 2 "8: over 2 GiB between two ranks: only with ADL_CHECK_FULL=1"
fi
