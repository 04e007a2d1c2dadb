#!/bin/sh
# t0007-sync - MPI_File_sync calls fsync where it must; foreign file systems
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

tap_plan 23

# cc_test NAME: compile a test program
cc_test() {
    "$MPICC" -Wall -Wextra -Werror -o "$TMP/$1" "$here/$1.c"
}
ok "the programs compile" cc_test sync
ok "the counter of fsync compiles" cc -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/count.so" "$here/count_fsync.c" -ldl

# counts CASE: fsync calls of each rank, "0 1 ..."
real=$PLUGIN
counts() {
    PLUGIN="$TMP/count.so:$real"
    plugin_run 3 "$TMP/sync" "$1" "lustre:$TMP/f" >"$TMP/out" 2>&1 || {
        diag_file "$TMP/out"
        return 1
    }
    sort "$TMP/out" | sed -n 's/^rank [0-9]*: fsync //p' | tr '\n' ' '
}

is "$(counts none)" "0 0 0 " "no rank wrote: no fsync"
is "$(counts one)" "0 1 0 " "one rank wrote: fsync there only"
is "$(counts all)" "1 1 1 " "all wrote: one fsync each"
is "$(counts twice)" "1 1 1 " "nothing new since: no second fsync"
is "$(counts reader)" "0 0 0 " "ranks that only read: no fsync"
is "$(counts size)" "1 0 0 " "a new size: fsync by the rank that set it, once"
is "$(counts reserve)" "1 0 0 " "space that was reserved: the same"
like "$(counts collective)" "[1-9]" "a collective write: fsync by its writers"
PLUGIN=$real

# A file system that is not Lustre: a layout is made up.
for dir in "$TMP" /dev/shm; do
    [ -w "$dir" ] || { skip 2 "no $dir here"; continue; }
    f=$(mktemp "$dir/adl-test.XXXXXX")
    ok "lustre: forced on $(stat -f -c %T "$dir") works" \
        plugin_run 3 "$TMP/sync" all "lustre:$f"
    out=$(plugin_run 3 "$TMP/sync" all "lustre:$f" 2>&1)
    n=$(echo "$out" | grep -c "not Lustre")
    is "$n" 1 "and says so once"
    rm -f "$f"
done
ok "striping hints are survived there" \
    plugin_run 2 "$TMP/sync" hints "lustre:$TMP/h"
ok "/dev/null as a file" plugin_run 2 "$TMP/sync" write "lustre:/dev/null"

# ---- on the embedded Lustre ----
if ! [ -x "$LUSTRE_SIM" ]; then
    skip 7 "no lustre-sim"
    exit
fi
sim_mkfs --osts 8 --stripe-count 3 --stripe-size 1M
ok "a file with the default layout" sim_run 2 "$TMP/sync" all "$SIM/a"
is "$(sim_layout stripe_count "$SIM/a") $(sim_layout stripe_size "$SIM/a")" \
    "3 1048576" "has the file system's stripes"
MPICH_MPIIO_HINTS="*:striping_unit=2097152" \
    ok "a file with striping_unit" sim_run 2 "$TMP/sync" all "$SIM/b"
is "$(sim_layout stripe_count "$SIM/b") $(sim_layout stripe_size "$SIM/b")" \
    "3 2097152" "has that stripe size and still the default count"
sim_fresh "$SIM"
ok "no rank writes" sim_run 2 "$TMP/sync" none "$SIM/c"
is "$(sim_count sync)" 0 "no sync request reaches an OST"
sim_run 2 "$TMP/sync" one "$SIM/c" >/dev/null 2>&1
ok "one rank writes: they do" [ "$(sim_count sync)" -gt 0 ]
