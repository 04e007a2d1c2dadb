#!/bin/sh
# t8002-input - offsets past the end of everything; files put there by others
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test
TIMEOUT=${ADL_TIMEOUT:-30} # what blocks on a FIFO does so for ever

ok "edges compiles" "$MPICC" -Wall -Wextra -Werror -o "$TMP/edges" \
    "$here/edges.c"
ok "opener compiles" "$MPICC" -o "$TMP/opener" "$here/opener.c"
export ROMIO_FSTYPE_FORCE=lustre:
for n in 1 2; do
    MPIR_CVAR_NUM_CLIQUES=$n ok "accesses past the largest offset, $n node(s)" \
        plugin_run 3 "$TMP/edges" "$TMP/e$n"
done

# opens VARIABLE=VALUE: the file is written all the same; words in $TMP/said
opens() {
    env "$1" "$MPIEXEC" -n 2 -genv LD_PRELOAD "$(preload "$PLUGIN")" \
        timeout -k 1 20 "$TMP/opener" "$TMP/f" write read >"$TMP/said" 2>&1 \
        </dev/null && grep -q '^close: ok' "$TMP/said"
}

# ---- the report ----
mkfifo "$TMP/fifo"
ok "a report into a FIFO without a reader: the job goes on" \
    opens ROMIO_LUSTRE_REPORT="$TMP/fifo"
like "$(cat "$TMP/said")" 'ROMIO_LUSTRE_REPORT=.*fifo: No such device' \
    "and says so"
ok "a report through a link of our own" \
    ln -s "$TMP/report" "$TMP/own"
opens ROMIO_LUSTRE_REPORT="$TMP/own"
ok "is written" [ -s "$TMP/report" ]
ok "to standard error" opens ROMIO_LUSTRE_REPORT=/dev/stderr
like "$(cat "$TMP/said")" '"file":"' "too"
if [ "$(id -u)" = 0 ]; then
    echo precious >"$TMP/precious"
    ln -s precious "$TMP/theirs"
    chown -h 65534 "$TMP/theirs"
    ok "a link of another user's" opens ROMIO_LUSTRE_REPORT="$TMP/theirs"
    is "$(cat "$TMP/precious")" precious "is not followed"
    like "$(cat "$TMP/said")" 'theirs: Too many levels of symbolic links' \
        "which is said"
else
    skip 3 "only root can make a link of another user's"
fi

# ---- the hints file ----
echo '*:romio_cb_write=disable' >"$TMP/hints"
ok "hints in a file" opens ROMIO_LUSTRE_HINTS_FILE="$TMP/hints"
for what in fifo . none; do
    ok "hints in $what: the job goes on" \
        opens ROMIO_LUSTRE_HINTS_FILE="$TMP/$what"
    like "$(cat "$TMP/said")" "ROMIO_LUSTRE_HINTS_FILE=$TMP/$what: [nN]o " \
        "and it is said"
done
if [ "$(id -u)" = 0 ]; then
    rm -f "$TMP/theirs"
    ln -s hints "$TMP/theirs"
    chown -h 65534 "$TMP/theirs"
    opens ROMIO_LUSTRE_HINTS_FILE="$TMP/theirs"
    like "$(cat "$TMP/said")" 'theirs: Too many levels of symbolic links' \
        "hints by a link of another user's are not read"
else
    skip 1 "only root can make a link of another user's"
fi
tap_done
