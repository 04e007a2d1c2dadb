#!/bin/sh
# t1012-file-type - one rank asks which file system a file is on
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# On Lustre statfs, lstat and getxattr are requests to a server. Names have no
# prefix here, so that ROMIO has to find out.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
tap_plan 16
unset ROMIO_FSTYPE_FORCE

ok "fstype compiles" "$MPICC" -Wall -Wextra -Werror \
    -Wno-deprecated-declarations -o "$TMP/fstype" \
    "$here/fstype.c"
ok "opener compiles" "$MPICC" -Wall -Wextra -Werror \
    -Wno-deprecated-declarations -o "$TMP/opener" \
    "$here/opener.c"
ok "the counter compiles" "$MPICC" -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/asks.so" "$here/count_asks.c" -ldl
sim_mkfs --osts 4 --stripe-count 2 >/dev/null || exit 1
POLITE=${POLITE:+$POLITE:}$TMP/asks.so
COUNT_BELOW=$SIM
export COUNT_BELOW

# asked RANK: what it asked in the last run
asked() {
    sed -n "s/^rank $1 asked: //p" "$TMP/err"
}

# type_of NAME: what ROMIO says of a file that it makes there
type_of() {
    sim_run 4 "$TMP/fstype" "$1" 2>"$TMP/err" || diag_file "$TMP/err"
}

like "$(type_of "$SIM/new")" LUSTRE: "a new file on Lustre"
none="statfs 0, lstat 0, getxattr 0"
is "$(asked 1),$(asked 2),$(asked 3)" "$none,$none,$none" \
    "no other rank has asked for its file system"
like "$(asked 0)" "statfs [1-9]" "rank 0 has"
: >"$SIM/there"
like "$(type_of "$SIM/there")" LUSTRE: "a file that is there"
is "$(asked 3)" "$none" "no other rank asked"
(cd "$SIM" && type_of plain) >"$TMP/out"
like "$(cat "$TMP/out")" LUSTRE: "a name without a directory"

# links: one that leads nowhere is a file to be made where it points to
mkdir "$TMP/elsewhere"
ln -s "$TMP/elsewhere/made" "$SIM/out"
like "$(type_of "$SIM/out")" UFS: "a link that leads out of Lustre to no file yet"
ln -s "$SIM/made" "$TMP/elsewhere/in"
like "$(type_of "$TMP/elsewhere/in")" LUSTRE: "and one that leads to Lustre"

# elsewhere every rank asks
like "$(COUNT_BELOW=$TMP/elsewhere type_of "$TMP/elsewhere/f")" UFS: \
    "a file that is not on Lustre"
like "$(asked 3)" "statfs [1-9]" "every rank has looked"

# no directory: the same class on all ranks
out=$(sim_run 4 "$TMP/opener" "$SIM/nowhere/f" 2>/dev/null)
is "$(echo "$out" | sed -n 's/^open: //p')" NO_SUCH_FILE "no such directory"

# the number of OSTs is asked once
sim_run 2 "$TMP/opener" "$SIM/f1" 2>"$TMP/err" >/dev/null
once=$(asked 0 | sed 's/.* //')
cat >"$TMP/many.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char name[500];
    MPI_File f;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "%s%d", argv[1], i);
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &f);
        MPI_File_close(&f);
    }
    return MPI_Finalize();
}
END
ok "five files: compiles" "$MPICC" -o "$TMP/many" "$TMP/many.c"
sim_run 2 "$TMP/many" "$SIM/g" 2>"$TMP/err" >/dev/null
is "$(asked 0 | sed 's/.* //')" $((once + 4)) \
    "five files: the directory's layout each time, the number of OSTs once"
