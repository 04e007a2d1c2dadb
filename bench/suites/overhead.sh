# overhead.sh - what statistics, lustre-sim and waiting cost
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="what reports and lustre-sim cost; computing beside a write"
suite_minutes=3
suite_reps=5

suite_points() {
    point set=overhead label=statistics_and_timers by=reports ranks=2 fs=mem \
        phases=ratio reps=3 variants=ours
    point set=overhead label=lustre-sim,_1_MiB_pwrite by=sim ranks=1 fs=none \
        phases=ratio variants=ours
    point set=overhead label=write_beside_computation by=beside ranks=2 \
        fs=flash osts=4 phases=ratio reps=3 variants=ours
}

# no_point: the columns that a row of these does not have
no_point() {
    ranks=$(value ranks "$p") nodes=1 fs=$(value fs "$p") model='' osts=''
    stripes='' unit='' given='' lib=$ours prefix='' api=mpiio
}

# measure_reports: small collective writes, half of them counted and timed, in
# turn, in one job; processor time with over without
measure_reports() {
    no_point
    mkdir "$work/files"
    "$mpicc" -O2 -o "$bin/report-overhead" "$here/report-overhead.c"
    where=$work/files
    launch "$bin/report-overhead" "lustre:$where/file" 4000 1024 || return 1
    cost=$(sed -n 's/.*, \([0-9.]*\) (processor).*/\1/p' "$work/out")
    rm -rf "$where"
    write_row "$1" "$2" ratio "$cost,,,,,,," ,,,
}

# measure_sim: pwrites of 1 MiB with lustre-sim over those without, call by
# call in turn
measure_sim() {
    no_point
    rm -rf "$work/root"
    "$sim" mkfs "$work/root" >/dev/null
    "$sim" setstripe -c 4 -S 1M "$work/root/f" >/dev/null
    "$sim" run --root "$work/root" "$build/src/lustre-sim/bench/overhead" \
        "$work/plain" "$work/root/f" 500 >"$work/out" 2>"$work/err" || return 1
    write_row "$1" "$2" ratio "$(awk '{ print $3 }' "$work/out"),,,,,,," ,,,
    rm -rf "$work/root" "$work/plain"
}

# measure_beside: seconds of a nonblocking write with one second of computation
# beside it, over the longer of the two alone
measure_beside() {
    no_point
    place "$p"
    "$mpicc" -O2 -o "$bin/beside" "$here/beside.c"
    nodes=2
    launch "$bin/beside" -k 96 "lustre:$where/f" || return 1
    cost=$(sed -n 's/.*alone \([0-9.]*\) s.*ion \([0-9.]*\) s.*her \([0-9.]*\) s/\1 \2 \3/p' \
        "$work/out" | awk '{ m = ($1 > $2 ? $1 : $2); printf "%.3f", $3 / m }')
    write_row "$1" "$2" ratio "$cost,,,,,,," ,,,
    rm -rf "$where"
}
