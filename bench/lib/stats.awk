# stats.awk - results.csv as medians, spreads and ratios, a line a
# (set, label, phase, variant), divided by tabs
#
# A ratio is the time of ours divided by the other's in the same repetition,
# when they ran next to each other; its median and quartiles are given.
BEGIN { FS = ","; OFS = "\t" }

NR == 1 {
    for (i = 1; i <= NF; i++)
        col[$i] = i
    next
}

function get(name) { return $(col[name]) }

suite != "" && get("suite") != suite { next }

{
    row = get("set") SUBSEP get("label") SUBSEP get("phase")
    key = row SUBSEP get("variant")
    if (!(key in n)) {
        keys[++nkeys] = key
        sort1[key] = get("ranks") + 0; sort2[key] = get("nodes") + 0
        sort3[key] = get("x") + 0
        x[key] = get("x"); fs[key] = get("fs"); model[key] = get("model")
        paper[key] = get("paper"); app[key] = get("app")
        ranks[key] = get("ranks"); nodes[key] = get("nodes")
        osts[key] = get("osts"); stripes[key] = get("stripes")
        unit[key] = get("unit"); wait[key] = get("wait"); of[key] = get("suite")
    }
    value[key, ++n[key]] = get("value_s")
    rate[key, n[key]] = get("mib_s")
    bytes[key] = get("bytes")
    at_rep[key, get("rep")] = get("value_s")
    if (get("rep") + 0 > reps)
        reps = get("rep") + 0
    count[key] = get("write_rpc") OFS get("read_rpc") OFS get("locks") OFS \
        get("callbacks")
    opened[key, n[key]] = get("open_s") + get("close_s")
}

function sorted(a, m,   i, j, t) {
    for (i = 2; i <= m; i++)
        for (j = i; j > 1 && a[j] + 0 < a[j - 1] + 0; j--) {
            t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
        }
}

# The q-quantile of m sorted numbers, between the two it falls between
function quantile(a, m, q,   at, low) {
    at = 1 + q * (m - 1)
    low = int(at)
    return low >= m ? a[m] : a[low] + (at - low) * (a[low + 1] - a[low])
}

function numbers(from, key,   i) {
    for (i = 1; i <= n[key]; i++)
        list[i] = from[key, i]
    sorted(list, n[key])
}

function ratios(key, base,   r, m) {
    m = 0
    for (r = 1; r <= reps; r++)
        if (at_rep[key, r] + 0 > 0 && at_rep[base, r] + 0 > 0)
            list[++m] = at_rep[base, r] / at_rep[key, r]
    if (!m)
        return OFS OFS
    sorted(list, m)
    return sprintf("%.3f\t%.3f\t%.3f", quantile(list, m, 0.5),
                   quantile(list, m, 0.25), quantile(list, m, 0.75))
}

END {
    for (i = 1; i <= nkeys; i++) {
        k = keys[i]
        split(k, part, SUBSEP)
        base = part[1] SUBSEP part[2] SUBSEP part[3] SUBSEP "ours"
        numbers(value, k)
        med = quantile(list, n[k], 0.5)
        q1 = quantile(list, n[k], 0.25)
        q3 = quantile(list, n[k], 0.75)
        numbers(rate, k)
        mib = quantile(list, n[k], 0.5)
        mib1 = quantile(list, n[k], 0.25)
        mib3 = quantile(list, n[k], 0.75)
        print sort1[k], sort2[k], sort3[k], part[1], part[2], part[3], part[4],
            n[k], med, q1, q3, mib, mib1, mib3,
            (base in n) ? ratios(k, base) : OFS OFS, count[k], x[k], fs[k],
            model[k], paper[k], app[k], ranks[k], nodes[k], osts[k],
            stripes[k], unit[k], wait[k], of[k]
    }
}
