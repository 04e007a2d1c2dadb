# plot.sh - figures by gnuplot, as SVG
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

# plot_data SET PHASE: label or x, then median and quartiles of each variant;
# a first line names the variants
plot_data() {
    of_set "$1" | awk -F '\t' -v phase="$2" -v unit="$(describe "$1" 3)" \
        -v kind="$(describe "$1" 4)" '
        $6 == phase {
            at = kind == "lines" ? $22 : $5
            if (!(at in seen)) {
                seen[at] = 1
                rows[++nrows] = at
            }
            if (!($7 in known)) {
                known[$7] = 1
                variants[++nv] = $7
            }
            f = unit == "mib" ? 12 : 9
            by = unit == "ms" ? 1000 : 1
            med[at, $7] = $f * by
            low[at, $7] = $(f + 1) * by
            high[at, $7] = $(f + 2) * by
        }
        END {
            for (v = 1; v <= nv; v++)
                printf "%s%s", (v > 1 ? " " : ""), variants[v]
            print ""
            for (i = 1; i <= nrows; i++) {
                printf kind == "lines" ? "%s" : "\"%s\"", rows[i]
                for (v = 1; v <= nv; v++) {
                    k = rows[i] SUBSEP variants[v]
                    if (k in med)
                        printf " %g %g %g", med[k], low[k], high[k]
                    else
                        printf " NaN NaN NaN"
                }
                print ""
            }
        }'
}

# plot_axes SET TITLE: what all figures have
plot_axes() {
    case $(describe "$1" 3) in
    ms) axis="ms" ;;
    count) axis="count" ;;
    *) axis="MiB/s" ;;
    esac
    [ -z "$(model_of "$1")" ] || axis="$axis (time model)"
    echo "set terminal svg size 760,360 font 'sans-serif,12' noenhanced"
    echo "set title '$2'; set ylabel '$axis'; set yrange [0:*]"
    echo "set key outside right top; set grid y; set border 3"
    echo "set xtics nomirror; set ytics nomirror"
    palette
}

# plot_series FILE "NAMES" X STYLE: three columns of the file a name
plot_series() {
    column=2 line=1 command=plot
    for v in $2; do
        tics=
        [ -n "$3" ] || tics=":xtic(1)"
        printf '%s "%s" using %s%d:%d:%d%s title "%s" %s lt %d' "$command" \
            "$1" "$3" $column $((column + 1)) $((column + 2)) "$tics" "$v" \
            "$4" $line
        command=,
        column=$((column + 3)) line=$((line + 1))
    done
    echo
}

# plot SET PHASE: an SVG on standard output
plot() {
    plot_data "$1" "$2" >"$tmp/data"
    names=$(head -n 1 "$tmp/data")
    sed 1d "$tmp/data" >"$tmp/series"
    {
        plot_axes "$1" "$2"
        if [ "$(describe "$1" 4)" = lines ]; then
            echo "set logscale x 2; set xlabel '$(describe "$1" 5)'"
            plot_series "$tmp/series" "$names" 1: \
                "with yerrorlines pt 7 ps 0.5 lw 1.5"
        else
            echo "set style data histogram; set style fill solid 0.85"
            echo "set style histogram errorbars gap 1 lw 1"
            echo "set xtics rotate by -25"
            plot_series "$tmp/series" "$names" "" ""
        fi
    } >"$tmp/plot.gp"
    draw "$1"
}

# plot_stack SET: the parts of a time on top of each other, a column a variant
plot_stack() {
    of_set "$1" | awk -F '\t' '{
            at = $5 " " $7
            if (!(at in seen)) {
                seen[at] = 1
                rows[++n] = at
            }
            part[at, $6 ~ /file system/] = $9 * 1000
        }
        END {
            for (i = 1; i <= n; i++)
                printf "\"%s\" %g %g\n", rows[i], part[rows[i], 1],
                    part[rows[i], 0]
        }' >"$tmp/series"
    {
        plot_axes "$1" ""
        echo "set style data histogram; set style histogram rowstacked"
        echo "set style fill solid 0.85; set boxwidth 0.7"
        echo "set xtics rotate by -25"
        echo "plot '$tmp/series' using 2:xtic(1) title 'file system' lt 1," \
            "'' using 3 title 'the rest' lt 2"
    } >"$tmp/plot.gp"
    draw "$1"
}

# draw SET: $tmp/plot.gp
draw() {
    gnuplot "$tmp/plot.gp" 2>"$tmp/plot.err" || {
        say "lbench: gnuplot, set $1: $(grep . "$tmp/plot.err" | tail -n 1)"
        return 1
    }
}

# Eight colours that also the colour blind can tell apart
palette() {
    n=0
    for c in 0072b2 d55e00 009e73 cc79a7 e69f00 56b4e9 000000 999933; do
        n=$((n + 1))
        echo "set linetype $n lc rgb '#$c'"
    done
}
