#!/bin/sh
# t4005-large-counts - more than INT_MAX elements in one call
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/progress.sh"
need_plugin

# Each case writes and reads 2 GiB, in memory where there is room for it.
room() {
    df -Pk "$1" 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }'
}
dir=
for place in /dev/shm "$TMP"; do
    [ -w "$place" ] && [ "$(room "$place")" -ge 6 ] || continue
    dir=$(mktemp -d "$place/adl-large.XXXXXX") && break
done
[ -n "$dir" ] || skip_all "neither /dev/shm nor $TMP has 6 GiB free"
trap 'rc=$?; rm -rf "$dir"; tap_end $rc' EXIT
TIMEOUT=800

prog=$TMP/large
ok "the program compiles" "$MPICC" -O2 -Wall -Wextra -Werror -o "$prog" \
    "$here/large.c"
all=$("$prog" -L)
cases="at_all at_all.strided at at.strided"
[ "${ADL_MPI:-mpich}" = mpich ] || cases="at_all.strided iat"
[ "$FULL" = no ] ||
    cases="at_all.strided at.strided iat_all.strided iat.strided $all"
[ "$FULL" = yes ] || diag "other calls than write_at and write_at_all: with maint/check --full"
where=lustre:$dir/f
run_cases "plug-in" "$cases" plugin_run 2 "$prog"
[ "$FULL" = no ] || {
    where=ufs:$dir/f
    run_cases "plug-in, ROMIO's own driver" "at_all iat_all iat" \
        plugin_run 2 "$prog"
}
where=lustre:$dir/f
if [ -n "$fork" ] && [ -x "$fork/bin/mpiexec" ]; then
    ok "the program compiles for the fork" "$fork/bin/mpicc" -O2 -o "$prog" \
        "$here/large.c"
    [ "$FULL" = yes ] || cases="at_all.strided iat"
    run_cases "fork" "$cases" fork_run 2 "$prog"
elif [ "${ADL_MPI:-mpich}" = mpich ]; then
    skip 1 "no fork: set ADL_FORK to a prefix of maint/build-fork"
fi
tap_done
