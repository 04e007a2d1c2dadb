# scale.sh - thousands of ranks in the simulated machine: virtual times, counts
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="64 to 16,384 ranks in the simulated machine: a model's times, counts"
suite_minutes=15
suite_reps=1
suite_build=no

# The machine: see doc/scale.md for where its numbers are from.
scale_machine="--port-speed 25 --latency 2000 --jitter 0 --cores 128 \
--eager 16384 --poll-time 5000"

# scale_point SET RANKS NODES OSTS "OPTIONS OF simulate" VARIANTS [STRIPE-SIZE]
scale_point() {
    point "set=sim-$1" "label=$2_on_$3" "x=$2" by=simulated "ranks=$2" \
        "nodes=$3" "osts=$4" "unit=${7:-1M}" \
        "options=$(echo "$5" | tr ' ' ,)" reps=1 "variants=$6"
}

suite_points() {
    all=ours,stock,stock-lustre
    turn="--kind 1 --bytes 64k --record 4k"
    for size in "64 8 64" "256 16 64" "1024 64 64"; do
        # shellcheck disable=SC2086 # three words
        set -- $size
        scale_patterns "$1" "$2" "$3" $all
        scale_point interleaved "$1" "$2" "$3" "$turn" $all
        scale_point blocks "$1" "$2" "$3" "--kind 0 --bytes 64k" $all
    done
    scale_point interleaved 4096 256 64 "$turn" $all
    scale_point blocks 4096 256 64 "--kind 0 --bytes 64k" ours
    # MPICH's issue 7935
    scale_point lattice4 64 8 64 "--kind 6 --bytes 150k --record 576" \
        $all,by-hand
    scale_point lattice4 1024 128 64 "--kind 6 --bytes 750k --record 576" \
        $all,by-hand
    # one rank a node, a hundred ranks a node, as many OSTs as there are
    scale_point interleaved 1000 1000 1000 "$turn" ours 64K
    scale_point interleaved 1600 16 64 "$turn" $all
    # the largest: the stock drivers' arrays of all ranks do not fit
    scale_point interleaved 16384 1024 1000 "--kind 1 --bytes 16k --record 4k" \
        ours
}

# scale_patterns RANKS NODES OSTS VARIANTS: arrays, and records in any order
scale_patterns() {
    scale_point lattice "$1" "$2" "$3" "--kind 5 --bytes 64k" "$4"
    scale_point halo "$1" "$2" "$3" "--kind 5 --bytes 64k --gaps 512" "$4"
    scale_point irregular "$1" "$2" "$3" "--kind 2 --bytes 16k --record 200" "$4"
}

# simulated KEY: of the last line of simulate
simulated() {
    sed -n "s/^scale: .* $1=\([0-9.]*\).*/\1/p" "$work/out"
}

# measure_simulated REP VARIANT POINT: one run, a row a figure
measure_simulated() {
    ranks=$(value ranks "$p") nodes=$(value nodes "$p") osts=$(value osts "$p")
    fs=flash-ost model=model stripes=$osts given=
    unit=$(value unit "$p" 1M)
    case $2 in
    ours) of="--hint:romio_lustre_close_sync off" ;;
    stock-lustre) of="--stock 1" ;;
    stock) of="--stock 1 --generic 1" ;;
    by-hand) of="--stock 1 --by-hand 1" ;;
    esac
    # shellcheck disable=SC2046,SC2086 # words
    "$build/simulate" scale --ranks "$ranks" --nodes "$nodes" --osts "$osts" \
        $scale_machine --profile "$top/bench/flash-ost.profile" \
        --hint:striping_factor "$osts" --hint:striping_unit "$(bytes_of "$unit")" \
        $(value options "$p" | tr , ' ') $of >"$work/out" 2>"$work/err" || {
        tail -n 3 "$work/err" >&2
        return 1
    }
    for phase in open write read; do
        ms=$(simulated "${phase}_ms")
        write_row "$1" "$2" "$phase" "$(awk -v ms="$ms" \
            'BEGIN { printf "%.6f", ms / 1000 }'),,,,,,," ,,,
    done
    p=$(echo "$p" | sed 's/set=sim-/set=simcount-/')
    for figure in far_messages far_bytes rank_kib aggregator_kib \
        node_shared_kib; do
        write_row "$1" "$2" "$figure" "$(simulated "$figure"),,,,,,," ,,,
    done
    p=$(echo "$p" | sed 's/set=simcount-/set=simkind-/')
    [ "$2" != ours ] || simulated_kinds | while read -r kind messages bytes; do
        write_row "$1" "$2" "$kind" "$messages,,$bytes,,,,," ,,,
    done
}

# simulated_kinds: "phase_kind messages bytes" between nodes, a line each
simulated_kinds() {
    sed -n 's/^  \(open\|write\|read\|close\): /\1 /p' "$work/out" |
        awk '{
            for (i = 2; i <= NF; i++) {
                split($i, part, "[=/]")
                print $1 "_" part[1], part[2], part[3]
            }
        }'
}
