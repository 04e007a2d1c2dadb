#!/bin/sh
# s0001-command - the command: help, mkfs, run, exit status, environment
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
R=$TMP/root

ok "help" sim --help
is "$(status "$SIM")" 2 "no command: usage"
is "$(status sim nosuch)" 2 "unknown command: usage"
for c in run mkfs setstripe getstripe stats reset drop; do
    is "$(sim "$c" --help | head -n 1 | cut -d' ' -f1-3)" \
        "Usage: lustre-sim $c" "$c --help"
done

ok "mkfs" sim mkfs --osts 6 --stripe-count 2 --stripe-size 1M "$R"
not_ok "mkfs again is refused" sim mkfs "$R"
is "$(status sim mkfs)" 2 "mkfs without a directory"
is "$(status sim mkfs --osts 0 "$TMP/x")" 2 "mkfs with no OSTs"
is "$(status sim mkfs --osts 1025 "$TMP/x")" 2 "mkfs with too many"
printf 'a: 0-1\nb 3,5 # comment\n\n' >"$TMP/pools"
ok "mkfs with pools" sim mkfs --osts=6 --pools "$TMP/pools" "$TMP/p"
printf 'a: 7\n' >"$TMP/pools"
not_ok "a pool with an OST that is not there" \
    sim mkfs --pools "$TMP/pools" "$TMP/q"
printf 'a: 0\n\0b: 7\n' >"$TMP/pools"
not_ok "a list of pools that is no text" \
    sim mkfs --pools "$TMP/pools" "$TMP/q"

sim run --root "$R" -- sh -c ': >"$LUSTRE_SIM_ROOT/f"'
is "$(sim getstripe -c "$R/f") $(sim getstripe -S "$R/f")" "2 1048576" \
    "files get the file system's default"
is "$(status sim run --root "$R" sh -c 'exit 7')" 7 "the command's status"
is "$(status sim run --root "$R" -- "$TMP/nosuch")" 127 "no such command"
is "$(status sim run --root "$R" -- "$TMP/pools")" 126 "not a program"
is "$(status sim run --root "$R")" 2 "no command"
is "$(status sim run --root "$R" --osts 5 true)" 2 "another number of OSTs"
is "$(status sim run --root "$R" --osts 6 true)" 0 "the same number"
ok "mkfs with 1,000 OSTs" sim mkfs --osts 1000 --stripe-count -1 \
    --stripe-size 64K "$TMP/many"
ok "a file on all of them" sim run --root "$TMP/many" \
    dd if=/dev/zero of="$TMP/many/f" bs=64000K count=1
is "$(sim getstripe -c "$TMP/many/f")" 1000 "... has 1,000 stripes"
is "$(sim stats "$TMP/many" | awk '/^ost /' | wc -l)" 1000 "... on 1,000 OSTs"
is "$(status sim run --nosuch 1 true)" 2 "unknown option"
is "$(status sim run --root "$R" --profile nosuch true)" 2 "unknown profile"
is "$(status sim run --root "$R" --fault x=1 true)" 2 "bad fault"
is "$(status sim run --root "$R" --fault ost=6:full true)" 2 \
    "a fault of an OST that is not there"
is "$(status sim run --root "$R" --trace /dev/null true)" 2 \
    "a trace that is no directory"
for name in HYBRID_IO NOFLOCK KEEP_CACHES; do
    option=--$(echo $name | tr A-Z_ a-z-)
    is "$(env LUSTRE_SIM_$name=1 "$SIM" run --root "$R" "$option" 0 \
        sh -c "echo \$LUSTRE_SIM_$name")" 0 "$option wins over the environment"
done
if [ -c /dev/full ]; then
    "$SIM" stats "$R" >/dev/full 2>"$TMP/err"
    is "$?" 1 "a disk that is full"
    like "$(cat "$TMP/err")" 'standard output: No space' "is told"
else
    skip 2 "no /dev/full"
fi
is "$(status sim run --root "$R" --clients 2 --ranks-per-client 2 true)" 2 \
    "--clients and --ranks-per-client"

ok "run makes the root" sim run --root "$TMP/new" --osts 3 true
is "$(sim stats "$TMP/new" | grep -c '^ost ')" 3 "with so many OSTs"
out=$(TMPDIR=$TMP sim run sh -c 'echo "$LUSTRE_SIM_ROOT"' 2>"$TMP/err")
like "$(cat "$TMP/err")" "^lustre-sim: root $TMP/lustre-sim\." \
    "without a root a new one is made, and said"
ok "and given to the command" test -d "$out/.lustre-sim"
is "$(LUSTRE_SIM_ROOT=$R sim run sh -c 'echo "$LUSTRE_SIM_ROOT"')" "$R" \
    "LUSTRE_SIM_ROOT is the default"
is "$(sim run --root "$R" stat -f -c %T "$R/f")" lustre \
    "stat -f says lustre"
is "$(LD_PRELOAD=libc.so.6 sim run --root "$R" sh -c 'echo "$LD_PRELOAD"')" \
    "libc.so.6:$BUILD/src/lustre-sim/liblustre_sim.so" \
    "behind what is preloaded already"
is "$(sim --preload)" "$BUILD/src/lustre-sim/liblustre_sim.so" "--preload"
is "$(sim run --root "$R" sh -c 'echo "$LUSTRE_SIM_PRELOAD"')" \
    "$(sim --preload)" "LUSTRE_SIM_PRELOAD"
ok "run in run" sim run --root "$R" "$SIM" run --root "$R" true

ok "cp, cmp and rm on it" sim run --root "$R" sh -c '
    cd "$LUSTRE_SIM_ROOT" && head -c 300000 /dev/urandom >a && cp a b &&
    cmp a b && cat a | cmp - b && mv b c && rm c && test ! -e c'
ok "others see ordinary files" test -s "$R/a"
ok "mkdir -p, find, tar" sim run --root "$R" sh -c '
    cd "$LUSTRE_SIM_ROOT" && mkdir -p d/e && cp a d/e/f &&
    tar cf t.tar d && rm -r d && tar xf t.tar && cmp a d/e/f &&
    test "$(find d -type f)" = d/e/f'
ok "stats" sim stats "$R"
like "$(sim stats --json "$R" | tr -d '\n')" '^\{"model":true.*\]\}$' \
    "stats --json"
if command -v python3 >/dev/null; then
    sim stats --json "$R" >"$TMP/json"
    ok "which is JSON" python3 -m json.tool "$TMP/json"
else
    skip 1 "no python3"
fi
like "$(sim stats --objects "$R")" '^object a component 0 stripe 0 ost ' \
    "objects have their files' names"
sim run --root "$R" sh -c 'exec 3<>"$LUSTRE_SIM_ROOT/a"; echo x >&3
    "$0" stats --locks "$LUSTRE_SIM_ROOT"' "$SIM" >"$TMP/locks"
like "$(cat "$TMP/locks")" '^  client 0 PW \[0, EOF\)' "--locks: who holds what"
ok "reset" sim reset "$R"
is "$(total "$R" write_bytes)" 0 "sets counters to 0"
is "$(status sim stats "$TMP")" 1 "stats elsewhere"
is "$(cd "$R/d/e" && "$SIM" stats | grep -c '^total')" 1 \
    "stats finds the root above"
tap_done
