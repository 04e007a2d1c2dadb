#!/bin/sh
# t8010-fuzz - fuzzing of everything that parses, from the corpus
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# ADL_FUZZ_SECONDS for each target; a minute, with ADL_CHECK_FULL=1 five.
. "$(dirname "$0")/lib.sh"
command -v clang >/dev/null || skip_all "no clang here"

seconds=60 least=1000
[ $FULL = no ] || { seconds=300 least=5000; }
seconds=${ADL_FUZZ_SECONDS:-$seconds}

# a target that fails must be seen to fail
cat >"$TMP/wrong.c" <<'END'
/* wrong.c - a fuzzing target that breaks its promise */
#include "fuzz.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_HOLDS(size < 3 || data[0] != 'x');
    return 0;
}
END
mkdir "$TMP/dir"
"$SRC/maint/fuzz" --seconds "$seconds" --least "$least" --dir "$TMP/dir" \
    --also "$TMP/wrong.c" >"$TMP/lines" 2>"$TMP/err"
rc=$?
is "$rc" 1 "a broken promise makes it fail"
like "$(cat "$TMP/lines")" '^wrong: FAILED: .*data\[0\]' "and is named"
sed -i '/^wrong: /d' "$TMP/lines"
for t in "$SRC"/src/mpi/romio/adio/ad_lustre/core/test/fuzz/*.c; do
    t=$(basename "$t" .c)
    line=$(grep "^$t: " "$TMP/lines")
    case $line in
    '') fail "$t: was not run"; diag_file "$TMP/err" ;;
    *FAILED*) fail "$line"; diag_file "$TMP/dir/$t.log" ;;
    *) pass "$line" ;;
    esac
done
tap_done
