#!/bin/sh
# l0001-command - lioprof's commands, options, manual and exit statuses
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
MAN=$SRC/doc/man/lioprof.1

is "$(status "$PROF" --help)" 0 "--help"
like "$(cat "$TMP/out")" '^usage: lioprof COMMAND' "says how"
is "$(status "$PROF")" 2 "no command: status 2"
is "$(status "$PROF" frobnicate)" 2 "an unknown one: status 2"
like "$(cat "$TMP/err")" "no command 'frobnicate'" "and it is named"
is "$(status "$PROF" --version)" 0 "--version"

# options PAGE: the long options it names, sorted
options() {
    grep -oE '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -e '--[a-z-]+' | sort -u
}
for c in collect analyze report characterize diff plot; do
    is "$(status "$PROF" "$c" --help)" 0 "$c --help"
    options <"$TMP/out" >"$TMP/help"
    sed 's/\\-/-/g' "$MAN" |
        awk -v c="$c" '/^\.SH/ { on = 0 } /^\.SH COMMON OPTIONS/ { on = c != "collect" }
            $0 == ".SH " toupper(c) { on = 1 } on && /^\.(TP|BR|B|OP)/ { print }
            on && /^\.B/ { print }' | options >"$TMP/man"
    echo "--help" >>"$TMP/man"
    is "$(sort -u "$TMP/man" | tr '\n' ' ')" "$(tr '\n' ' ' <"$TMP/help")" \
        "$c: the manual has the options of --help"
    is "$(status "$PROF" "$c" --no-such-option x)" 2 "$c: an unknown option"
done
is "$(status "$PROF" analyze --format xml x)" 2 "a format there is not"
like "$(cat "$TMP/err")" "'xml' is no FORMAT" "is named"
is "$(status "$PROF" analyze --interval 0s x)" 2 "an interval of nothing"
is "$(status "$PROF" analyze -t nonsense "$DATA/d_fight.handl.gz")" 2 \
    "a table there is not"
like "$(cat "$TMP/err")" "there are: overview" "and which there are"
is "$(status "$PROF" analyze --from 5 --to 5 "$DATA/d_fight.handl.gz")" 2 \
    "no time between --from and --to"
like "$(cat "$TMP/err")" "--to: '5' contradicts" "is said"
is "$(status "$PROF" analyze -q "$DATA/d_fight.handl.gz" --help)" 0 \
    "--help behind other arguments"
like "$(cat "$TMP/out")" "^usage: lioprof analyze" "is help"
is "$(status "$PROF" collect -o "$TMP/c" --help)" 0 "of collect too"
ok "the manual is well formed" sh -c '
    ! command -v man >/dev/null || LC_ALL=C man --warnings -l "$1" 2>&1 >/dev/null |
        { ! grep .; }' - "$MAN"
tap_done
