# reports.sh - read reports, for the t6* scripts; sourced after lib.sh
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034

ACCESSES=$TMP/accesses
M=1048576
"$MPICC" -rdynamic -o "$ACCESSES" "$SRC/src/mpi/romio/test/accesses.c" -ldl ||
    { echo "Bail out! accesses does not compile"; exit 1; }

# access N ARG...: run it on N ranks of a new count; output in $TMP/out, err
access() {
    ranks=$1
    shift
    sim_fresh "$SIM"
    # the reports are about aggregators: also of blocks that no two ranks share
    sim_run "$ranks" "$ACCESSES" -h romio_cb_write=enable "$@" >"$TMP/out" 2>"$TMP/err" ||
        diag "exit status $?"
    grep -v '^[|+]' "$TMP/err" >"$TMP/other"
    [ ! -s "$TMP/other" ] || diag_file "$TMP/other"
}

# field LABEL: of the access patterns, the text after "="
field() {
    sed -n "s/^|   $1  *= //p" "$TMP/err"
}

# counted NAME: what the program counted
counted() {
    sed -n "s/^counted:.* $1=\([0-9]*\).*/\1/p" "$TMP/out"
}

# parse FILE...: blocks of reports as "block<TAB>label<TAB>values" lines. Takes
# what the known tools print and what papers make of it: other rules, blanks
# missing or added around "=", "," and "/".
parse() {
    awk '
        /^ *[|] *MPIIO (write|read) / {
            block = $0
            sub(/^ *[|] */, "", block)
            sub(/ for .*/, "", block)
            gsub(/ *, */, ", ", block)
            sub(/, $/, "", block)
            next
        }
        /^ *\+/ || block == "" { next }
        /=/ && !/time scale/ {
            label = $0
            sub(/^ *[|] */, "", label)
            value = label
            sub(/ *=.*/, "", label)
            sub(/^[^=]*= */, "", value)
            gsub(/ +/, " ", label)
            sub(/ \(\*\)$/, "", label)
            gsub(/ +/, " ", value)
            print block "\t" label "\t" value
        }' "$@"
}

# time_of BLOCK LABEL N: column N (1 min, 2 max, 3 ave) of a row of the phases,
# in ticks; the total has one column
time_of() {
    parse "$TMP/err" | awk -F '\t' -v b="$1" -v l="$2" -v n="$3" '
        $1 == b && $2 == l { split($3, v, " "); print v[n]; exit }'
}

# row_sum BLOCK WRITING RANKS: the rows' averages together, in percent of the
# total; WRITING / RANKS weighs the row of system calls
row_sum() {
    parse "$TMP/err" | awk -F '\t' -v b="$1" -v w="$2" -v r="$3" '
        $1 != b || $2 ~ /BW|number of|time$/ { next }
        $2 == "total" { total = $3; next }
        { split($3, v, " "); n += v[3] * ($2 ~ /^file / ? w / r : 1) }
        END { printf "%.1f\n", total ? 100 * n / total : 0 }'
}

# within LOW VALUE HIGH DESC: as numbers
within() {
    if awk -v a="$1" -v x="$2" -v b="$3" 'BEGIN { exit !(x != "" &&
        a + 0 <= x + 0 && x + 0 <= b + 0) }'; then
        pass "$4"
    else
        fail "$4"
        diag "$2 is not between $1 and $3"
    fi
}
