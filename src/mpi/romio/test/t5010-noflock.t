#!/bin/sh
# t5010-noflock - a Lustre that is mounted without file locks
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
export LUSTRE_SIM_NOFLOCK=1
"$MPICC" -o "$TMP/opener" "$here/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 4 --stripe-size 64K --stripe-count 2 || exit 1

# lock FILE: what a lock is answered with there
cat >"$TMP/lock.c" <<'END'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
int main(int argc, char **argv)
{
    struct flock l = {.l_type = F_WRLCK, .l_len = 1};
    int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);

    printf("%d", fcntl(fd, F_SETLK, &l) ? errno : 0);
    printf(" %d\n", flock(fd, LOCK_EX) ? errno : 0);
    return 0;
}
END
cc -o "$TMP/lock" "$TMP/lock.c"
answer() {
    "$LUSTRE_SIM" run --root "$SIM" "$@"
}
is "$(answer "$TMP/lock" "$SIM/l")" "38 38" "lustre-sim: locks are refused"
is "$(answer "$TMP/lock" "$TMP/l")" "0 0" "elsewhere they are not"
is "$(LUSTRE_SIM_NOFLOCK=0 answer "$TMP/lock" "$SIM/l")" "0 0" "nor by default"
is "$(LUSTRE_SIM_NOFLOCK=0 answer --noflock 1 "$TMP/lock" "$SIM/l")" "38 38" \
    "lustre-sim run --noflock 1"
is "$(answer sed -n 's/.* lustre rw,\([a-z]*\),.*/\1/p' /proc/mounts)" noflock \
    "and the mount table says so"

# op HINT OP...: out, of three ranks
op() {
    hint=$1
    shift
    out=$(sim_run 3 "$TMP/opener" -h "$hint" "$SIM/f" "$@" 2>&1)
}
op cb_nodes=2 write read iwrite=1 strided=1 sync resize=1000
like "$out" '^close: ok' "collective and independent calls need no locks"
is "$(printf '%s\n' "$out" | grep -c romio-lustre:)" 0 "and say nothing"
op romio_ds_write=enable strided=0
like "$out" '^close: ok' "sieving writes: the pieces are written"
is "$(printf '%s\n' "$out" | grep -c 'noflock.*romio_ds_write=enable has no')" 1 \
    "and one line says how"
op romio_lustre_ds_in_coll=enable write read
like "$out" '^close: ok' "collective writes with holes do not need them"
op cb_nodes=2 atomic
like "$out" '^atomic: UNSUPPORTED$' "atomic mode: an error on all ranks"
is "$(printf '%s\n' "$out" | grep -c 'atomic mode needs file locks.*noflock')" 1 \
    "and one line says why"
op cb_nodes=2 shared
like "$out" '^shared: INTERN$' "shared file pointers: ROMIO's error on all ranks"
like "$out" 'shared file pointers need file locks.*noflock' "a line says why"

# random cases against the model (oracle.c)
ok "the oracle compiles" "$MPICC" -std=gnu11 -O2 -o "$TMP/oracle" \
    "$here/oracle.c" "$here"/oracle/*.c
cases=30
[ $FULL = no ] || cases=600
for what in write read; do
    TIMEOUT=1500 node_run 2 6 "$TMP/oracle" --cases $cases --seed 11 --no-locks \
        --extras none --what $what --timeout 120 --file "$SIM/oracle" \
        >"$TMP/log" 2>&1
    like "$(tail -n 3 "$TMP/log")" " $cases cases on .*, 0 failed" \
        "$cases random cases of the oracle: $what"
done
tap_done
