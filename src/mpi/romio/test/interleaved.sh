# interleaved.sh - lib.sh, and runs of interleaved.c with their report
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034

. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
command -v python3 >/dev/null || skip_all "no python3 to read JSON with"
TIMEOUT=${ADL_TIMEOUT:-200}
MIB=1048576
"$MPICC" -O2 -Wall -Wextra -Werror -o "$TMP/interleaved" \
    "$SRC/src/mpi/romio/test/interleaved.c" ||
    { echo "Bail out! interleaved does not compile"; exit 1; }

# interleave NODES RANKS ARG...: a new report in $TMP/report, of writing and of
# reading; what the ranks say in $TMP/out
interleave() {
    nodes=$1 ranks=$2
    shift 2
    rm -f "$TMP/report" "$SIM/f"
    ROMIO_LUSTRE_REPORT=$TMP/report node_run "$nodes" "$ranks" \
        "$TMP/interleaved" "$@" >"$TMP/out" 2>"$TMP/err" || {
        diag "exit status $?"
        diag_file "$TMP/err"
    }
}

# of DIRECTION EXPRESSION: from the report, with c the counters and d what is
# around them
of() {
    python3 - "$TMP/report" "$1" "$2" <<'EOT'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
d = lines[0 if sys.argv[2] == "write" else 1][sys.argv[2]]
c = d["counters"]
print(eval("(" + sys.argv[3] + ")"))
EOT
}
