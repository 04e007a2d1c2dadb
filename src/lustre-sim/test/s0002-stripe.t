#!/bin/sh
# s0002-stripe - setstripe and getstripe: options, texts, exit status of lfs
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
R=$TMP/root
echo 'fix: 1-2' >"$TMP/pools"
sim mkfs --pools "$TMP/pools" "$R" || exit 1

# set NAME WANTED OPTION...: setstripe, then count, size, first OST
set_is() {
    name=$1 want=$2
    shift 2
    sim setstripe "$@" "$R/$name" >"$TMP/out" 2>&1
    is "$(sim getstripe -c "$R/$name") $(sim getstripe -S "$R/$name")" \
        "$want" "$*"
}
osts() {
    "$SIM" getstripe "$1" | awk '/obdidx/ { on = 1; next }
        on && NF { printf "%s%s", sep, $1; sep = " " }'
}
set_is f1 "4 1048576" -c 4 -S 1M
set_is f2 "3 65536" -c 3 -S 64K -i 2
is "$(osts "$R/f2")" "2 3 0" "-i: from that OST on"
set_is f3 "8 1048576" -C 8 -S 1M
set_is f4 "3 4194304" -o 3,1,2
is "$(osts "$R/f4")" "3 1 2" "-o: exactly these"
set_is f5 "8 1048576" -o 0,1,0,2,1,2,3,3 -S 1M
set_is f6 "2 1048576" -p fix -c 2 -S 1M
like "$(osts "$R/f6")" '^(1 2|2 1)$' "OSTs of the pool"
is "$(sim getstripe -p "$R/f6")" fix "-p is shown"
sim setstripe -c 2 -S 1M "$R/both"
is "$(sim getstripe -c -S "$R/both")" "lmm_stripe_count:  2
lmm_stripe_size:   1048576" "-c -S: both, with their names"
is "$(sim getstripe -S "$R/both" -c)" "$(sim getstripe -c -S "$R/both")" \
    "in any order"
mkdir "$R/bothdir"
sim setstripe -c 3 -S 2M "$R/bothdir"
is "$(sim getstripe -d -c -S "$R/bothdir")" \
    "stripe_count:  3 stripe_size:   2097152" "of a directory in one line"
set_is f7 "4 4194304" -c -1
set_is f8 "4 2097152" --stripe-count=4 --stripe-size=2M

# The recorded answers of lfs: option, exit status, stripe count afterwards.
while IFS='|' read -r opt want count; do
    name=cx$((${i:=0} + 1)) i=$((i + 1))
    # shellcheck disable=SC2086 # options
    is "$(status sim setstripe $opt "$R/$name")" "$want" \
        "setstripe $opt: exit $want"
    case $count in
    none) like "$(sim getstripe "$R/$name")" 'has no stripe info' \
        "then: no stripe info" ;;
    absent) not_ok "then: not created" test -e "$R/$name" ;;
    *) is "$(sim getstripe -c "$R/$name")" "$count" "then: $count stripes" ;;
    esac
done <<'END'
-S 1000|4|absent
-c 5|0|4
-C 2001|4|absent
-C 200|0|200
-C 1000|0|1000
-C -1|0|4
-C -8|0|32
-p nosuch|22|absent
-o 0,0|0|2
-o 0,9|22|none
-i 9|22|none
END
is "$(status sim setstripe -c 4 "$R/f1")" 17 "a file with objects: exit 17"
like "$(cat "$TMP/out")" 'stripe already set' "and lfs's words"
is "$(status sim setstripe -c 4)" 4 "no file: exit 4"
is "$(status sim setstripe -c 4 "$TMP/elsewhere")" 25 "elsewhere: ENOTTY"
not_ok "elsewhere nothing is created" test -e "$TMP/elsewhere"
is "$(status sim getstripe "$R/nosuch")" 2 "getstripe of nothing: ENOENT"

# Longer than an xattr may be on many file systems.
ok "2000 stripes" sim setstripe -C 2000 "$R/long"
is "$(sim getstripe -c "$R/long")" 2000 "are kept"
mv "$R/long" "$R/moved"
is "$(sim getstripe -c "$R/moved")" 2000 "also when renamed outside"
cp -a "$R/f1" "$R/f1copy" 2>/dev/null
like "$(sim getstripe "$R/f1copy")" 'has no stripe info' \
    "a copy with all attributes is not the original"

