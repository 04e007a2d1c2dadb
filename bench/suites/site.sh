# site.sh - find good striping, aggregators and lock mode for a pattern
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# All settings are tried once, in random order; the better half goes on to the
# next round, until one is left or half of the time is spent. Then the best one
# runs beside the directory's default, in turn, and the gain is that of these
# pairs.
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="finds striping, aggregators and lock mode for a pattern; prints hints"
suite_reps=5

# settings: a line of hints each
settings() {
    for count in 1 $((all / 2)) "$all"; do
        [ "$count" -gt 0 ] || continue
        for size in 1M 4M; do
            for each in 1 2 4; do
                for mode in 0 2; do
                    [ "$each$mode" != 12 ] || continue
                    echo "striping_factor=$count,striping_unit=$(bytes_of $size),cray_cb_nodes_multiplier=$each,cray_cb_write_lock_mode=$mode"
                done
            done
        done
    done | sort -u
}

site_point() {
    p="set=site label=$2 app=$program ranks=$n nodes=$m fs=flash/50 \
osts=$all stripes=1 unit=1M sync=yes phases=write reps=99 hints=$1 variants=ours"
}

# try HINTS LABEL ROUND: seconds in $value, 1 when it failed
try() {
    site_point "$1" "$2"
    measure "$3" ours "$p"
}

# a_round NUMBER: every line of $tmp/left once; sorted by time into $tmp/ranked
a_round() {
    awk -v seed="$((seed + $1))" 'BEGIN { srand(seed) }
        { print rand(), $0 }' "$tmp/left" | sort | cut -d ' ' -f 2 \
        >"$tmp/order"
    : >"$tmp/ranked"
    k=0
    while read -r hints_of <&4; do
        k=$((k + 1))
        say "[round $1, $k/$(wc -l <"$tmp/order")] $hints_of"
        try "$hints_of" "$hints_of" "$1" || continue
        echo "$value $hints_of" >>"$tmp/times"
        [ "$(now)" -lt "$half" ] || break
    done 4<"$tmp/order"
    # the median of all rounds so far
    awk '{ v[$2] = v[$2] " " $1; n[$2]++ }
        END {
            for (h in v) {
                split(v[h], t, " ")
                for (i = 2; i <= n[h]; i++)
                    for (j = i; j > 1 && t[j] < t[j - 1]; j--) {
                        x = t[j]; t[j] = t[j - 1]; t[j - 1] = x
                    }
                print t[int((n[h] + 1) / 2)], h
            }
        }' "$tmp/times" | sort -n >"$tmp/ranked"
}

# compare_best HINTS: in turn with the default; the gain of each pair
compare_best() {
    : >"$tmp/gains"
    i=0
    while [ $i -lt "$reps" ]; do
        i=$((i + 1))
        say "[pair $i/$reps] the best beside the default"
        try "$1" best $i || return 1
        best=$value
        try "" default $i || return 1
        awk -v a="$value" -v b="$best" 'BEGIN { printf "%.3f\n", a / b }' \
            >>"$tmp/gains"
        [ "$(now)" -lt "$until" ] || break
    done
}

print_hints() {
    sort -n "$tmp/gains" | awk -v n="$(wc -l <"$tmp/gains")" -v h="$1" '
        { g[NR] = $1 }
        END {
            gsub(",", ":", h)
            printf "\nThe default took %.2f times as long (%.2f to %.2f, %d " \
                "pairs).\n", g[int((n + 1) / 2)], g[1], g[n], n
            if (g[1] <= 1.02)
                print "That is no clear gain: the default may be as good."
            printf "\nexport MPICH_MPIIO_HINTS=\047*:%s\047\n", h
        }'
    [ -n "$real" ] ||
        echo "(of lustre-sim's time model: $model)"
}

suite_run() {
    compile
    n=${only_ranks:-8} m=${only_nodes:-4}
    all=${real_osts:-4}
    program=${pattern:-ior,-p,strided,-b,4M,-t,256K}
    program=$(echo "$program" | tr ' ' ,)
    [ -n "$time_limit" ] || time_limit=600
    began=$(now)
    until=$((began + time_limit)) half=$((began + time_limit / 2))
    settings >"$tmp/left"
    : >"$tmp/times"
    say "lbench: $(wc -l <"$tmp/left") settings, $n ranks on $m nodes," \
        "$all OSTs, $(clock "$time_limit")"
    round=1
    while :; do
        a_round $round
        [ -s "$tmp/ranked" ] || die 1 "no setting worked, see above"
        [ "$(now)" -lt "$half" ] && [ "$(wc -l <"$tmp/left")" -gt 1 ] || break
        keep=$(($(wc -l <"$tmp/ranked") / 2))
        [ "$keep" -gt 0 ] || keep=1
        [ $round -lt 4 ] || break
        head -n $((keep < $(wc -l <"$tmp/left") ? keep : 1)) "$tmp/ranked" |
            cut -d ' ' -f 2 >"$tmp/left"
        round=$((round + 1))
    done
    winner=$(head -n 1 "$tmp/ranked" | cut -d ' ' -f 2)
    compare_best "$winner" || die 1 "the best setting failed, see above"
    print_hints "$winner"
}
