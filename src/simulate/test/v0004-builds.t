#!/bin/sh
# v0004-builds - a case is the same run at other addresses and on another build
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../mpi/romio/test/lib.sh"
TIMEOUT=${ADL_TIMEOUT:-600}
SIMULATE=$BUILD/simulate
[ -x "$SIMULATE" ] ||
    skip_all "no simulate at $SIMULATE (x86_64 only; make check TESTS=)"
[ -f "$BUILD/Makefile" ] || skip_all "no build directory that make knows"

# cases of all programs, with and without hooks; 8100032: a rank's own mutex
numbers="2 5 11 12 13 23 447 8100032"

# hash_of SIMULATE NUMBER: of all events of a run
hash_of() {
    limited "$1" run "$2" 2>"$TMP/err" </dev/null |
        sed -n 's/.*hash \([0-9a-f]*\)$/\1/p'
}
# same SIMULATE TEXT: it has the hashes of $BUILD's
same() {
    for n in $numbers; do
        is "$(hash_of "$1" "$n")" "$(cat "$TMP/hash.$n")" "case $n, $2"
    done
}
# of_make VARIABLE: its words
of_make() {
    # shellcheck disable=SC2016 # make's
    printf 'include Makefile\nshow:\n\t@echo $(%s)\n' "$1" |
        make -s -C "$BUILD" -f - show | tail -n 1
}

for n in $numbers; do
    hash_of "$SIMULATE" "$n" >"$TMP/hash.$n"
    like "$(cat "$TMP/hash.$n")" "^[0-9a-f]{16}\$" "case $n has a hash"
done

# The kernel chooses the addresses (simulate itself asks it not to).
SIMULATE_AGAIN=1
export SIMULATE_AGAIN
same "$SIMULATE" "at random addresses"
unset SIMULATE_AGAIN

# The same objects, linked elsewhere behind others: no function and no variable
# of the driver has the address that it has in the build.
other=$TMP/other
mkdir "$other"
cat >"$TMP/shift.c" <<'EOT'
int shift_data[12345] = {1}, shift_bss[23456];
__asm__(".text\n.skip 34567\n");
EOT
# link NAME ARCHIVE...: a library of ranks in $other
link() {
    name=$1
    shift
    for a in "$@" $parts; do
        cp "$BUILD/$a" "$other/$a"
    done
    (cd "$other" && ar rb "$(ar t "$1" | head -n 1)" "$1" "$TMP/shift.o" &&
        "$SRC/src/simulate/link-ranks" "$other/$name" "$base" $parts "$@")
}
parts=$(of_make rank_parts) base=$(of_make ROMIO_BASE)
cp "$SIMULATE" "$other"
ok "objects that shift the others" gcc -O2 -fPIC -c -o "$TMP/shift.o" \
    "$TMP/shift.c"
# shellcheck disable=SC2046 # lists of archives
ok "linked again" link libranks.so $(of_make ranks_own)
# shellcheck disable=SC2046
ok "linked again, with hooks" link libranks-hooked.so $(of_make ranks_hooked)
address() {
    nm "$1" | sed -n 's/ .* simulate_program$//p'
}
not_ok "the addresses differ" \
    test "$(address "$BUILD/libranks.so")" = "$(address "$other/libranks.so")"
same "$other/simulate" "linked again"

# Everything compiled again, with the same options: where a compiler puts a call
# of memcpy, or a load that is not needed, is part of the run.
if [ $FULL = yes ]; then
    again() {
        mkdir "$TMP/src" "$TMP/build" &&
            (cd "$SRC" && tar -cf - --exclude=.git --exclude=./build \
                --exclude=./build-check --exclude=autom4te.cache .) |
            tar -xf - -C "$TMP/src" &&
            cd "$TMP/build" && "$TMP/src/configure" -q --without-openmpi &&
            make -j2 ADL_CFLAGS="$(of_make ADL_CFLAGS)" \
                CFLAGS="$(of_make CFLAGS)" simulate
    }
    ok "compiled again in another directory" again
    same "$TMP/build/simulate" "compiled again"
else
    skip 1 "compiled again: --full"
fi
tap_done
