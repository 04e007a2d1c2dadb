# html.sh - the report as one HTML file
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

html_head() {
    cat <<'EOT'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>lbench</title>
<style>
body { font: 15px/1.45 sans-serif; color: #222; max-width: 62rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0.3rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.3rem; }
p { margin: 0.3rem 0; }
table { border-collapse: collapse; margin: 0.7rem 0; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.7rem; text-align: right; white-space: nowrap;
         border-bottom: 1px solid #ddd; }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left; }
td.paper { white-space: normal; min-width: 12rem; }
td.lost { background: #fbe3d6; }
.model { background: #fff3c4; border-left: 4px solid #e0a800;
         padding: 0.2rem 0.6rem; }
li.holds { color: #0a6b3d; } li.fails { color: #b00020; font-weight: bold; }
svg { max-width: 100%; height: auto; }
</style></head><body>
<h1>lbench</h1>
EOT
}

escape() {
    sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
}

html_set() {
    echo "<h2 id=\"$1\">$(describe "$1" 2 | escape)</h2>"
    n=$(describe "$1" 6 | escape)
    [ -z "$n" ] || echo "<p>$n</p>"
    n=$(model_note "$1" | escape)
    [ -z "$n" ] || echo "<p class=\"model\">$n</p>"
    table "$1" html
    c=$(claims "$1" html)
    [ -z "$c" ] || echo "<ul>$c</ul>"
    case $(describe "$1" 4) in
    none | '') return ;;
    stack) plot_stack "$1" | sed 1d; return ;;
    esac
    for phase in $(of_set "$1" | cut -f 6 | sort -ru); do
        plot "$1" "$phase" | sed 1d
    done
}

# report_html SUITE FILE
report_html() {
    need gnuplot gnuplot-nox
    statistics "$1"
    {
        html_head
        echo "<p>$(about "$1" | escape)</p>"
        echo "<p>Figures are medians of launches, quartiles in brackets. In"
        echo "columns <i>ours / ...</i>: time of ours divided by the other's,"
        echo "of launches next to each other; below 1 ours is faster. Shaded:"
        echo "ours is slower by more than 5&nbsp;% in three of four launches."
        echo "</p>"
        for s in $(sets); do
            html_set "$s"
        done
        echo "</body></html>"
    } >"$tmp/report.html"
    cat "$tmp/report.html" >"$2"
    say "lbench: $2"
}
