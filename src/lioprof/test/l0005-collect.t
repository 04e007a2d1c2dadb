#!/bin/sh
# l0005-collect - tracing servers: every command, clean ends, what is brought
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The servers are played: lctl and dmesg keep their state in a directory a host,
# ssh and pdsh run the command here, for the host named.
. "$(dirname "$0")/prof.sh"
mkdir "$TMP/bin" "$TMP/state" "$TMP/there"

# the played ssh and pdsh: HOST is known to what they run
cat >"$TMP/bin/ssh" <<'EOT'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift 2; done
[ "$1" != down ] || exit 255
FAKE_HOST=$1 exec sh -c "$2"
EOT
cat >"$TMP/bin/pdsh" <<'EOT'
#!/bin/sh
[ "$1 $2 $3 $4 $5" = "-N -S -R ssh -w" ] || exit 9
FAKE_HOST=$6 exec sh -c "$7"
EOT
cat >"$TMP/bin/lctl" <<'EOT'
#!/bin/sh
s=$FAKE_STATE/$FAKE_HOST
mkdir -p "$s"
echo "lctl $*" >>"$s/log"
case "$1 $2 $3" in
"get_param -n debug") cat "$s/debug" 2>/dev/null || echo "ioctl neterror" ;;
"get_param -n debug_mb") cat "$s/debug_mb" 2>/dev/null || echo 64 ;;
"get_param -N "*) ;; # as 2.17 does: nothing, and no error
"list_param obdfilter.* "*) echo "obdfilter.lustre-OST000${FAKE_HOST#oss}" ;;
"get_param obdfilter"*)
    n=$(cat "$s/brw" 2>/dev/null || echo 10)
    echo $((n * 10)) >"$s/brw"
    echo "obdfilter.lustre-OST000${FAKE_HOST#oss}.brw_stats="
    echo "snapshot_time:         1.5 (secs.nsecs)"
    echo "pages per bulk r/w     rpcs  % cum % |  rpcs  % cum %"
    echo "256:   $n 100 100   |  0 0 0" ;;
"set_param debug="*) echo "${2#debug=}" >"$s/debug" ;;
"set_param debug_mb="*)
    [ ! -f "$s/fail" ] || exit 1
    echo "${2#debug_mb=}" >"$s/debug_mb" ;;
"debug_daemon start "*) : >"$s/daemon"; echo binary >"$3" ;;
"debug_daemon stop "*) rm -f "$s/daemon" ;;
"debug_file "*)
    zcat "$FAKE_LOG" >"$3"
    echo "Debug log: 740 lines, 740 kept, 0 dropped, 0 bad." ;;
esac
EOT
cat >"$TMP/bin/dmesg" <<'EOT'
#!/bin/sh
[ ! -f "$FAKE_STATE/$FAKE_HOST/daemon.was" ] ||
    echo "Lustre: debug daemon buffer overflowed; discarding 10% of pages"
EOT
cat >"$TMP/bin/iostat" <<'EOT'
#!/bin/sh
echo "Linux 5.14 (oss) 	01/01/26 	_x86_64_	(2 CPU)"
for i in 1 2; do
    echo "Device            r/s     rkB/s   w/s     wkB/s  %util"
    echo "sda              1.00    100.00  2.00    200.00  10.00"
done
trap 'exit 0' TERM
while :; do
    sleep 1 &
    wait $!
done
EOT
chmod +x "$TMP"/bin/*
FAKE_STATE=$TMP/state FAKE_LOG=$DATA/d_fight.handl.gz
PATH=$TMP/bin:$PATH
export FAKE_STATE FAKE_LOG PATH

# settings HOST: what is set there now, and whether the daemon runs
settings() {
    echo "$(cat "$FAKE_STATE/$1/debug") $(cat "$FAKE_STATE/$1/debug_mb")" \
        "$([ -f "$FAKE_STATE/$1/daemon" ] && echo on || echo off)"
}
R="--remote-dir $TMP/there"

is "$(status "$PROF" collect -n -o "$TMP/dry" -w oss1,oss2 --bytes -- true)" 0 \
    "a dry run"
for what in 'mkdir /tmp/lioprof-[0-9a-f]{16}' 'debug=.*rpctrace net' \
    'debug_mb=1024' 'debug_daemon start' 'brw_stats' 'iostat' 'date \+%s%6N' \
    'debug_daemon stop' 'tar -C .*dry/oss2' '^true$'; do
    [ "$what" = 'date \+%s%6N' ] && continue
    like "$(cat "$TMP/out")" "$what" "prints: $what"
done
ok "and does nothing" [ ! -e "$TMP/dry" ]

# shellcheck disable=SC2086 # a list of options
is "$(status "$PROF" collect -o "$TMP/run" -w oss1,oss2 $R -- \
    sh -c 'cat "$FAKE_STATE/oss1/debug"; ls "$FAKE_STATE"/*/daemon')" 0 "a run"
