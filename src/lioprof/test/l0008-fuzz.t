#!/bin/sh
# l0008-fuzz - libFuzzer on the parsers, for a minute from the corpus
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
command -v clang >/dev/null || skip_all "no clang here: fuzz.t runs the corpus"
seconds=60 least=2000
[ "$FULL" = no ] || { seconds=300 least=10000; }
cd "$SRC" || exit 1
set -- src/mpi/romio/adio/ad_lustre/core/text/err.c \
    src/mpi/romio/adio/ad_lustre/core/text/json.c \
    src/mpi/romio/adio/ad_lustre/core/text/strbuf.c src/lioprof/test/fuzz.c
for f in src/lioprof/*.c; do
    case $f in
    */main.c | */cmd_* | */command.c | */options.c | */runner.c | \
        */collect.c | */ingest.c | */reader.c) ;;
    *) set -- "$@" "$f" ;;
    esac
done
if ! clang -g -O1 -D_GNU_SOURCE -DLIOPROF_VERSION='"fuzz"' \
    -Isrc/mpi/romio/adio/ad_lustre -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -o "$TMP/fuzz" "$@" -lm >"$TMP/log" 2>&1; then
    grep -q 'libclang_rt\|cannot find' "$TMP/log" &&
        skip_all "clang has no libFuzzer here: fuzz.t runs the corpus"
    fail "the fuzzer compiles"
    diag_file "$TMP/log"
    tap_done
    exit 1
fi
pass "the fuzzer compiles"
mkdir "$TMP/new"
TIMEOUT=600
# fuzz LIMIT: from the corpus; the executions in $n
fuzz() {
    rc=0
    limited "$TMP/fuzz" "$1" -print_final_stats=1 -max_len=8192 \
        -rss_limit_mb=2048 -timeout=60 -close_fd_mask=1 \
        -artifact_prefix="$TMP/" "$TMP/new" src/lioprof/test/corpus \
        >"$TMP/log" 2>&1 || rc=$?
    more=$(sed -n 's/^stat::number_of_executed_units: *//p' "$TMP/log")
    n=$((n + ${more:-0}))
}
n=0
fuzz -max_total_time=$seconds
# A machine that is busy with something else gets its time.
[ $rc -ne 0 ] || [ $n -ge $least ] || fuzz -runs=$((least - n))
is $rc 0 "$n executions without a crash"
[ $rc -eq 0 ] || diag_file "$TMP/log"
ok "at least $least" test $n -ge $least
tap_done
