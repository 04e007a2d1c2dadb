# plan.sh - which combinations a suite measures, and in which order
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A point is one combination of everything but the variant: a line of words
# key=value. Points are shuffled anew for every repetition; the variants of a
# point run one after the other, in an order of their own, so that a machine
# whose speed changes hits all of them alike. What is done is in a file, so that an
# interrupted run goes on where it was.
#
# shellcheck shell=sh disable=SC2034,SC2154

# point KEY=VALUE...: one more combination; defaults are those of `defaults`
point() {
    echo "$*" >>"$tmp/points"
}

# value KEY POINT [DEFAULT]
value() {
    for word in $2; do
        case $word in
        "$1="*) echo "${word#*=}"; return ;;
        esac
    done
    echo "${3-}"
}

# choose_points: those that the options leave, each with its variants in front
choose_points() {
    awk -v ranks="$only_ranks" -v nodes="$only_nodes" -v sets="$only_sets" \
        -v label="$only_labels" -v variants="$only_variants" '
        # whether a list, divided by commas, is empty or has the word
        function has(list, word) {
            return list == "" || index("," list ",", "," word ",")
        }
        {
            split("", key)
            key["ranks"] = key["nodes"] = 1
            for (i = 1; i <= NF; i++) {
                at = index($i, "=")
                key[substr($i, 1, at - 1)] = substr($i, at + 1)
            }
            if (!has(ranks, key["ranks"]) || !has(nodes, key["nodes"]) ||
                !has(sets, key["set"]) || (label != "" && label != key["label"]))
                next
            n = split(key["variants"], v, ",")
            list = ""
            for (i = 1; i <= n; i++)
                if (has(variants, v[i]))
                    list = list v[i] ","
            if (list != "")
                print list, $0
        }' "$tmp/points" >"$tmp/chosen"
}

# make_plan: all launches in their order, a line each: rep variant point
make_plan() {
    : >"$tmp/points"
    suite_points
    if [ -n "$before" ]; then
        sed -E '/ mpi=openmpi/! s/(variants=([^ ]*,)?ours)([, ]|$)/\1,before\3/' \
            "$tmp/points" >"$tmp/both"
        mv "$tmp/both" "$tmp/points"
    fi
    check_variants
    choose_points
    [ -s "$tmp/chosen" ] ||
        die 2 "$suite: nothing is left of it with these options"
    # A repetition after the other: when time is up every point has as many
    # results as any other, but for one.
    awk -v seed="$seed" -v most="$reps" '
        function shuffle(a, n,   i, j, t) {
            for (i = n; i > 1; i--) {
                j = int(rand() * i) + 1
                t = a[i]; a[i] = a[j]; a[j] = t
            }
        }
        { line[NR] = $0 }
        END {
            srand(seed)
            for (r = 1; r <= most; r++) {
                for (i = 1; i <= NR; i++)
                    order[i] = i
                shuffle(order, NR)
                for (i = 1; i <= NR; i++) {
                    at = index(line[order[i]], " ")
                    n = split(substr(line[order[i]], 1, at - 2), v, ",")
                    p = substr(line[order[i]], at + 1)
                    if (match(p, /(^| )reps=[0-9]+/) &&
                        r > substr(p, RSTART + 5 + (RSTART > 1), RLENGTH) + 0)
                        continue
                    shuffle(v, n)
                    for (k = 1; k <= n; k++)
                        print r, v[k], p
                }
            }
        }' "$tmp/chosen" >"$tmp/plan"
}

# key_of REP VARIANT POINT: what `done` remembers
key_of() {
    echo "$1 $2 $(printf '%s' "$3" | cksum | tr ' ' .)"
}

is_done() {
    grep -qxF "$(key_of "$1" "$2" "$3")" "$out/done.$suite" 2>/dev/null
}

mark_done() {
    key_of "$1" "$2" "$3" >>"$out/done.$suite"
}

# run_plan: measure what is not done; 1 when something failed
run_plan() {
    total=$(wc -l <"$tmp/plan")
    nr=0 ran=0 failures=0
    began=$(now)
    [ -z "$time_limit" ] || until=$((began + time_limit))
    while read -r rep variant p <&3; do
        nr=$((nr + 1))
        ! is_done "$rep" "$variant" "$p" || continue
        if [ "$ran" -gt 0 ] && [ -n "$time_limit" ] &&
            [ "$(now)" -ge "$until" ]; then
            say "lbench: time is up after $ran of $total launches;" \
                "--resume goes on"
            break
        fi
        progress
        if measure "$rep" "$variant" "$p"; then
            mark_done "$rep" "$variant" "$p"
        else
            failures=$((failures + 1))
        fi
        ran=$((ran + 1))
    done 3<"$tmp/plan"
    say "lbench: $ran launches in $(clock $(($(now) - began)))"
    [ "$failures" = 0 ] || say "lbench: $failures launches failed, see above"
    [ "$failures" = 0 ]
}

# progress: one line, with the time that is left by what it took so far
progress() {
    spent=$(($(now) - began))
    left="?"
    [ "$ran" = 0 ] || left=$(clock $((spent * (total - nr + 1) / ran)))
    if [ -n "$time_limit" ] && [ "$ran" -gt 0 ] &&
        [ $((spent * (total - nr + 1) / ran)) -gt $((until - $(now))) ]; then
        left="$(clock $((until - $(now)))) (limit)"
    fi
    say "$(printf '[%*d/%d] %s, left %s: %s %s, %s, repetition %s' ${#total} \
        "$nr" "$total" "$(clock "$spent")" "$left" "$(value set "$p")" \
        "$(label_of "$p")" "$variant" "$rep")"
}

# label_of POINT: for people
label_of() {
    value label "$1" | tr '_,' ' ;'
}
