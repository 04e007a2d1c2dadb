#!/bin/sh
# l0004-bad-input - what is no log, damaged, absurd: said, and survived
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/prof.sh"
G=$DATA/d_fight.handl.gz
zcat "$G" >"$TMP/good.log"

# bad STATUS PATTERN DESC FILE...: analyze says so and ends with STATUS
bad() {
    want=$1 pattern=$2 desc=$3
    shift 3
    is "$(status "$PROF" analyze -t overview "$@")" "$want" "$desc: status"
    like "$(cat "$TMP/err")" "$pattern" "$desc: message"
}
printf 'Dear diary,\nthis is no log.\n' >"$TMP/text"
bad 1 'text:1: neither a Lustre debug log' "a text" "$TMP/text"
head -c 100000 /bin/sh >"$TMP/binary"
bad 1 'binary:1: neither' "a binary file" "$TMP/binary"
: >"$TMP/empty"
bad 1 'empty: the file is empty' "an empty file" "$TMP/empty"
bad 1 'nowhere: No such file' "a missing file" "$TMP/nowhere"
bad 3 'text:1: neither' "one bad file among good ones" "$TMP/text" "$G"
like "$(cat "$TMP/out")" 'writes +95' "the good one is used"

{
    sed -n 1,300p "$TMP/good.log"
    grep Handling "$TMP/good.log" | sed -n 151p | head -c 150
} >"$TMP/half.log"
bad 0 'half.log:[0-9]+: the line ends early \(1 such' "a log cut off" "$TMP/half.log"
head -c 9000 "$G" >"$TMP/half.gz"
bad 3 'half.gz:[0-9]+: the gzip file ends early; what came before' \
    "a gzip file cut off" "$TMP/half.gz"
like "$(cat "$TMP/out")" 'writes +[1-9]' "with results of the part"
{
    cat "$G" | head -c 5000
    echo "garbage inside of a compressed file, long enough to matter"
    tail -c 9000 "$G"
} >"$TMP/damaged.gz"
bad 3 'damaged.gz:[0-9]+: the gzip file' "a damaged gzip file" "$TMP/damaged.gz"

{
    cat "$TMP/good.log"
    head -c 1000000 /dev/zero | tr '\0' x
    echo
    cat "$TMP/good.log"
} >"$TMP/long.log"
bad 0 'long.log:741: a line of more than 65536 bytes' "a line of a megabyte" \
    "$TMP/long.log"
like "$(cat "$TMP/out")" 'writes +190' "what is around it counts"
like "$(cat "$TMP/err")" 'long.log:742: the clock goes back, by up to' \
    "so does the clock that goes back, with its line"
{
    sed -n 1,100p "$TMP/good.log"
    printf 'some\0bytes\n\377\376\n'
    sed -n '101,$p' "$TMP/good.log"
} >"$TMP/mixed.log"
bad 0 'mixed.log:101: no line of a Lustre debug log \(2 such' \
    "lines of another kind between" "$TMP/mixed.log"
like "$(cat "$TMP/out")" 'writes +95' "and every request"
sed '300,400s/:1794792/:9994792/' "$TMP/good.log" >"$TMP/absurd.log"
is "$(status "$PROF" analyze -t overview "$TMP/absurd.log")" 0 "an absurd clock"
like "$(cat "$TMP/out")" 'requests with an impossible time +[1-9]' "is told"
like "$(cat "$TMP/out")" 'period +[0-9.]+ s' "and stretches no time"
{
    cat "$TMP/good.log"
    echo "Debug log: 749 lines, 740 kept, 9 dropped, 0 bad."
} >"$TMP/dropped.log"
bad 0 'dropped.log: 9 log lines were dropped' "lines the server dropped" \
    "$TMP/dropped.log"

printf '{"schema":"romio-lustre-report","version":1,\n' >"$TMP/report.json"
bad 3 'report.json:1: not JSON at byte' "half a report" "$TMP/report.json"
printf '{"schema":"romio-lustre-report","version":2}\n' >"$TMP/report.json"
bad 3 'report.json:1: not a report of version 1' "a later report" \
    "$TMP/report.json"
printf 'start_ms,file,write_calls\n1,"f",x\n' >"$TMP/rank.csv"
bad 3 'rank.csv:2: does not belong there' "a CSV line that is none" "$TMP/rank.csv"
mkdir "$TMP/dir"
cp "$G" "$TMP/text" "$TMP/dir"
bad 0 '' "a directory: what is none of ours is left alone" "$TMP/dir"
like "$(cat "$TMP/out")" 'writes +95' "the log in it is read"
mkdir "$TMP/none"
bad 1 'nothing to analyse' "an empty directory" "$TMP/none"
is "$(status "$PROF" report -o "$TMP/no/such/dir/page.html" "$G")" 1 \
    "a page that cannot be written"
like "$(cat "$TMP/err")" 'cannot write .*: No such file' "says why"
# What is no file stays what it is: a report of a job that runs as root must not
# take the place of /dev/null.
mkfifo "$TMP/fifo"
ln -s "$TMP/linked" "$TMP/link"
cat "$TMP/fifo" >"$TMP/through" &
is "$(status "$PROF" report -o "$TMP/fifo" "$G")" 0 "a page into a pipe"
wait
like "$(head -c 15 "$TMP/through")" '<!DOCTYPE html>' "comes out of it"
is "$(status "$PROF" report -o "$TMP/link" "$G") $(head -c 15 "$TMP/linked")" \
    "0 <!DOCTYPE html>" "a page through a link"
ok "both are there still" test -p "$TMP/fifo" -a -L "$TMP/link"
if [ -c /dev/full ]; then
    ln -s /dev/full "$TMP/full"
    is "$(status "$PROF" report -o "$TMP/full" "$G")" 1 "a disk that is full"
    like "$(cat "$TMP/err")" 'cannot write .*full: No space' "is told"
    "$PROF" analyze -q "$G" >"$TMP/full" 2>"$TMP/err"
    is "$? $(cat "$TMP/err")" "1 lioprof: cannot write standard output: $(
        )No space left on device" "standard output too"
else
    skip 3 "no /dev/full"
fi
# names out of a log must not become markup
sed 's/97ed66cc-/<script>alert(1)<\/script>/; s/:$/:<b>"job/' "$TMP/good.log" >"$TMP/evil.log"
ok "a log with markup in it" "$PROF" report -o "$TMP/evil.html" "$TMP/evil.log"
is "$(grep -c '<script>alert\|<b>"' "$TMP/evil.html")" 0 "is only text in the page"
tap_done
