#!/bin/sh
# t0206-openmpi-info - hints that are too long for an MPI_Info of Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Its keys have up to 35 characters and its values 255. Longer ones come from the
# environment and from files: none of them may end the job.
ADL_MPI=openmpi
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

tap_plan 12
long=romio_lustre_cb_lock_ahead_num_extents
nodes="$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "node%03d:1,", i }')*:*"
ok "the program compiles" "$MPICC" -Wall -Wextra -Werror \
    -Wno-deprecated-declarations -o "$TMP/longinfo" \
    "$here/longinfo.c"

# told KEY: length and value
told() {
    sed -n "s/^$1 //p" "$TMP/out"
}

cat >"$TMP/hints" <<END
*:$long=77:cb_config_list=#$nodes#
END
export ROMIO_LUSTRE_HINTS_FILE="$TMP/hints"
plugin_run 3 "$TMP/longinfo" "lustre:$TMP/f" >"$TMP/out" 2>"$TMP/err"
is "$? $(tail -n 1 "$TMP/out")" "0 closed" "hints of a file, with long names"
is "$(told cb_lock_ahead_num_extents)" "2 77" \
    "the hint with the long name is told by its short one"
is "$(told $long)" "" "and by that alone"
is "$(told cb_config_list)" "255 $(printf %.255s "$nodes")" \
    "a value that is too long is cut"
is "$(grep -c "the first 255 characters of cb_config_list" "$TMP/err")" 1 \
    "and one line says so"
is "$(told striping_factor)" "1 2" "the program's own hints are in force"
is "$(cut -d ' ' -f 1 "$TMP/out" | awk 'length > 35')" "" \
    "no key is longer than Open MPI's"

MPICH_MPIIO_HINTS="*:$long=78" \
    plugin_run 3 "$TMP/longinfo" "lustre:$TMP/f" >"$TMP/out" 2>"$TMP/err"
is "$? $(told cb_lock_ahead_num_extents)" "0 2 78" "a variable goes before it"

# ROMIO's own hints file, with ROMIO's own driver too: "KEY VALUE" in each line
unset ROMIO_LUSTRE_HINTS_FILE
key=$(printf '%060d' 0 | tr 0 k)
value=$(printf '%0300d' 0 | tr 0 v)
printf '%s\n' "$key 1" "a_key $value" "cb_buffer_size 65536" >"$TMP/romio"
export ROMIO_HINTS="$TMP/romio"
for driver in ufs lustre; do
    plugin_run 3 "$TMP/longinfo" "$driver:$TMP/f" >"$TMP/out" 2>"$TMP/err"
    is "$? $(tail -n 1 "$TMP/out")" "0 closed" \
        "$driver: ROMIO_HINTS with a long key and a long value"
done
ROMIO_PRINT_HINTS=1 plugin_run 2 "$TMP/longinfo" "ufs:$TMP/f" >"$TMP/out" 2>&1
like "$(cat "$TMP/out")" "^closed" "and with all of them printed"
