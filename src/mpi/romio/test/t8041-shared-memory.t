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

# what the tests are about, and all that this may need
parts() {
    compile "$drv"/core/[!t]*/*.c "$drv"/core/text/*.c "$drv"/sys/*.c \
        "$drv"/node/*.c \
        "$drv/mpi/coll/agree.c" "$drv/mpi/coll/reduce.c" &&
        ar rc "$TMP/libparts.a" "$TMP"/*.o
}

# shared LAYER/NAME: compile and run LAYER/test/NAME.c; a race is a failure
shared() {
    name=${1#*/}
    mkdir "$TMP/$name"
    if compile "$drv/${1%/*}/test/$name.c" -o "$TMP/$name/test.o" \
        >"$TMP/$name.log" 2>&1 &&
        ${CC:-cc} -fsanitize=thread "$TMP/$name/test.o" "$TMP/libparts.a" \
            -lcmocka -lpthread -ldl -lm -o "$TMP/$name/test" \
            >"$TMP/$name.log" 2>&1 &&
        TSAN_OPTIONS=exitcode=66 timeout 200 "$TMP/$name/test" \
            >"$TMP/$name.log" 2>&1
    then
        pass "$1: no race"
    else
        fail "$1"
        diag_file "$TMP/$name.log"
    fi
}

ok "the shared parts compile" parts
shared mpi/agree
shared node/segment
shared node/pool
shared node/service
tap_done
