# prof.sh - lib.sh, and what the scripts about lioprof share
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# PROF     the command            DATA    captured logs
#
# shellcheck shell=sh disable=SC2034

. "$(dirname "$0")/../../mpi/romio/test/lib.sh"

PROF=$BUILD/lioprof
DATA=$SRC/src/lioprof/test/data
[ -x "$PROF" ] || skip_all "no lioprof at $PROF (set ADL_BUILD)"

# status CMD...: its exit status; output in $TMP/out, errors in $TMP/err
status() {
    rc=0
    limited "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || rc=$?
    echo "$rc"
}

# cell TABLE ROW COLUMN INPUT...: a value of a table; the row by its first
# column
cell() {
    table=$1 row=$2 column=$3
    shift 3
    "$PROF" analyze -q --format csv -t "$table" "$@" |
        awk -F , -v row="$row" -v column="$column" '
            NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 2 && $1 == row { print $(at[column]); exit }'
}

# sum TABLE COLUMN INPUT...: a column added up
sum() {
    table=$1 column=$2
    shift 2
    "$PROF" analyze -q --format csv -t "$table" "$@" |
        awk -F , -v column="$column" '
            NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 2 { s += $(at[column]) } END { print s + 0 }'
}
