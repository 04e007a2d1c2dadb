# table.awk - the statistics of one set as a table: text, markdown or html
#
# -v format=text|markdown|html -v unit=mib|ms|count -v ratios=yes|no -v best=yes
# Rows are labels and phases, columns variants: of ours (or where there is no
# ours, or no ratios are wanted: of each) the figure, of others ours divided by
# it. With best=yes a last column has the largest of these, and whose it is; a
# file per process is not one of them: it leaves many files.
BEGIN { FS = "\t" }

{
    row = $5 FS $6
    if (!(row in seen)) {
        seen[row] = 1
        rows[++nrows] = row
        note[row] = $25
    }
    if (!($7 in known)) {
        known[$7] = 1
        variants[++nvariants] = $7
    }
    if ($25 != "")
        papers = 1
    med[row, $7] = unit == "ms" ? $9 * 1000 : unit == "mib" ? $12 : $9
    low[row, $7] = unit == "ms" ? $10 * 1000 : unit == "mib" ? $13 : $10
    high[row, $7] = unit == "ms" ? $11 * 1000 : unit == "mib" ? $14 : $11
    ratio[row, $7] = $15
    rlow[row, $7] = $16
    rhigh[row, $7] = $17
    callbacks[row, $7] = $21
    count[row, $7] = $8
}

function figure(v) {
    return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) \
        : v >= 0.1 ? sprintf("%.2f", v) : sprintf("%.4f", v)
}

function cell(row, v,   text) {
    if (!((row, v) in med))
        return "-"
    text = figure(med[row, v])
    if (v != "ours" && any_ours() && !((row, "ours") in med))
        return "(" text ")" # not a ratio: ours is missing
    if (v != "ours" && any_ours() && ratio[row, v] != "") {
        text = sprintf("%.2f", ratio[row, v])
        if (count[row, v] > 1)
            text = text sprintf(" (%.2f to %.2f)", rlow[row, v], rhigh[row, v])
    } else if (count[row, v] > 1) {
        text = text " (" figure(low[row, v]) " to " figure(high[row, v]) ")"
    }
    return text
}

# Worse than the other by more than the spread: to be seen at once.
function lost(row, v) {
    return v != "ours" && any_ours() && ratio[row, v] != "" && rlow[row, v] > 1.05
}

function best_of(row,   i, v, most, who) {
    for (i = 1; i <= nvariants; i++) {
        v = ordered[i]
        if (v != "ours" && v != "fpp" && ratio[row, v] + 0 > most) {
            most = ratio[row, v] + 0
            who = v
        }
    }
    return who == "" ? "-" : sprintf("%.2f %s", most, who)
}

function head(v) {
    if (v == "ours" || !any_ours())
        return v (unit == "ms" ? ", ms" : unit == "mib" ? ", MiB/s" : "")
    return "ours / " v
}

function any_ours() { return ratios != "no" && ("ours" in known) }

# ours first, then as they came in the sorted input
function order_variants(   i, n) {
    if ("ours" in known)
        ordered[++n] = "ours"
    for (i = 1; i <= nvariants; i++)
        if (variants[i] != "ours")
            ordered[++n] = variants[i]
}

function line(first, second, cells,   i, text) {
    if (format == "markdown") {
        text = "| " first " | " second
        for (i = 1; i <= ncells; i++)
            text = text " | " cells[i]
        return text " |"
    }
    text = sprintf("%-30s %-6s", first, second)
    for (i = 1; i <= ncells; i++)
        text = text sprintf(" %22s", cells[i])
    return text
}

function class_of(row, i) {
    if (i > nvariants)
        return " class=\"paper\""
    return row != "" && lost(row, ordered[i]) ? " class=\"lost\"" : ""
}

function html_line(tag, first, second, cells, row,   i, text) {
    text = "<tr><" tag ">" first "</" tag "><" tag ">" second "</" tag ">"
    for (i = 1; i <= ncells; i++)
        text = text "<" tag class_of(row, i) ">" cells[i] "</" tag ">"
    return text "</tr>"
}

END {
    if (!nrows)
        exit
    order_variants()
    for (i = 1; i <= nvariants; i++)
        cells[i] = head(ordered[i])
    ncells = nvariants
    if (papers)
        cells[++ncells] = "the paper"
    if (best == "yes")
        cells[++ncells] = "ours / best"
    if (format == "html")
        print "<table><thead>" html_line("th", "", "", cells, "") \
            "</thead><tbody>"
    else
        print line("", "", cells)
    if (format == "markdown") {
        text = "|---|---"
        for (i = 1; i <= ncells; i++)
            text = text "|---"
        print text "|"
    }
    for (r = 1; r <= nrows; r++) {
        split(rows[r], part, FS)
        for (i = 1; i <= nvariants; i++)
            cells[i] = cell(rows[r], ordered[i])
        if (papers)
            cells[nvariants + 1] = note[rows[r]]
        if (best == "yes")
            cells[ncells] = best_of(rows[r])
        print format == "html" ? \
            html_line("td", part[1], part[2], cells, rows[r]) : \
            line(part[1], part[2], cells)
    }
    if (format == "html")
        print "</tbody></table>"
}
