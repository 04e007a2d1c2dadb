#!/bin/sh
# l0008-fuzz - libFuzzer on the parsers, for some thousand inputs
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
command -v clang >/dev/null || skip_all "no clang here: fuzz.t runs the corpus"
runs=2000
[ "$FULL" = no ] || runs=100000
cd "$SRC" || exit 1
set -- src/mpi/romio/adio/ad_lustre/core/err.c \
    src/mpi/romio/adio/ad_lustre/core/json.c \
    src/mpi/romio/adio/ad_lustre/core/strbuf.c src/lioprof/test/fuzz.c
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
ok "$runs inputs without a crash" limited "$TMP/fuzz" -runs=$runs -seed=1 \
    -max_len=8192 -rss_limit_mb=2048 -timeout=60 -close_fd_mask=3 \
    -artifact_prefix="$TMP/" "$TMP/new" src/lioprof/test/corpus
tap_done
