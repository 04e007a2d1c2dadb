#!/bin/sh
# t8041-shared-memory - what a node's ranks share, under the thread sanitizer
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The unit tests of the agreement, the segment and the pool, whose ranks are
# threads: compiled here, since the other builds have other sanitizers.
. "$(dirname "$0")/lib.sh"

drv=$SRC/src/mpi/romio/adio/ad_lustre
# MPI's headers only: the tests bring the calls.
inc=$("$MPICC" -show -c | tr ' ' '\n' | grep '^-[ID]' | tr '\n' ' ')
echo 'int main(void) { return 0; }' >"$TMP/empty.c"
${CC:-cc} -fsanitize=thread "$TMP/empty.c" -o "$TMP/empty" 2>/dev/null &&
    "$TMP/empty" || skip_all "no thread sanitizer here"

# shared NAME: compile and run mpi/test/NAME.c; a race is a failure
shared() {
    # shellcheck disable=SC2086 # a list
    if ${CC:-cc} -O1 -g -std=gnu11 -D_GNU_SOURCE -fsanitize=thread $inc \
        "$drv/mpi/test/$1.c" "$drv/mpi/coll/segment.c" \
        "$drv/mpi/coll/agree.c" "$drv/mpi/messages/pool.c" \
        "$drv/core/claim.c" "$drv/core/cover.c" "$drv/core/message.c" \
        "$drv/core/outcome.c" "$drv/core/poolshape.c" "$drv/sys/futex.c" \
        "$drv/sys/shmem.c" -lcmocka -lpthread -o "$TMP/$1" \
        >"$TMP/$1.log" 2>&1 &&
        TSAN_OPTIONS=exitcode=66 timeout 200 "$TMP/$1" >"$TMP/$1.log" 2>&1
    then
        pass "$1: no race"
    else
        fail "$1"
        diag_file "$TMP/$1.log"
    fi
}

shared agree
shared segment
shared pool
tap_done
