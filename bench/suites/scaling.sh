# scaling.sh - cost against ranks, nodes, pieces and stripes; the planner alone
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="cost against ranks, nodes, pieces, stripes; the planner to 100,000"
suite_minutes=25
suite_reps=3

suite_points() {
    for n in 2 4 8 16 32 64; do
        point set=scale-ranks "label=$n" "x=$n" app=lattice,--edge,12 \
            "ranks=$n" nodes=1 fs=mem osts=4 again=2 measure=best \
            variants=ours,by-hand
        point set=scale-nodes "label=$n" "x=$n" app=lattice,--edge,12 ranks=64 \
            "nodes=$n" fs=mem osts=4 again=2 measure=best variants=ours,by-hand
    done
    point set=scale-nodes label=1 x=1 app=lattice,--edge,12 ranks=64 nodes=1 \
        fs=mem osts=4 again=2 measure=best variants=ours,by-hand
    for n in 1000 10000 100000; do
        point set=scale-pieces "label=$n" "x=$n" \
            "app=climate,--pieces,$n,--variables,1" ranks=4 nodes=2 fs=mem \
            osts=4 again=2 measure=best variants=ours,by-hand
    done
    for n in 1 4 16 64; do
        point set=scale-stripes "label=$n" "x=$n" app=lattice,--edge,16 ranks=8 \
            nodes=4 fs=none osts=64 "stripes=$n" unit=64K again=2 measure=best \
            variants=ours,stock-lustre
    done
    for n in 100 1000 10000 100000; do
        point set=planner "label=$n" "x=$n" by=planner "ranks=$n" fs=mem \
            phases=plan reps=3 variants=ours
    done
}

# measure_planner REP VARIANT POINT: one node of so many ranks, by core/ alone
measure_planner() {
    ranks=$(value ranks "$p") nodes=$((ranks / 100)) fs='' model='' osts=1000
    stripes=1000 unit=1M given=
    compile_kernels
    steps=$("$bin/kernels" node "$ranks") || return 1
    ns=$(echo "$steps" | awk '{ print $2 * $4 / 1e9 }')
    write_row "$1" "$2" plan "$ns,,,,,,," ,,,
}
