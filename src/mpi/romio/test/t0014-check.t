#!/bin/sh
# t0014-check - maint/run-tap and maint/check count what test programs say
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
command -v prove >/dev/null || skip_all "no prove"

# tap NAME LINE...: a TAP program that runs these lines, and its result:
# passed, failed, skipped
tap() {
    name=$1
    shift
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$TMP/$name"
    chmod +x "$TMP/$name"
    ADL_LIMIT=${limit:-60} "$SRC/maint/run-tap" "$TMP/dir" "$name" \
        "$TMP/$name" >"$TMP/line" || echo "exit status $?"
    cut -d ' ' -f 1-3 "$TMP/dir/results/$name"
}

tap_plan 14
is "$(tap good 'echo 1..2; echo ok 1; echo ok 2')" "2 0 0" "two passed"
like "$(cat "$TMP/line")" '^ +[0-9]+s  good +2 ok, 0 failed, 0 skipped +[0-9]+ s$' \
    "one line says so"
is "$(tap bad 'echo 1..2; echo ok 1; echo not ok 2; exit 1')" "1 1 0" \
    "one failed"
is "$(tap todo 'echo 1..1; echo "not ok 1 # TODO later"')" "1 0 0" \
    "one that is to be done is no failure"
is "$(tap some 'echo 1..2; echo ok 1; echo "ok 2 # SKIP why"')" "1 0 1" \
    "one skipped"
is "$(tap none 'echo "1..0 # SKIP all"')" "0 0 1" "all skipped count as one"
is "$(tap dies 'echo 1..2; echo ok 1; exit 3')" "1 1 0" \
    "one that stops early has failed"
is "$(tap ends 'echo 1..1; echo ok 1; kill -9 $$')" "1 1 0" \
    "so has one that a signal ends"
like "$(limit=1 && tap waits 'echo 1..1; echo ok 1; sleep 30')" '^[01] 1 0$' \
    "and one that has no end"
like "$(cat "$TMP/dir/log/waits")" "^ERROR: no end after 1 s" "its log says why"
is "$(find "$TMP/dir/running" -type f)" "" "none is told to be running still"

# beside NAME OTHER: a program that ends when the other has begun
beside() {
    printf '%s\n' '#!/bin/sh' "touch $TMP/$1.begun" 'echo 1..1' \
        "until [ -f $TMP/$2.begun ]; do sleep 0.1; done" 'echo ok 1' \
        >"$TMP/$1"
    chmod +x "$TMP/$1"
}
beside left right
beside right left
ok "two at a time" sh -c "printf '%s\n' left $TMP/left right $TMP/right |
    ADL_LIMIT=60 xargs -n 2 -P 2 $SRC/maint/run-tap $TMP/dir"
is "$(cut -d ' ' -f 1-3 "$TMP/dir/results/left" "$TMP/dir/results/right" |
    tr '\n' ' ')" "1 0 0 1 0 0 " "both have run to their ends"
not_ok "maint/check --tests wants a number" "$SRC/maint/check" --tests some