like "$(cat "$TMP/out")" 'rpctrace' "tracing was on while it ran"
like "$(cat "$TMP/out")" 'oss2/daemon' "on both servers"
is "$(settings oss1)" "ioctl neterror 64 off" "and is as it was afterwards"
is "$(ls "$TMP/there")" "" "nothing is left on the servers"
is "$(ls "$TMP/run")" "$(printf 'oss1\noss2')" "a directory a host"
like "$(cat "$TMP/run/oss2/collect.txt")" '^target lustre-OST0002' "with its OSTs"
like "$(cat "$TMP/run/oss2/collect.txt")" '^clock_offset_us -?[0-9]+$' "its clock"
is "$(sum ost writes "$TMP/run")" 190 "both logs are read"
is "$(cell ost OST0002 writes "$TMP/run")" 95 "under the OST's name"
is "$("$PROF" analyze -q --format csv -t brw "$TMP/run" |
    awk -F , '$1 ~ /OST0001/ { print $4 }')" 90 "brw_stats: the difference"
is "$(cell disk oss1 peak_write "$TMP/run")" $((200 * 1024)) "iostat"
n=0 # the signal takes its time
# shellcheck disable=SC2009 # only the played one has this path
while ps ax | grep -q "$TMP/bin/[i]ostat" && [ $n -lt 50 ]; do
    sleep 0.1
    n=$((n + 1))
done
# shellcheck disable=SC2009 # the same
is "$(ps ax | grep -c "$TMP/bin/[i]ostat")" 0 "iostat was ended"

# shellcheck disable=SC2086 # a list of options
is "$(status "$PROF" collect -o "$TMP/p" --rsh pdsh -w oss1 $R -- sh -c 'exit 7')" \
    7 "pdsh; the status is the command's"
is "$(sum ost writes "$TMP/p")" 95 "the log came"

mkdir -p "$FAKE_STATE/oss3"
: >"$FAKE_STATE/oss3/fail"
# shellcheck disable=SC2086 # a list of options
is "$(status "$PROF" collect -o "$TMP/f" -w oss1,oss3 $R -- touch "$TMP/ran")" 1 \
    "a server that refuses"
like "$(cat "$TMP/err")" 'start on oss3 failed' "is named"
ok "the command was not run" [ ! -e "$TMP/ran" ]
is "$(settings oss1)" "ioctl neterror 64 off" "and the other one is as it was"
# shellcheck disable=SC2086 # a list of options
is "$(status "$PROF" collect -o "$TMP/g" -w down $R -- true)" 1 "no server there"

# an interrupt while it waits
# shellcheck disable=SC2086 # a list of options
"$PROF" collect -o "$TMP/i" -w oss4 $R >"$TMP/out" 2>"$TMP/err" &
pid=$!
n=0
while [ ! -f "$FAKE_STATE/oss4/daemon" ] && [ $n -lt 300 ]; do
    sleep 0.1
    n=$((n + 1))
done
: >"$FAKE_STATE/oss4/daemon.was"
kill -TERM $pid
wait $pid
is "$?" 0 "interrupted: a clean end"
like "$(cat "$TMP/err")" 'interrupted; tracing is off' "it says so"
is "$(settings oss4)" "ioctl neterror 64 off" "everything is off"
like "$(cat "$TMP/err")" 'oss4 dropped log lines \(1 times\)' \
    "dropped lines are told"
is "$(status "$PROF" analyze -t findings "$TMP/i")" 0 "and once more"
like "$(cat "$TMP/out")" 'dropped +The servers dropped' "by the analysis"
is "$(status "$PROF" collect -o "$TMP/x" -w 'a;rm -rf /' -- true)" 2 \
    "a host's name that is none"
tap_done
