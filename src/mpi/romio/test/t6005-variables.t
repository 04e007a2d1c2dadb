#!/bin/sh
# t6005-variables - the rest of the variables: errors, barrier, connections
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
. "$SRC/src/mpi/romio/test/reports.sh"
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 2 || exit 1

# ---- abort at the first failed system call ----
gave_up='abort_on_rw_error is set: aborting'
# failing VALUE FAULT OP...: a run in which a system call fails
failing() {
    value=$1
    SIM_OPTIONS="--fault $2"
    shift 2
    : >"$TMP/err"
    MPICH_MPIIO_ABORT_ON_RW_ERROR=$value sim_run 4 \
        "$SRC/src/mpi/romio/test/lastwords.sh" "$TMP/err" \
        "$ACCESSES" "$SIM/f" "$@" >"$TMP/out" 2>"$TMP/launcher"
    status=$?
    SIM_OPTIONS=
}
failing enable write:n=1:errno=ENOSPC coll=1,$M
like "$(cat "$TMP/err")" "$SIM/f: write failed on rank [0-9]: No space.*$gave_up" \
    "enable: a failed collective write aborts, and says where"
within 1 "$status" 255 "the job ends"
failing enable write:n=1:errno=EIO ind=1,1,100,0
like "$(cat "$TMP/err")" "write failed on rank 1: .*$gave_up" \
    "an independent one"
access 4 "$SIM/f" coll=1,$M
failing enable read:n=1:errno=EIO rcoll=1,$M
like "$(cat "$TMP/err")" "read failed on rank [0-9]: .*$gave_up" "a read"
failing disable write:n=1:errno=ENOSPC coll=1,$M
is "$(grep -c "$gave_up" "$TMP/err")" 0 "disable: the program gets the error"
like "$(cat "$TMP/err")" 'MPI_File_write_at_all.*No space' "it does"

# ---- connections at open ----
export MPIR_CVAR_NUM_CLIQUES=2
hellos() {
    sed -n 's/^hellos: //p' "$TMP/out"
}
access 4 "$SIM/f" coll=2,$M rcoll=2,$M
is "$(hellos)" 0 "OFI_STARTUP_CONNECT=disable: no messages at open"
MPICH_MPIIO_OFI_STARTUP_CONNECT=enable access 4 "$SIM/f" coll=2,$M rcoll=2,$M
is "$(hellos)" 4 "enable: a message to each of 2 aggregators, and back"
like "$(cat "$TMP/out")" '^counted:' "and all goes well"
unset MPIR_CVAR_NUM_CLIQUES
MPICH_MPIIO_OFI_STARTUP_CONNECT=enable access 4 "$SIM/f" coll=1,$M
is "$(hellos)" 0 "on one node there is no rank to connect to"
MPICH_MPIIO_OFI_STARTUP_CONNECT=enable access 1 "$SIM/f" coll=1,$M
like "$(cat "$TMP/out")" '^counted:' "one rank"

# ---- values that are no values ----
MPICH_MPIIO_STATS=7 access 2 "$SIM/f" coll=1,$M
like "$(cat "$TMP/err")" 'MPICH_MPIIO_STATS=7: expected .*; using 0' \
    "a bad value is named and does not count"
ROMIO_LUSTRE_ADVICE=perhaps access 2 "$SIM/f" coll=1,$M
like "$(cat "$TMP/err")" 'ROMIO_LUSTRE_ADVICE=perhaps: expected 0/1' "ours, too"
# Rank 0's environment counts: here rank 1 alone has the variable.
cat >"$TMP/one" <<END
#!/bin/sh
[ "\$PMI_RANK" = 1 ] && export MPICH_MPIIO_STATS=1
exec "\$@"
END
chmod +x "$TMP/one"
sim_run 2 "$TMP/one" "$ACCESSES" "$SIM/f" coll=1,$M >"$TMP/out" 2>"$TMP/err"
is "$(cat "$TMP/err")" "" "only rank 0's environment counts, no rank hangs"
like "$(cat "$TMP/out")" '^counted:' "and all goes well"

tap_done
