#!/bin/sh
# t1007-open-faults - an open that fails on one rank fails on all
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

prog=$TMP/opener
"$MPICC" -o "$prog" "$SRC/src/mpi/romio/test/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 4 --stripe-size 64K || exit 1

tap_plan 19

# faulty FAULT N ARG...: a client is a rank here
faulty() {
    SIM_OPTIONS="--fault $1"
    shift
    sim_run "$1" "$prog" $(shift && printf '%s\n' "$@") >"$TMP/out" 2>"$TMP/err"
    unset SIM_OPTIONS
}
line() {
    sed -n "s/^$1: //p" "$TMP/out"
}

faulty open:file=f1:client=0:errno=EIO 4 -h striping_factor=4 "$SIM/f1"
is "$(line open)" IO "rank 0 cannot create: the same class on all ranks"
faulty open:file=f2:client=2:errno=EIO 4 -h striping_factor=4 "$SIM/f2"
is "$(line open)" IO "an aggregator cannot open: the same class on all ranks"
ok "with a text" grep -q '^text: ' "$TMP/out"
faulty open:file=f3:client=3:errno=EACCES 4 -h striping_factor=4 "$SIM/f3"
is "$(line open)" ACCESS "EACCES has a class of its own"
faulty open:file=f4:client=1:errno=ENOSPC 4 -h striping_factor=4 \
    -a cb "$SIM/f4"
is "$(line open)" NO_SPACE "so has ENOSPC"
faulty open:file=f11:client=1:errno=EDQUOT 4 -h striping_factor=4 \
    -a cb "$SIM/f11"
is "$(line open)" QUOTA "and EDQUOT"
faulty open:file=f5:n=1:client=2:eintr 4 -h striping_factor=4 "$SIM/f5" write read
is "$(line close)" ok "EINTR is tried again"

# On demand: rank 3 does not aggregate and opens when it writes.
faulty open:file=f6:client=3:errno=EIO 4 -h cb_aggregator_list=1 "$SIM/f6" write read
is "$(line open)" ok "a rank that need not open cannot fail"
is "$(line close)" ok "nor in collective calls"
cat >"$TMP/late.c" <<'END'
#include "expect.h"
int main(int argc, char **argv)
{
    int rank, rc;
    MPI_File fh;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "cb_aggregator_list", "1"));
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1],
                       MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh));
    MPI_Info_free(&info);
    rc = MPI_File_write_at(fh, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT_EQ(class_of(rc), rank == 3 ? MPI_ERR_ACCESS : MPI_SUCCESS);
    /* once more: the fault is over */
    MUST(MPI_File_write_at(fh, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    MUST(MPI_File_close(&fh));
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -I"$SRC/src/mpi/romio/test" -o "$TMP/late" "$TMP/late.c"
SIM_OPTIONS='--fault open:file=f7:client=3:n=1:errno=EACCES'
ok "an open on demand that fails has its own class; later it works" \
    sim_run 4 "$TMP/late" "$SIM/f7"
unset SIM_OPTIONS

# Layout calls that fail: the file is there all the same.
faulty ioctl:file=f8:errno=EINVAL 3 -h striping_factor=2 "$SIM/f8" write read
is "$(line close)" ok "no ioctl"

# ---- what is left after a failed open ----
rm -f "$SIM/f9"
faulty open:file=f9:client=2:errno=EIO 4 -a cbd -h striping_factor=4 "$SIM/f9"
is "$(line open)" IO "DELETE_ON_CLOSE that could not be opened"
faulty open:file=f10:client=1:errno=EIO 3 -h striping_factor=4 "$SIM/f10"
is "$(sim_run 3 "$prog" "$SIM/f10" write read | sed -n 's/^close: //p')" ok \
    "the file can be opened later"

# ---- files without Lustre under the driver's name ----
mkdir "$TMP/plain"
out=$(plugin_run 3 "$prog" "lustre:$TMP/plain/f" write read 2>&1)
like "$out" 'not Lustre: files here have no layout' "a foreign file system: said"
like "$out" '^close: ok' "and it works"
out=$(plugin_run 3 "$prog" -h striping_unit=65536 -h striping_factor=3 \
    "lustre:$TMP/plain/g" write read info 2>&1)
like "$out" '^striping_unit=65536' "striping_unit is taken for the domains"
like "$out" '^cb_nodes=3' "striping_factor for the aggregators"

# ---- what servers hear of an open ----
sim_fresh "$SIM"
sim_run 4 "$prog" -a r "$SIM/f10" >/dev/null 2>&1
is "$(sim_count glimpse)" 0 "an open asks no OST for the size"
is "$(sim_run 4 "$prog" -a bp "$SIM/f10" pos | sed -n 's/^pos: //p')" \
    "$(stat -c %s "$SIM/f10")" "unless it appends: all ranks are at the end"
