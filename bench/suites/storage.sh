# storage.sh - devices and files below a file system, by fio
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The method of the centre that ran Spider: all combinations of request size,
# queue depth and mode in random order, so that caches do not flatter any.
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="devices and files below, by fio: sizes, queues, modes, targets"
suite_minutes=90
suite_reps=1
suite_build=no
modes=seq-write,seq-read,rand-write,rand-read,mixed

suite_points() {
    [ -n "$targets" ] || targets=$dir
    count=$(echo "$targets" | tr , '\n' | wc -l)
    for depth in 4 8 16; do
        for size in 4K 8K 16K 32K 64K 128K 256K 512K 1M 2M 4M 8M; do
            storage_point "storage-$depth" "$size" "$depth" 1 "$size" \
                "$(($(bytes_of $size) / 1024))"
        done
    done
    # over more and more targets, the sizes that such a centre sees most
    n=1
    while [ "$count" -gt 1 ] && [ "$n" -le "$count" ]; do
        for size in 4K 8K 512K 1M; do
            storage_point "storage-targets-$size" "$size" 8 "$n" "$n" "$n"
        done
        n=$((n + 1))
    done
    command -v obdfilter-survey >/dev/null 2>&1 || {
        say "lbench: no obdfilter-survey here (it is on Lustre's servers):" \
            "left out"
        return 0
    }
    for objects in 1 4 16; do
        point set=obdfilter "label=${objects}_objects" "x=$objects" \
            by=obdfilter ranks=1 fs=server variants=survey
    done
}

# storage_point SET SIZE DEPTH TARGETS LABEL X
storage_point() {
    point "set=$1" "label=$5" "x=$6" by=fio ranks=1 "nodes=$4" fs=storage \
        "unit=$2" "aggs=$3" "variants=$modes"
}

# job_file TARGET: a device itself, in a directory a file; where nothing may
# be written, nothing
job_file() {
    if [ -b "$1" ]; then
        case $variant in
        *-read) echo "$1" ;;
        *) [ "$overwrite" = no ] || echo "$1" ;;
        esac
    else
        echo "$1/lbench.fio"
    fi
}

fio_mode() {
    case $1 in
    seq-write) echo write ;;
    seq-read) echo read ;;
    rand-write) echo randwrite ;;
    rand-read) echo randread ;;
    mixed) echo randrw ;;
    esac
}

# measure_fio REP MODE POINT: some targets at once, through fio; the sum
measure_fio() {
    need fio fio
    rep=$1 variant=$2 unit=$(value unit "$p") n=$(value nodes "$p")
    ranks=1 nodes=$n fs=storage model='' osts='' stripes='' given=$targets
    set -- --minimal --ioengine=libaio --time_based --runtime="$seconds" \
        --bs="$unit" --iodepth="$(value aggs "$p")" --size=256M \
        --rw="$(fio_mode "$variant")" --group_reporting --invalidate=1
    i=0
    for t in $(echo "$targets" | tr , ' '); do
        [ "$i" -lt "$n" ] || break
        i=$((i + 1))
        file=$(job_file "$t")
        if [ -z "$file" ]; then
            say "lbench: $t is a device; $variant would destroy its data," \
                "left out (--overwrite)"
            return 0
        fi
        set -- "$@" --name="t$i" --filename="$file"
    done
    # not every file system can do without its cache
    fio --direct=1 "$@" >"$work/out" 2>"$work/err" ||
        fio --direct=0 "$@" >"$work/out" 2>"$work/err" || {
        say "lbench: fio failed: $(tail -n 1 "$work/err")"
        return 1
    }
    # fields of fio's terse format: KiB/s reading and writing
    rate=$(awk -F ';' '{ n += $7 + $48 } END { printf "%.3f", n / 1024 }' \
        "$work/out")
    write_row "$rep" "$variant" fio \
        "$(awk -v r="$rate" 'BEGIN { print (r > 0 ? 1 / r : 0) }'),$rate,,,,,," \
        ,,,
    for t in $(echo "$targets" | tr , ' '); do
        [ -b "$t" ] || rm -f "$t/lbench.fio"
    done
}

# measure_obdfilter REP VARIANT POINT: Lustre's own survey of this server
measure_obdfilter() {
    rep=$1 variant=$2 n=$(value x "$p")
    ranks=1 nodes=1 fs=server model='' osts='' stripes='' unit=1M given=
    nobjlo=$n nobjhi=$n thrlo=$n thrhi=$((n * 4)) size=1024 case=disk \
        obdfilter-survey >"$work/out" 2>"$work/err" || {
        say "lbench: obdfilter-survey failed: $(tail -n 1 "$work/err")"
        return 1
    }
    # "... obj 4 thr 16 write 141.50 [..] rewrite 209.47 [..] read 300 [..]"
    for phase in write rewrite read; do
        rate=$(tr ' ' '\n' <"$work/out" | awk -v w="$phase" '
            $1 == "" { next }
            last == w && $1 + 0 > most { most = $1 + 0 }
            { last = $1 }
            END { print most + 0 }')
        write_row "$rep" "$variant" "$phase" \
            "$(awk -v r="$rate" 'BEGIN { print (r > 0 ? 1 / r : 0) }'),$rate,,,,,," \
            ,,,
    done
}
