#!/bin/sh
# s0005-faults - errors on demand: every call, every way to choose it
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/sim.sh"
R=$FAST/root
sim mkfs "$R"
sim setstripe -c 4 -S 1M "$R/f"

# put SPEC BLOCKS: write 64 KiB blocks with dd; its words in $TMP/out
put() {
    limited "$SIM" run --root "$R" --fault "$1" dd if=/dev/zero of="$R/f" \
        bs=65536 count="$2" conv=notrunc >"$TMP/out" 2>&1 </dev/null
}
get() {
    limited "$SIM" run --root "$R" --fault "$1" dd if="$R/f" of=/dev/null \
        bs=65536 >"$TMP/out" 2>&1 </dev/null
}
said() {
    like "$(cat "$TMP/out")" "$1" "$2"
}
ok "without a fault" put 'write:n=100:errno=EIO' 64
not_ok "the 3rd write fails" put 'write:n=3:errno=EIO' 8
said 'Input/output error' "with EIO"
said '^2\+0 records out' "after two"
not_ok "all from the start" put 'write:errno=ENOSPC' 8
said 'No space left' "with ENOSPC"
not_ok "numbers do for names" put 'write:n=1:errno=122' 8
said 'quota exceeded' "EDQUOT"
not_ok "reads" get 'read:n=2:errno=EIO'
said '^1\+0 records in' "the second"
not_ok "opens" put 'open:errno=EACCES' 1
said 'Permission denied' "with EACCES"
not_ok "an open that fails" sim run --root "$R" --fault open:errno=EACCES \
    touch "$R/new"
not_ok "creates nothing" test -e "$R/new"
not_ok "fsync" sim run --root "$R" --fault fsync:errno=EIO \
    dd if=/dev/zero of="$R/f" bs=4k count=1 conv=notrunc,fsync
not_ok "any" get 'any:n=4:errno=EIO'

not_ok "the layout" sim run --root "$R" --fault xattr:errno=EIO \
    getfattr -n lustre.lov "$R/f"
not_ok "truncate" sim run --root "$R" --fault truncate:errno=EDQUOT \
    truncate -s 1000 "$R/f"
not_ok "fallocate" sim run --root "$R" --fault fallocate:errno=ENOSPC \
    fallocate -l 1000 "$R/f"
not_ok "close" put 'close:errno=EIO' 1
said 'closing output file' "says so"
a=$(date +%s%N)
ok "a call that takes longer" put 'write:n=1:delay=300' 2
ok "does" [ $(($(date +%s%N) - a)) -ge 300000000 ]
ok "short writes" put 'write:short=4096' 4
said '^4\+0 records in' "dd goes on"
ok "short reads" get 'read:short=1000'
said '^0\+' "partial records"
ok "only the 2nd" get 'read:n=2:short=1000'
said '^63\+2 records in' "is short"
limited "$SIM" run --root "$R" --fault write:n=2:eintr "$PROGS/hammer" write \
    "$R/f" 0 1 65536 4 >"$TMP/out" 2>&1
said 'Interrupted system call' "EINTR"

ok "another client" put 'write:errno=EIO:client=1' 4
LUSTRE_SIM_CLIENT=1
export LUSTRE_SIM_CLIENT
not_ok "that client" put 'write:errno=EIO:client=1' 4
unset LUSTRE_SIM_CLIENT
ok "another file" put 'write:errno=EIO:file=g*' 4
not_ok "that file" put 'write:errno=EIO:file=f*' 4
not_ok "an OST by number" put 'write:errno=EIO:ost=1' 64
said '^16\+0 records out' "from its first byte on"
not_ok "count" put 'write:n=2:count=3:errno=EIO' 8

not_ok "a full OST" put 'ost=1:full' 64
said 'No space left' "ENOSPC"
said '^16\+0 records out' "where its stripe begins"
ok "can be read" get 'ost=1:full'
not_ok "a dead OST" get 'ost=2:dead'
said '^32\+0 records in' "where its stripe begins"
said 'Input/output error' "EIO"
# 3 MiB in one write: up to the full OST, then the error
limited "$SIM" run --root "$R" --fault ost=2:full dd if=/dev/zero of="$R/f" \
    bs=3M count=1 conv=notrunc >"$TMP/out" 2>&1
said '^2097152 bytes' "a large write is cut there"
said 'No space left' "the rest is refused"

not_ok "two specs" sim run --root "$R" --fault read:errno=EIO \
    --fault write:n=2:errno=EIO dd if=/dev/zero of="$R/f" bs=1M count=2 \
    conv=notrunc
LUSTRE_SIM_FAULT='write:errno=EROFS'
export LUSTRE_SIM_FAULT
not_ok "from the environment" sim run --root "$R" \
    dd if=/dev/zero of="$R/f" bs=1M count=2 conv=notrunc
unset LUSTRE_SIM_FAULT
for spec in write: write:errno=ENOSUCH write:n=0:errno=EIO ost=1 ost=1:errno=5 \
    write:short=x nocall:errno=EIO write:full '' 'write:errno=EIO:'; do
    case $spec in
    '' | 'write:errno=EIO:') ok "accepted: '$spec'" \
        sim run --root "$R" --fault "$spec" true ;;
    *) is "$(status sim run --root "$R" --fault "$spec" true)" 2 \
        "refused: '$spec'" ;;
    esac
done

# A slow OST, in a model with time
printf 'base flash\nbandwidth 200M\n' >"$TMP/profile"
seconds() {
    sim run --root "$R" --profile "$TMP/profile" "$@" \
        "$PROGS/hammer" stream "$R/slow" 40
}
sim setstripe -i 0 -c 1 "$R/slow"
a=$(seconds --fault ost=1:slow=8)
b=$(seconds --fault ost=0:slow=8)
diag "other OST slow: $a s, its own: $b s"
# 40 MiB at an eighth of 200 MiB/s; how much longer it takes is the machine's
# business. That another OST is not slow is tested in virtual time (timing.c).
ok "an OST is slow by its factor" awk "BEGIN { exit !($b >= 1.59) }"
tap_done
