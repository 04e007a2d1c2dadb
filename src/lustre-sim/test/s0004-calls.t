#!/bin/sh
# s0004-calls - every intercepted call, from inside a program, and its counts
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"

# calls ROOT: the program's own tests become ours
calls() {
    sim mkfs "$1" && mkdir "$1/x" || exit 1
    sim run --root "$1" "$PROGS/calls" all "$1/x" >"$TMP/calls" 2>"$TMP/err"
    rc=$?
    grep -E '^(not )?ok ' "$TMP/calls" >"$TMP/points"
    while IFS= read -r point; do
        case $point in
        ok*) pass "$2: ${point#* - }" ;;
        *) fail "$2: ${point#* - }" ;;
        esac
    done <"$TMP/points"
    is "$rc" 0 "$2: the program's status"
    is "$(cat "$TMP/err")" \
        "lustre-sim: ioctl 0x40086663 ('f' 99): not known here" \
        "$2: an unknown ioctl is complained about, nothing else"
}
calls "$TMP/disk" "on disk"
if [ "$FAST" != "$TMP" ]; then
    calls "$FAST/mem" "in memory"
fi

R=$FAST/count
sim mkfs "$R"
sim setstripe -c 1 -S 1M "$R/count"
ok "1 MiB through each variant" sim run --root "$R" "$PROGS/calls" count "$R"
sim drop "$R" # what is dirty outlives the program
is "$(total "$R" write_bytes)" $((5 * 1048576)) "5 MiB written by RPCs"
is "$(total "$R" enqueue)" 1 "under one lock"
sim reset "$R"
ok "again, from the start" sim run --root "$R" dd if="$R/count" of=/dev/null \
    bs=1M status=none
is "$(total "$R" read_bytes)" $((5 * 1048576)) "5 MiB read by RPCs"

# Programs that the shell starts: descriptors through fork, dup and exec
sim reset "$R"
ok "redirection" sim run --root "$R" sh -c '
    cd "$LUSTRE_SIM_ROOT" && dd if=/dev/zero bs=100000 count=1 >redirected &&
    wc -c <redirected >/dev/null'
sim drop "$R"
is "$(sim getstripe -c "$R/redirected")" 1 "the file has its layout"
is "$(total "$R" write_bytes)" 100000 "and its bytes are counted"

# Locks and caches outlive a program, unless that is switched off.
# left KEEP CLIENT: callbacks and lock requests of a program of CLIENT that
# writes what one of client 0 has written
left() {
    rm -f "$R/left"
    sim drop "$R"
    writes_left "$1" 0
    sim reset "$R"
    writes_left "$1" "$2"
    echo "$(total "$R" bl_callback) $(total "$R" enqueue)"
}
writes_left() {
    LUSTRE_SIM_CLIENT=$2 sim run --root "$R" --keep-caches "$1" dd \
        if=/dev/zero of="$R/left" bs=64K count=1 conv=notrunc status=none
}
is "$(left 1 1)" "1 1" "another client calls the last program's lock back"
is "$(left 1 0)" "0 0" "the same client has it already"
is "$(left 0 1) $(left 0 0)" "0 1 0 1" \
    "--keep-caches 0: it went with the program"
# drop empties the clients of a root: dirty data and locks
rm -f "$R/left"
sim reset "$R"
writes_left 1 0
dirty=$(total "$R" write_bytes)
sim drop "$R"
is "$dirty $(total "$R" write_bytes)" "0 65536" "drop writes what is dirty"
sim reset "$R"
writes_left 1 1
is "$(total "$R" bl_callback) $(total "$R" enqueue)" "0 1" \
    "and leaves no lock to call back"

# A file removed outside leaves its locks at the servers. The next file may get
# its inode's number, but none of its locks, also where data begin on the MDT.
# 2 stripes on 2 OSTs: the next file has its objects on the same ones.
R=$TMP/reused
sim mkfs --osts 2 "$R"
# mdt_file CLIENT: made and written by a client
mdt_file() {
    sim setstripe -E 1M -L mdt -E -1 -c 2 -S 1M "$R/f"
    LUSTRE_SIM_CLIENT=$1 sim run --root "$R" dd if=/dev/zero of="$R/f" bs=1M \
        count=4 conv=notrunc status=none
}
mdt_file 0
number=$(stat -c %i "$R/f")
reused=no
for try in $(seq 50); do
    rm "$R/f"
    sim reset "$R"
    mdt_file "$try"
    [ "$(stat -c %i "$R/f")" = "$number" ] && reused=yes && break
    number=$(stat -c %i "$R/f")
done
if [ $reused = yes ]; then
    is "$(total "$R" bl_callback)" 0 "a reused inode: no callback of an OST"
    is "$("$SIM" stats "$R" | grep -c '^mdt 0:.*bl_callback')" 0 \
        "nor of the MDT"
else
    skip 2 "the file system below does not give an inode's number again"
fi

# Nothing else changes for programs that do not use the root.
is "$(sim run --root "$R" sh -c 'echo one | cat')" one "a pipe elsewhere"
ok "a file elsewhere" sim run --root "$R" sh -c \
    "echo x >'$TMP/else' && cmp '$TMP/else' '$TMP/else' && rm '$TMP/else'"
tap_done
