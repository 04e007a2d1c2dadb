# report.sh - tables and plots of what was measured
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

# statistics [SUITE]: sorted, in $tmp/stats
statistics() {
    [ -s "$out/results.csv" ] || die 1 "no results in $out; see --out"
    awk -v suite="${1-}" -f "$here/lib/stats.awk" "$out/results.csv" |
        sort -t '	' -k 4,4 -k 1,1n -k 2,2n -k 3,3n -k 5,5 -k 6,6r -k 7,7 \
            >"$tmp/stats"
}

# describe SET FIELD: of lib/sets; 2 title, 3 unit, 4 plot, 5 x axis, 6 note
describe() {
    awk -F '|' -v id="$1" -v f="$2" '!/^#/ && $1 == id { print $f; exit }' \
        "$here/lib/sets"
}

# sets: those with results, in the order of lib/sets, then unknown ones
sets() {
    cut -f 4 "$tmp/stats" | sort -u >"$tmp/sets"
    {
        sed -n 's/^\([^#|][^|]*\)|.*/\1/p' "$here/lib/sets" |
            grep -xF -f "$tmp/sets" || true
        sed -n 's/^\([^#|][^|]*\)|.*/\1/p' "$here/lib/sets" |
            grep -vxF -f - "$tmp/sets" || true
    }
}

of_set() {
    awk -F '\t' -v s="$1" '$4 == s' "$tmp/stats"
}

# table SET FORMAT
table() {
    unit=$(describe "$1" 3)
    ratios=yes # of parts of a time they mean nothing
    [ "$(describe "$1" 4)" != stack ] || ratios=no
    best=no
    case $1 in rivals-* | blocks-*) best=yes ;; esac
    of_set "$1" | awk -v format="$2" -v unit="${unit:-mib}" -v ratios=$ratios \
        -v best=$best -f "$here/lib/table.awk"
    case $1 in rivals-* | openmpi-* | blocks-*) counts "$1" "$2" ;; esac
}

# counts SET FORMAT: system calls, lock requests, callbacks, RPCs
counts() {
    about="System calls / lock requests / callbacks / RPCs"
    case $2 in
    html) printf '<p>%s:</p>\n' "$about" ;;
    *) printf '\n%s:\n\n' "$about" ;;
    esac
    awk -v format="$2" -v set="$1" -v suite="${suite-}" \
        -f "$here/lib/counts.awk" "$out/results.csv"
}

# model_of SET: how its figures came about, when a time model made them
model_of() {
    of_set "$1" | cut -f 24 | sort -u | grep -v -e '^$' -e '^no time$' |
        tr '\n' ' '
}

report_text() {
    statistics "${2-}"
    for s in $(sets); do
        printf '\n%s\n' "$(describe "$s" 2)"
        echo "set $s; medians (quartiles); ours / X: time of ours divided by X's"
        model_note "$s"
        table "$s" text
        claims "$s" text
    done
    ! grep -q FAILS "$tmp/claimed" 2>/dev/null
}

# claims SET FORMAT: what the set should show, and whether it does
claims() {
    grep -q "^$1|" "$here/lib/claims" || return 0
    awk -v set="$1" -v format="$2" -f "$here/lib/claims.awk" \
        "$here/lib/claims" "$tmp/stats" | tee -a "$tmp/claimed"
}

# about: where and how it was measured, a line
about() {
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        suite == "" || $1 == suite {
            low = n++ && low < $c["load"] ? low : $c["load"]
            high = $c["load"] > high ? $c["load"] : high
            at = $c["date"]
            text = $c["cpu"] ", " $c["cores"] " cores, " $c["kernel"]
            driver = $c["driver"]
            if (!($c["mpi"] in mpis))
                mpi = mpi ($c["mpi"] ~ /^[0-9]/ ? ", MPICH " : ", ") $c["mpi"]
            mpis[$c["mpi"]]
            seeds[$1] = $c["seed"]
        }
        END {
            text = text mpi ", driver " driver
            for (s in seeds)
                list = list (list == "" ? "" : ", ") s " " seeds[s]
            printf "%s; load %.1f to %.1f; until %s; seeds: %s.\n", text, low,
                high, at, list
        }' suite="$1" "$out/results.csv"
}

