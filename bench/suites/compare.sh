# compare.sh - our driver beside everything else: the table of the README
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="ours beside hand-written code and stock ROMIO: README.md's table"
suite_minutes=50
suite_reps=5

suite_points() {
    # Between nodes as within one: beside alltoallv and pwrite, in memory.
    for where in 8/1/32 8/4/32 8/8/32 16/4/16 16/8/16 16/16/16; do
        n=${where%%/*} edge=${where##*/}
        m=${where#*/} m=${m%/*}
        point set=ratio "label=${n}_ranks_on_${m}:_${edge}^4_sites" \
            "x=$m" "app=lattice,--edge,$edge" "ranks=$n" "nodes=$m" fs=mem \
            osts=2 stripes=2 unit=1M again=2 measure=best wait=spin \
            variants=ours,by-hand
    done
    # Applications, 8 ranks on 4 nodes, beside both stock drivers.
    for profile in none flash disk; do
        applications "$profile" ours,stock,stock-lustre
    done
    small_calls
    # lock modes and overstriping, by the time model
    lock_modes flash 4 spread,mode1,mode2,fpp
    overstriping flash 256K "1 8" posix,mode0
    openmpi_points
}
