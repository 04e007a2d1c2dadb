# counts.awk - what one set's launches cost: text, markdown or html
#
# -v format=text|markdown|html -v set=SET [-v suite=SUITE], of results.csv. Rows
# are labels and phases, columns variants, cells of their last repetition:
# system calls / lock requests / callbacks / RPCs.
BEGIN { FS = "," }

NR == 1 {
    for (i = 1; i <= NF; i++)
        col[$i] = i
    next
}

$(col["set"]) != set || (suite != "" && $(col["suite"]) != suite) { next }

{
    row = $(col["label"]) "\t" $(col["phase"])
    v = $(col["variant"])
    if (!(row in seen)) {
        seen[row] = 1
        rows[++nrows] = row
    }
    if (!(v in known)) {
        known[v] = 1
        variants[++nvariants] = v
    }
    cell[row, v] = $(col["writes"]) + $(col["reads"]) " / " $(col["locks"]) + 0 \
        " / " $(col["callbacks"]) + 0 " / " \
        $(col["write_rpc"]) + $(col["read_rpc"])
}

function line(first, second,   i, text) {
    if (format == "html") {
        text = "<tr><td>" first "</td><td>" second "</td>"
        for (i = 1; i <= nvariants; i++)
            text = text "<td>" cells[i] "</td>"
        return text "</tr>"
    }
    if (format == "markdown") {
        text = "| " first " | " second
        for (i = 1; i <= nvariants; i++)
            text = text " | " cells[i]
        return text " |"
    }
    text = sprintf("%-30s %-6s", first, second)
    for (i = 1; i <= nvariants; i++)
        text = text sprintf(" %24s", cells[i])
    return text
}

# Rows and variants come in random order: by name, ours first.
function sort_names(a, n,   i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && (a[j] == "ours" ||
                (a[j] < a[j - 1] && a[j - 1] != "ours")); j--) {
            t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
        }
}

END {
    if (!nrows)
        exit
    sort_names(rows, nrows)
    sort_names(variants, nvariants)
    for (i = 1; i <= nvariants; i++)
        cells[i] = variants[i]
    if (format == "html")
        print "<table>"
    print line("", "")
    if (format == "markdown") {
        text = "|---|---"
        for (i = 1; i <= nvariants; i++)
            text = text "|---"
        print text "|"
    }
    for (r = 1; r <= nrows; r++) {
        split(rows[r], part, "\t")
        for (i = 1; i <= nvariants; i++)
            cells[i] = (rows[r], variants[i]) in cell ? \
                cell[rows[r], variants[i]] : "-"
        print line(part[1], part[2])
    }
    if (format == "html")
        print "</table>"
}
