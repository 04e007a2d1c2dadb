#!/bin/sh
# s0013-small - 500,000 small writes with gaps between them end soon
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Bounded by processor time, whatever else the machine does.
. "$(dirname "$0")/sim.sh"
tap_plan 4
cat >"$TMP/small.c" <<'EOC'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Pieces of 24 bytes with 8 between them; a second time over all of them. */
int main(int argc, char **argv)
{
    int fd = open(argv[argc - 1], O_CREAT | O_WRONLY, 0600);
    char piece[24];

    memset(piece, 'x', sizeof(piece));
    for (int turn = 0; turn < 2; turn++)
        for (long i = 0; i < 250000; i++)
            if (pwrite(fd, piece, sizeof(piece), i * 32) != sizeof(piece))
                return 1;
    return close(fd) != 0;
}
EOC
ok "the program compiles" cc -O2 -o "$TMP/small" "$TMP/small.c"
root=$FAST/small
rm -rf "$root"
"$SIM" mkfs --stripe-count 4 --stripe-size 1M "$root" >/dev/null
status=0
(
    # shellcheck disable=SC3045 # dash has it
    ulimit -t 60
    limited "$SIM" run --root "$root" "$TMP/small" "$root/f"
) || status=$?
is $status 0 "500,000 writes in a minute of processor time"
is "$(wc -c <"$root/f")" $((250000 * 32 - 8)) "all bytes are there"
"$SIM" drop "$root"
ok "the servers got them" [ "$("$SIM" stats "$root" |
    sed -n 's/^total:.* write_bytes=\([0-9]*\).*/\1/p')" -ge 6000000 ]