# Composite layouts
PFL='-E 4M -c 1 -S 1M -E 64M -c 2 -S 1M -E -1 -c 4 -S 4M'
# shellcheck disable=SC2086 # options
ok "$PFL" sim setstripe $PFL "$R/pfl"
inits() {
    "$SIM" getstripe "$1" | awk '$1 == "lcme_flags:" {
        printf "%s%s", sep, $2; sep = " " }'
}
gen() {
    "$SIM" getstripe "$1" | awk '$1 == "lcm_layout_gen:" { print $2 }'
}
is "$(inits "$R/pfl") gen $(gen "$R/pfl")" "init 0 0 gen 3" \
    "only the first component has objects"
poke() {
    sim run --root "$R" dd if=/dev/zero of="$R/$1" bs=1 count=1 seek="$2" \
        conv=notrunc,fsync status=none
}
poke pfl 0
is "$(inits "$R/pfl") gen $(gen "$R/pfl")" "init 0 0 gen 3" \
    "a write into it changes nothing"
poke pfl 5242880
is "$(inits "$R/pfl") gen $(gen "$R/pfl")" "init init 0 gen 4" \
    "a write at 5M makes the second"
poke pfl 104857600
is "$(inits "$R/pfl") gen $(gen "$R/pfl")" "init init init gen 5" \
    "a write at 100M the third"
# shellcheck disable=SC2086 # options
sim setstripe $PFL "$R/pfl2"
poke pfl2 104857600
is "$(inits "$R/pfl2") gen $(gen "$R/pfl2")" "init init init gen 4" \
    "or both at once"
ok "-L mdt" sim setstripe -E 1M -L mdt -E -1 -c 4 -S 1M "$R/dom"
is "$(inits "$R/dom") gen $(gen "$R/dom")" "init 0 gen 2" "first on the MDT"
poke dom 0
is "$(total "$R" write_bytes)" 4 "bytes on the MDT are on no OST"
sim setstripe -E 4M -c 1 -E 64M -c 4 "$R/finite"
not_ok "no write past the last component" poke finite 67108864

# Directories
mkdir "$R/dir"
ok "a directory's default" sim setstripe -c 2 -S 4M "$R/dir"
is "$(sim getstripe -d "$R/dir" | sed -n 3p)" \
    "stripe_count:  2 stripe_size:   4194304 pattern:       raid0 stripe_offset: -1" \
    "getstripe -d"
sim run --root "$R" sh -c 'cd "$LUSTRE_SIM_ROOT/dir" && : >child && mkdir sub &&
    : >sub/child'
is "$(sim getstripe -c "$R/dir/child") $(sim getstripe -c "$R/dir/sub/child")" \
    "2 2" "files and subdirectories inherit it"
# shellcheck disable=SC2086 # options
ok "a composite default" sim setstripe $PFL "$R/dir"
sim run --root "$R" touch "$R/dir/child2"
is "$(inits "$R/dir/child2") gen $(gen "$R/dir/child2")" "init 0 0 gen 3" \
    "is inherited too"
ok "setstripe -d" sim setstripe -d "$R/dir"
sim run --root "$R" touch "$R/dir/child3"
is "$(sim getstripe -c "$R/dir/child3")" 1 "removes the default"
sim setstripe -c 3 "$R"
sim run --root "$R" touch "$R/dir/child4"
is "$(sim getstripe -c "$R/dir/child4")" 3 "the root's default is for all"

# Texts: as lfs prints recorded layouts
for f in "$SRC"/src/mpi/romio/adio/ad_lustre/core/test/layouts/*.bin; do
    name=$(basename "$f" .bin)
    case $name in dir_*_child) ;; dir_*) continue ;; esac
    : >"$R/$name"
    "$PROGS/putlov" "$R/$name" "$f" || diag "putlov $name"
    # FIDs and names are other ones here.
    sim getstripe "$R/$name" 2>&1 |
        sed -E '1d; /lmm_(seq|object_id|fid)/d' >"$TMP/got"
    sed -E '1d; /lmm_(seq|object_id|fid)/d' "${f%.bin}.txt" >"$TMP/want"
    ok "getstripe of $name" diff "$TMP/want" "$TMP/got"
done
tap_done
