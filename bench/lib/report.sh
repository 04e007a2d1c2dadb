# report.sh - tables and plots of what was measured
#
# shellcheck shell=sh disable=SC2154

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
    of_set "$1" | awk -v format="$2" -v unit="${unit:-mib}" \
        -f "$here/lib/table.awk"
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
        echo "set $s; of others: time of ours divided by it, median (quartiles)"
        m=$(model_of "$s")
        [ -z "$m" ] || echo "lustre-sim's time model, not a machine: $m"
        table "$s" text
    done
}

report() {
    tmp=$(mktemp -d "${TMPDIR:-/tmp}/lbench.XXXXXX")
    trap 'rm -rf "$tmp"' EXIT
    kind=html file='' suite='' readme=''
    while [ $# -gt 0 ]; do
        case $1 in
        --markdown) kind=markdown ;;
        --text) kind=text ;;
        --help) usage; exit 0 ;;
        --out | --suite | --readme | -o)
            [ $# -gt 1 ] || die 2 "$1 needs a value; see lbench --help"
            case $1 in
            --out) out=$2 ;;
            --suite) suite=$2 ;;
            --readme) kind=readme readme=$2 ;;
            -o) file=$2 ;;
            esac
            shift
            ;;
        *) die 2 "no option '$1' of report; see lbench --help" ;;
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
