# blocks.sh - blocks that no two ranks share, in the simulated machine: the
# driver's choice beside the two ways
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="blocks of a rank of its own: the choice beside both ways, in a model"
suite_minutes=25
suite_reps=1
suite_build=no

# blocks_point STRIPES LABEL "OPTIONS OF simulate": on all profiles
blocks_point() {
    ranks=8
    case $2 in *_64m | *_256m) ranks=4 ;; esac
    for profile in none flash disk; do
        point "set=blocks-$profile-$1" "label=$2" by=blocks "ranks=$ranks" \
            nodes=4 "fs=$profile" "stripes=$1" reps=1 \
            "options=$(echo "$3" | tr ' ' ,)" variants=ours,aggregators,ranks
    done
}

# A block a rank, once; 8 or 64 calls, of which a rank's blocks follow each other
# (IOR's segments) or the blocks of a call do (turns); 8 calls in the same place;
# 8 blocks a rank in one call.
suite_points() {
    for n in 1 4 16; do
        for size in 4k 64k 256k 512k 1m 2m 4m 16m 64m 256m; do
            blocks_point $n once_$size "--kind 0 --next 1 --bytes $size"
        done
        for size in 4k 64k 256k 512k 1m 4m; do
            calls="--kind 0 --bytes $size --calls 8"
            blocks_point $n segments_$size "$calls --next 2"
            blocks_point $n turns_$size "$calls --next 1"
            blocks_point $n again_$size "$calls --again 1"
        done
        for size in 4k 64k 256k; do
            calls="--kind 0 --bytes $size --calls 64"
            blocks_point $n 64_segments_$size "$calls --next 2"
            blocks_point $n 64_turns_$size "$calls --next 1"
        done
        for size in 4 64 256 1024; do
            blocks_point $n interleaved_${size}k \
                "--kind 1 --next 1 --record ${size}k --bytes $((8 * size))k"
        done
    done
}

# simulated KEY: of the last line of simulate
simulated() {
    sed -n "s/^scale: .* $1=\([0-9.]*\).*/\1/p" "$work/out"
}

# blocks_row REP VARIANT PHASE "KEYS OF TIMES" COUNTS
blocks_row() {
    write_row "$1" "$2" "$3" "$(for key in $4; do simulated "$key"; done |
        awk '{ ms += $1 } END { printf "%.6f", ms / 1000 }'),,,,,,," "$5"
}

# measure_blocks REP VARIANT POINT: one run; writing from open to close, reading
# from the next open on, with empty caches
measure_blocks() {
    p=$3 fs=$(value fs "$3") stripes=$(value stripes "$3")
    ranks=$(value ranks "$3") nodes=$(value nodes "$3")
    osts=16 unit=1M given='' model=model way=
    [ "$fs" != none ] || model="no time"
    case $2 in
    aggregators) way=enable ;;
    ranks) way=disable ;;
    esac
    # shellcheck disable=SC2046,SC2086 # words
    "$build/simulate" scale --ranks "$ranks" --nodes "$nodes" --osts "$osts" \
        --profile "$fs" --hint:striping_factor "$stripes" \
        --hint:striping_unit 1048576 --cold 1 \
        $(value options "$p" | tr , ' ') \
        ${way:+--hint:romio_cb_write $way --hint:romio_cb_read $way} \
        >"$work/out" 2>"$work/err" || return 1
    blocks_row "$1" "$2" write "open_ms write_ms close_ms" \
        "$(simulated write_rpcs),0,$(simulated write_locks),$(
            simulated write_callbacks)"
    blocks_row "$1" "$2" read "reopen_ms read_ms" \
        "0,$(simulated read_rpcs),$(simulated read_locks),$(
            simulated read_callbacks)"
}
