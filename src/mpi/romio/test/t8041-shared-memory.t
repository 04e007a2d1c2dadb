#!/bin/sh
# t8041-shared-memory - what a node's ranks share, under the thread sanitizer
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The unit tests of the agreement, the segment, the pool and the owner's service,
# whose ranks are threads: compiled here, since the other builds have other
# sanitizers.
. "$(dirname "$0")/lib.sh"

drv=$SRC/src/mpi/romio/adio/ad_lustre
# Headers only, of MPI and of the ROMIO that the plug-in is built from: the
# tests bring the calls.
inc=$(sed -n 's/^ROMIO_CPPFLAGS = //p' "$BUILD/Makefile" 2>/dev/null)
[ -n "$inc" ] || skip_all "no build of the plug-in in $BUILD"
echo 'int main(void) { return 0; }' >"$TMP/empty.c"
${CC:-cc} -fsanitize=thread "$TMP/empty.c" -o "$TMP/empty" 2>/dev/null &&
    "$TMP/empty" || skip_all "no thread sanitizer here"

# compile SOURCE...: with the sanitizer, object files in TMP
compile() {
    # shellcheck disable=SC2086 # a list
    (cd "$TMP" && ${CC:-cc} -O1 -g -std=gnu11 -D_GNU_SOURCE \
        -fsanitize=thread $inc -c "$@")
}

# what the tests are about, and what that needs
parts() {
    for part in mpi/coll/agree mpi/coll/reduce mpi/coll/segment \
        mpi/coll/service mpi/coll/service_read mpi/coll/service_scatter \
        mpi/coll/service_write core/packing mpi/messages/pool core/claim core/cover core/err core/layout \
        core/layout_codec core/layout_map core/layout_wire \
        core/message core/outcome core/owner core/pattern \
        core/poolshape core/terms core/window sys/clock sys/futex \
        sys/shmem core/nodemap core/balance core/butterfly core/strbuf; do
        compile "$drv/$part.c" || return 1
    done
    ar rc "$TMP/libparts.a" "$TMP"/*.o
}

# shared NAME: compile and run mpi/test/NAME.c; a race is a failure
shared() {
    mkdir "$TMP/$1"
    if compile "$drv/mpi/test/$1.c" -o "$TMP/$1/test.o" \
        >"$TMP/$1.log" 2>&1 &&
        ${CC:-cc} -fsanitize=thread "$TMP/$1/test.o" "$TMP/libparts.a" \
            -lcmocka -lpthread -o "$TMP/$1/test" >"$TMP/$1.log" 2>&1 &&
        TSAN_OPTIONS=exitcode=66 timeout 200 "$TMP/$1/test" \
            >"$TMP/$1.log" 2>&1
    then
        pass "$1: no race"
    else
        fail "$1"
        diag_file "$TMP/$1.log"
    fi
}

ok "the shared parts compile" parts
shared agree
shared segment
shared pool
shared service
tap_done
