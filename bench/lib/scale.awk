# scale.awk - results of the suite scale as a table of doc/scale.md, or as the
# data of a plot
#
# -v want=page: all rows; want=kinds: messages of ours by phase and kind;
# want=plot -v figure_name=NAME: ranks, then the figure of each variant, of the rows
# of records in turn on 64 OSTs.
# A cell has ours / stock ad_lustre / generic; ours alone where only that ran.
BEGIN {
    FS = ","
    variants = split("ours stock-lustre stock", variant, " ")
    patterns = split("interleaved blocks lattice halo irregular", pattern, " ")
}

NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}

$at["suite"] == "scale" && $at["variant"] != "by-hand" {
    if ($at["set"] ~ /^simkind-/) {
        count_kind($at["set"], $at["ranks"] " x " $at["nodes"], $at["phase"])
        next
    }
    name = $at["set"]
    sub(/^[^-]*-/, "", name)
    row = name " " $at["ranks"] " " $at["nodes"] " " $at["osts"]
    if (!(row in seen)) {
        seen[row] = 1
        rows[++n] = row
    }
    value[row, $at["variant"], $at["phase"]] = $at["value_s"]
}

function count_kind(set, size, kind) {
    if (set != "simkind-interleaved")
        return
    if (!(kind in kind_seen)) {
        kind_seen[kind] = 1
        kinds[++nkinds] = kind
    }
    messages[kind, size] = $at["value_s"]
}

# 1234567 as 1,234,567
function grouped(v,   text, out) {
    text = sprintf("%d", v)
    while (length(text) > 3) {
        out = "," substr(text, length(text) - 2) out
        text = substr(text, 1, length(text) - 3)
    }
    return text out
}

function short(v) {
    return v >= 100 ? grouped(v + 0.5) : v >= 10 ? sprintf("%.0f", v) \
        : v >= 1 ? sprintf("%.1f", v) : sprintf("%.2f", v)
}

function figure(row, v, what,   part) {
    if (!((row, v, "far_messages") in value))
        return "-"
    split(row, part, " ")
    if (what == "write" || what == "read")
        return sprintf("%.2f", 1000 * value[row, v, what])
    if (what == "far_bytes")
        return short(value[row, v, what] / 1e6)
    if (what == "node")
        return short((value[row, v, "rank_kib"] * part[2] / part[3] + \
            value[row, v, "node_shared_kib"]) / 1024)
    return grouped(value[row, v, what])
}

function cell(row, what,   i, text, others) {
    for (i = 1; i <= variants; i++) {
        text = text (i > 1 ? " / " : "") figure(row, variant[i], what)
        others = others || (i > 1 && figure(row, variant[i], what) != "-")
    }
    return others ? text : figure(row, "ours", what)
}

function after(a, b,   x, y) {
    split(a, x, " ")
    split(b, y, " ")
    if (x[2] != y[2])
        return x[2] + 0 > y[2] + 0
    return x[3] != y[3] ? x[3] + 0 > y[3] + 0 : x[4] + 0 > y[4] + 0
}

function sort_rows(   i, k, t) {
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && after(rows[k - 1], rows[k]); k--) {
            t = rows[k]; rows[k] = rows[k - 1]; rows[k - 1] = t
        }
}

function line(row, name,   part) {
    split(row, part, " ")
    printf "| %s%s x %s | %s", name == "" ? "" : name " | ", \
        grouped(part[2]), grouped(part[3]), grouped(part[4])
    if (want == "page")
        printf " | %s | %s", cell(row, "write"), cell(row, "read")
    printf " | %s | %s", cell(row, "far_messages"), cell(row, "far_bytes")
    printf " | %s", cell(row, "rank_kib")
    if (want == "page")
        printf " | %s | %s", cell(row, "aggregator_kib"), cell(row, "node")
    print " |"
}

function page(   i, k, part) {
    print "| pattern | ranks x nodes | OSTs | write, ms | read, ms | messages between nodes | MB between nodes | KiB of a rank, mean | KiB of the rank with most | MiB of a node |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (k = 1; k <= patterns; k++)
        for (i = 1; i <= n; i++) {
            split(rows[i], part, " ")
            if (part[1] == pattern[k])
                line(rows[i], pattern[k])
        }
}


function exponent(a, b) {
    return a > 0 && b > 0 ? sprintf("%.2f", log(b / a) / log(16)) : "-"
}

function by_kind(   i, k, n, size, part, phase, phases) {
    n = split("1024 x 64,4096 x 256,16384 x 1024", size, ",")
    phases = split("open write read close", phase, " ")
    print "| in | kind | 1,024 x 64 | 4,096 x 256 | 16,384 x 1,024 | exponent |"
    print "|---|---|---|---|---|---|"
    for (k = 1; k <= phases; k++)
        for (i = 1; i <= nkinds; i++) {
            split(kinds[i], part, "_")
            if (part[1] != phase[k])
                continue
            printf "| %s | %s | %s | %s | %s | %s |\n", part[1], part[2], \
                grouped(messages[kinds[i], size[1]]), \
                grouped(messages[kinds[i], size[2]]), \
                grouped(messages[kinds[i], size[3]]), \
                exponent(messages[kinds[i], size[1]], \
                    messages[kinds[i], size[3]])
        }
}

function plot(   i, k, part, v) {
    for (i = 1; i <= n; i++) {
        split(rows[i], part, " ")
        if (part[1] != "interleaved" || part[4] != 64 || part[2] / part[3] != 16)
            if (part[1] != "interleaved" || part[2] != 64)
                continue
        printf "%s", part[2]
        for (k = 1; k <= variants; k++) {
            v = value[rows[i], variant[k], figure_name]
            printf " %s", v == "" ? "NaN" : \
                figure_name == "write" ? 1000 * v : v
        }
        print ""
    }
}

END {
    sort_rows()
    if (want == "page")
        page()
    else if (want == "kinds")
        by_kind()
    else
        plot()
}
