# kernels.sh - instructions of packing, planning and coverage, with limits
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Times depend on the machine and its load, instructions do not. The
# counts in kernels.counts are those of the last commit that changed them.
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="instruction counts of the inner loops beside the committed ones"
suite_build=no

# committed KERNEL: of the same compiler
committed() {
    [ -f "$counts" ] || return 0
    [ "$(sed -n 's/^# compiler: //p' "$counts")" = "$(compiler)" ] || return 0
    awk -v k="$1" '$1 == k { print $2 }' "$counts"
}

save_counts() {
    {
        echo "# kernels.counts - instructions; written by lbench run kernels" \
            "--update"
        echo "# compiler: $(compiler)"
        cat "$tmp/counted"
    } >"$counts"
    say "lbench: $counts written"
}

suite_run() {
    need valgrind valgrind
    bin=$work
    compile_kernels
    rc=0
    : >"$tmp/counted"
    for k in $kernels; do
        n=$(instructions "$k")
        [ -n "$n" ] || die 1 "callgrind counted nothing for $k"
        echo "$k $n" >>"$tmp/counted"
        old=$(committed "$k")
        p="set=kernels label=$k measure=instructions app=kernels,$k"
        ranks='' nodes='' fs='' model='' osts='' stripes='' unit='' given=
        write_row 1 now count "$n,,,,,,," ,,,
        if [ -z "$old" ]; then
            printf '%-12s %12d instructions, nothing committed for %s\n' \
                "$k" "$n" "$(compiler)"
            continue
        fi
        write_row 1 committed count "$old,,,,,,," ,,,
        awk -v k="$k" -v n="$n" -v o="$old" 'BEGIN {
            bad = n > o * 1.05
            printf "%-12s %12d instructions, committed %12d, %+.2f %%%s\n",
                k, n, o, 100 * (n - o) / o, (bad ? ": FAILS" : "")
            exit bad
        }' || rc=1
    done
    [ "$update" = no ] || { save_counts; rc=0; }
    return $rc
}
