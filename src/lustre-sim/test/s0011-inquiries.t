#!/bin/sh
# s0011-inquiries - what lfs and liblustreapi ask, answered below lustre-sim
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
R=$FAST/root
printf 'fix: 1-2\n' >"$TMP/pools"
ok "a root with a pool" sim mkfs --pools "$TMP/pools" "$R"
mkdir "$R/dir" "$R/plain"
sim setstripe -c 2 -S 1M "$R/two"
sim setstripe -c 3 "$R/dir"

# run NAME OPTION...: the program's own lines become ours
run() {
    name=$1
    shift
    sim run --root "$R" "$@" "$PROGS/inquiries" "$R" >"$TMP/lines" 2>"$TMP/err"
    while read -r line; do
        case $line in
        ok*) ok "$name: ${line#* - }" true ;;
        not*) ok "$name: ${line#* - }" false ;;
        esac
    done <"$TMP/lines"
    is "$(grep -c '^1\.\.' "$TMP/lines")" 1 "$name: to the end"
}
run "the calls of lfs"
is "$(cat "$TMP/err")" \
    "lustre-sim: ioctl 0xc0086696 ('f' 150): not known here" \
    "what is refused is said, and nothing else"
LUSTRE_SIM_HYBRID_IO=1 run "hybrid" --hybrid-io 1

# our own command, too, below itself
is "$(sim run --root "$R" "$SIM" getstripe -c "$R/two")" 2 "our getstripe"

ok "our setstripe of a new file" sim run --root "$R" "$SIM" setstripe -c 3 \
    -S 2M "$R/below"
is "$(sim getstripe -c "$R/below") $(sim getstripe -S "$R/below")" \
    "3 2097152" "as it says"

# lfs itself, where there is one
if command -v lfs >/dev/null; then
    # lfs ARG...: below lustre-sim
    below() {
        sim run --root "$R" lfs "$@"
    }
    ok "lfs getstripe FILE" below getstripe "$R/two"
    is "$(below getstripe -c "$R/two")" 2 "its count"
    like "$(below getstripe -d "$R/dir")" \
        "stripe_count: *3 stripe_size: *4194304" \
        "lfs getstripe -d, the size from /sys"
    ok "lfs setstripe -E" below setstripe -E 1M -c 1 -E -1 -c 2 "$R/comp"
    is "$(below getstripe --component-count "$R/comp")" 2 "its components"
    is "$(below find "$R" --stripe-count 2 -type f)" "$R/two" "lfs find"
    is "$(below find "$R" | grep -c lustre-sim)" 0 "nothing of ours in it"
    is "$(below df "$R" | grep -c OST)" 4 "lfs df"
    is "$(below osts "$R" | grep -c OST)" 4 "lfs osts"
    is "$(below mdts "$R" | grep -c MDT0000)" 1 "lfs mdts"
    like "$(below path2fid "$R/two")" "^.0x200000401:0x" "lfs path2fid"
    like "$(below data_version "$R/two")" "^[1-9][0-9]*$" "lfs data_version"
    like "$(below getname "$R")" "^lsim-[0-9a-f]*" "lfs getname"
    like "$(below pool_list lsim.fix)" "lsim-OST0001_UUID" "lfs pool_list"
else
    diag "no lfs here: the program that makes its calls stands for it"
fi

# A tool that is preloaded before us sees the program's files, not ours.
cat >"$TMP/spy.c" <<'EOT'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void say(const char *path)
{
    char line[4200];
    int n = snprintf(line, sizeof line, "opened %s\n", path);
    if (write(2, line, n) < 0)
        return;
}
int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int);
    va_end(ap);
    say(path);
    return next(path, flags, mode);
}
int open64(const char *path, int flags, ...)
    __attribute__((alias("open")));
int openat(int dir, const char *path, int flags, ...)
{
    int (*next)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
    va_list ap;
    va_start(ap, flags);
    int mode = va_arg(ap, int);
    va_end(ap);
    say(path);
    return next(dir, path, flags, mode);
}
int openat64(int dir, const char *path, int flags, ...)
    __attribute__((alias("openat")));
EOT
"${CC:-cc}" -shared -fPIC -o "$TMP/spy.so" "$TMP/spy.c" -ldl || exit 1
sim run --root "$R" env LD_PRELOAD="$TMP/spy.so:$(sim --preload)" \
    dd if=/dev/zero of="$R/spied" bs=64K count=1 status=none 2>"$TMP/seen"
is "$(grep -c "opened $R/spied" "$TMP/seen")" 1 "the program's file is seen"
is "$(grep -c 'lustre-sim' "$TMP/seen")" 0 "our own files are not"
tap_done