# model_note SET: a sentence, when a time model made the figures
model_note() {
    m=$(model_of "$1")
    [ -z "$m" ] ||
        echo "Time model of lustre-sim, not a machine: $m"
}

# markdown SETS: their tables
markdown() {
    echo "Median of the launches, quartiles in brackets. Columns \"ours / ...\":"
    echo "time of ours divided by the other's, of launches next to each other;"
    echo "below 1 ours is faster. $(about "$suite")"
    for s in $1; do
        printf '\n<a id="%s"></a>\n**%s.** %s %s\n\n' "$s" "$(describe "$s" 2)" \
            "$(describe "$s" 6)" "$(model_note "$s")" | sed 's/ *$//'
        table "$s" markdown
        claims "$s" markdown
    done
}

report_markdown() {
    statistics "$1"
    markdown "$(sets)"
}

# marks: the sets that the marks of a file name, a line each; NAME* is all that
# begin so
marks() {
    sed -n 's/^<!-- lbench: begin\(.*\)-->.*/\1/p' "$1" | tr -s ' ' '\n' |
        sed '/^$/d'
}

# sets_of MARK: those with results that it names; one without names has all that
# the other marks leave
sets_of() {
    marks "$1" >"$tmp/mark"
    want=1
    [ -s "$tmp/mark" ] || { cp "$tmp/marks" "$tmp/mark"; want=0; }
    awk -v want=$want '
        function names(word, set,   n) {
            n = length(word) - 1
            return word == set || (substr(word, n + 1) == "*" &&
                substr(word, 1, n) == substr(set, 1, n))
        }
        FILENAME == ARGV[1] { word[++words] = $0; next }
        {
            named = 0
            for (i = 1; i <= words; i++)
                named = named || names(word[i], $0)
            if (named == want)
                print
        }' "$tmp/mark" "$tmp/all"
}

# report_readme: between the marks of a file, of the sets that they name. Where
# none of them has results, what is there stays.
report_readme() {
    [ -f "$readme" ] || die 2 "no file $readme"
    grep -q '^<!-- lbench: begin' "$readme" ||
        die 1 "$readme has no line '<!-- lbench: begin -->'"
    statistics "$1"
    sets >"$tmp/all"
    marks "$readme" >"$tmp/marks"
    skip=no
    while IFS= read -r line; do
        case $line in
        '<!-- lbench: begin'*)
            printf '%s\n' "$line"
            printf '%s\n' "$line" >"$tmp/begin"
            names=$(sets_of "$tmp/begin")
            [ -n "$names" ] || continue
            markdown "$names"
            skip=yes
            ;;
        '<!-- lbench: end'*) skip=no; printf '%s\n' "$line" ;;
        *) [ $skip = yes ] || printf '%s\n' "$line" ;;
        esac
    done <"$readme" >"$tmp/readme"
    cmp -s "$tmp/readme" "$readme" || {
        cat "$tmp/readme" >"$readme"
        say "lbench: $readme changed"
    }
}

report() {
    tmp=$(mktemp -d "${TMPDIR:-/tmp}/lbench.XXXXXX")
    trap 'rm -rf "$tmp"' EXIT
    kind=html file='' suite='' readme=''
    while [ $# -gt 0 ]; do
        case $1 in
        --markdown) kind=markdown ;;
        --text) kind=text ;;
        --help) usage_report; exit 0 ;;
        --out | --suite | --readme | -o)
            [ $# -gt 1 ] || die 2 "$1 needs a value; see lbench report --help"
            case $1 in
            --out) out=$2 ;;
            --suite) suite=$2 ;;
            --readme) kind=readme readme=$2 ;;
            -o) file=$2 ;;
            esac
            shift
            ;;
        *) die 2 "no option '$1' of report; see lbench report --help" ;;
        esac
        shift
    done
    [ -d "$out" ] || die 2 "no directory $out; see --out"
    case $kind in
    text) report_text --suite "$suite" ;;
    markdown) report_markdown "$suite" ;;
    readme) report_readme "$suite" ;;
    html) report_html "$suite" "${file:-$out/report.html}" ;;
    esac
}
