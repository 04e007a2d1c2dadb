#!/bin/sh
# t4010-on-error - a failed call is told, whether the program looks or not
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
"$MPICC" -o "$TMP/unheard" "$SRC/src/mpi/romio/test/unheard.c" ||
    { echo "Bail out! unheard does not compile"; exit 1; }
sim_mkfs --osts 4 --stripe-size 64K --stripe-count 2 || exit 1

# told ON_ERROR FAULT HANDLER OP...: out, the driver's lines in $lines
told() {
    SIM_OPTIONS="--fault $2"
    handler=$3
    mode=$1
    shift 3
    rm -f "$SIM/f"
    out=$(cd "$SIM" && ROMIO_LUSTRE_ON_ERROR=$mode sim_run 3 "$TMP/unheard" \
        "$handler" f "$@" 2>&1)
    status=$?
    SIM_OPTIONS=
    lines=$(printf '%s\n' "$out" | grep '^romio-lustre: ')
}
# once PATTERN DESC: one line of the driver's, and the program goes on
once() {
    like "$lines" "$1" "$2"
    is "$(printf '%s\n' "$lines" | grep -c .)" 1 "$2: once"
}

full=write:errno=ENOSPC
told '' $full return coll coll nb ind=1 close
like "$lines" \
    '^romio-lustre: a write failed: No space left on device .errno 28.: f: .*on rank [0-2] at offset' \
    "a failed write is told: what, why, where, which rank"
# rank 1 has heard of the first one: all ranks know of a collective error
is "$(printf '%s\n' "$lines" | grep -c .)" 1 "four failed writes: one line"
like "$out" '^end$' "the program goes on"
told '' write:errno=EIO return ind=2 ind=2 ind=2
once 'a write failed: .*errno 5.: f: write on rank 2' "an independent one"
told '' fsync:errno=EIO return coll sync sync
once 'MPI_File_sync failed: .*errno 5' "sync"
told '' truncate:errno=EFBIG return resize resize
once 'MPI_File_set_size failed: .*errno 27' "set_size"
told '' close:errno=EDQUOT return coll close
once 'MPI_File_close failed: .*errno 122' "close"
told '' $full return nb nb
once 'a nonblocking call failed: .*errno 28' "a nonblocking write"
told '' read:errno=EIO return coll read again
is "$lines" "" "reads and opens are not told by default"
told report read:errno=EIO return coll read read
once 'a read failed: .*errno 5' "report: a read"
told report xattr:n=99:errno=EIO return again
once 'MPI_File_open failed: No such file .*absent' "report: an open"
told '' $full own coll
is "$lines" "" "a program with an error handler of its own hears it"
told report $full own coll
once 'a write failed' "report: all the same"
told return $full return coll ind=0 close
is "$lines" "" "return: nothing is told"
told abort $full return coll coll
like "$lines" 'a write failed: No space' "abort: it is told"
like "$lines" 'romio_lustre_on_error is abort: aborting' "and the job ends"
is "$(printf '%s\n' "$out" | grep -c '^end$') $((status != 0))" "0 1" "for good"
told abort xattr:n=99:errno=EIO return again
like "$out" '^end$' "but not for a file that is not there"
told maybe $full return again
like "$lines" 'ROMIO_LUSTRE_ON_ERROR=maybe: expected return/report' "a bad value"
# the hint over the variable
export MPICH_MPIIO_HINTS='f:romio_lustre_on_error=return'
told report $full return coll
is "$lines" "" "the hint wins over the variable"
tap_done
