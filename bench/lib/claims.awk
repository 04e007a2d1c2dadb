# claims.awk - whether a set shows what it should: claims, then statistics
#
# -v set=ID -v format=text|markdown|html
NR == FNR {
    if (split($0, c, "|") == 8 && c[1] == set) {
        phase[++n] = c[2]
        first[n] = c[3] SUBSEP c[2] SUBSEP c[4]
        second[n] = c[5] SUBSEP c[2] SUBSEP c[6]
        least[n] = c[7]
        text[n] = c[8]
    }
    next
}

{
    split($0, f, "\t")
    if (f[4] == set)
        seconds[f[5] SUBSEP f[6] SUBSEP f[7]] = f[9]
}

function print_claim(verdict, sentence) {
    if (format == "markdown")
        print "- " verdict ": " sentence
    else if (format == "html")
        print "<li class=\"" (verdict == "holds" ? "holds" : "fails") "\">" \
            verdict ": " sentence "</li>"
    else
        print "  " verdict ": " sentence
}

END {
    if (format == "markdown" && n)
        print ""
    for (i = 1; i <= n; i++) {
        if (!(first[i] in seconds) || !(second[i] in seconds))
            continue
        ratio = seconds[second[i]] / seconds[first[i]]
        print_claim(ratio >= least[i] ? "holds" : "FAILS",
                    text[i] ": " sprintf("%.2f", ratio) " (at least " \
                        least[i] ")")
    }
}
