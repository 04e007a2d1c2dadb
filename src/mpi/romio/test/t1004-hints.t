#!/bin/sh
# t1004-hints - where hints come from, what is shown, what may change
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

prog=$TMP/opener
"$MPICC" -o "$prog" "$SRC/src/mpi/romio/test/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 8 --stripe-size 1M --stripe-count 2 || exit 1

# one ARG..., many N ARG...: out and err are in $out and $err
one() {
    sim_one "$prog" "$@" >"$TMP/out" 2>"$TMP/err"
    out=$(cat "$TMP/out")
    err=$(cat "$TMP/err")
}
many() {
    ranks=$1
    shift
    sim_run "$ranks" "$prog" "$@" >"$TMP/out" 2>"$TMP/err"
    out=$(cat "$TMP/out")
    err=$(cat "$TMP/err")
}
# shown NAME: the display's text for a hint
shown() {
    printf '%s\n' "$err" | sed -n "s/^          $1 *= //p"
}
got() {
    printf '%s\n' "$out" | sed -n "s/^$1=//p"
}

# ---- origins ----
export MPICH_MPIIO_HINTS_DISPLAY=1
one "$SIM/f1" info
like "$err" "^PE 0: MPIIO hints for $SIM/f1:\$" "the display has its title"
like "$err" '^PE 0: MPICH MPIIO environment settings:$' "the environment block"
like "$err" '^PE 0:   MPICH_MPIIO_HINTS_DISPLAY +   = 1$' "with its lines"
like "$err" '^          cb_buffer_size           = 16777216$' "a default: no origin"
is "$(shown striping_factor)" "2 (directory)" "from the directory"
one -h striping_factor=3 "$SIM/f2" info
is "$(shown striping_factor)" "3 (info)" "from MPI_Info"
is "$(got striping_factor)" 3 "get_info agrees"
one "$SIM/f2" info
is "$(shown striping_factor)" "3 (file)" "from a file that exists"
MPICH_MPIIO_HINTS="*f3*:striping_factor=4:cb_nodes=7,other:striping_factor=1" \
    one -h striping_factor=3 -h striping_unit=131072 "$SIM/f3" info
is "$(shown striping_factor)" "4 (environment; info asked for 3)" \
    "the environment over MPI_Info"
is "$(shown striping_unit)" "131072 (info)" "each hint by itself"
is "$(shown cb_nodes)" "1 (adjusted; environment asked for 7)" \
    "what could not be had: adjusted, and what was asked"
is "$(got cb_nodes)" 1 "get_info has the value in force"
MPICH_MPIO_HINTS='*:striping_factor=5' one "$SIM/f4"
is "$(shown striping_factor)" "5 (environment)" "MPICH_MPIO_HINTS works"
cat >"$TMP/hints" <<END
# comment
*f5:striping_factor=6:cb_config_list=#*:1#
END
ROMIO_LUSTRE_HINTS_FILE=$TMP/hints one -h striping_factor=3 "$SIM/f5" info
is "$(shown striping_factor)" "6 (hint file; info asked for 3)" \
    "from a hints file"
is "$(got cb_config_list)" "*:1" "a value with a colon"
ROMIO_LUSTRE_HINTS_FILE=$TMP/absent one "$SIM/f6"
like "$err" "ROMIO_LUSTRE_HINTS_FILE=.*absent: No such file" \
    "a hints file that is not there is reported"
MPICH_MPIIO_CB_ALIGN=2 MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE=3 one "$SIM/f7"
is "$(shown aggregator_placement_stride)" "3 (environment)" "from a variable"
printf 'striping_factor 7\n' >"$TMP/romio"
ROMIO_HINTS=$TMP/romio one "$SIM/f8"
is "$(shown striping_factor)" "7 (info)" "ROMIO_HINTS still works"
unset MPICH_MPIIO_HINTS_DISPLAY

# ---- complaints, once ----
one -h cb_node_multiplier=2 -h striping_factor=many "$SIM/f9" info
like "$err" 'unknown hint cb_node_multiplier=2.*did you mean' \
    "an unknown hint: named, with a suggestion"
like "$err" 'striping_factor=many' "a bad value is named"
is "$(got striping_factor)" 2 "and does not count"
MPICH_MPIIO_HINTS='*:nonsense_hint=1' one "$SIM/f10"
is "$(printf '%s\n' "$err" | grep -c nonsense_hint)" 1 "one line"
cat >"$TMP/twice.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_File fh;
    int i;

    MPI_Init(&argc, &argv);
    for (i = 1; i < argc; i++) {
        MPI_File_open(MPI_COMM_WORLD, argv[i],
                      MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
        MPI_File_close(&fh);
    }
    MPI_Finalize();
    return 0;
}
END
"$MPICC" -o "$TMP/twice" "$TMP/twice.c"
err=$(MPICH_MPIIO_HINTS='*:nonsense_hint=1' MPICH_MPIIO_HINTS_DISPLAY=1 \
    sim_run 2 "$TMP/twice" "$SIM/t1" "$SIM/t2" "$SIM/t3" 2>&1)
is "$(printf '%s\n' "$err" | grep -c 'romio-lustre: .*nonsense_hint')" 1 \
    "one line for all files of the job"
is "$(printf '%s\n' "$err" | grep -c 'environment settings:')" 2 \
    "the environment is shown once"
is "$(printf '%s\n' "$err" | grep -c 'MPIIO hints for')" 3 "hints for each file"

# ---- ranks that disagree ----
many 4 -k 0:striping_factor=3 -k 1:striping_factor=5 -k 2:cb_nodes=1 \
    "$SIM/d1" write read info
is "$(got striping_factor)" 3 "different hints: rank 0's count"
is "$("$LUSTRE_SIM" getstripe -c "$SIM/d1")" 3 "the file has them"
like "$out" '^close: ok' "no rank hangs"
like "$err" "$SIM/d1: ranks gave different hints.*rank 0 are used" "and it says so"
# PnetCDF gives every rank its own NUMA_ID.
many 2 -k 0:NUMA_ID=0 -k 1:NUMA_ID=1 "$SIM/d3"
like "$out" '^close: ok' "another library's hint, of each rank's own"
is "$err" "" "is neither compared nor named"
many 4 -k 2:striping_factor=5 -k 3:cb_buffer_size=1 "$SIM/d2" write read info
is "$(got striping_factor)" 2 "hints on other ranks only: they do not count"
like "$out" '^close: ok' "no rank hangs"
many 4 -h cb_nodes=2 "$SIM/d3" write
is "$err" "" "equal hints: nothing to say"
many 4 -e '0:MPICH_MPIIO_HINTS=*:striping_factor=6' \
    -e '2:MPICH_MPIIO_HINTS=*:striping_factor=1' \
    -e '1:MPICH_MPIIO_HINTS_DISPLAY=1' -e '3:MPICH_MPIIO_CB_ALIGN=77' \
    "$SIM/d4" write read info
is "$(got striping_factor)" 6 "different environments: rank 0's counts"
like "$out" '^close: ok' "no rank hangs"
is "$(printf '%s\n' "$err" | grep -c 'MPIIO hints for')" 0 "also for displays"

# ---- an open file ----
many 3 -h striping_factor=2 "$SIM/c1" hint=striping_factor=5 \
    hint=striping_unit=4194304 view=striping_unit=65536 \
    hint=romio_cb_write=disable hint=romio_ds_write=disable info write read
is "$(got striping_factor) $(got striping_unit)" "2 1048576" \
    "set_info and set_view do not change the striping"
like "$err" 'striping_factor=5 .*cannot change on an open file' "and say so"
is "$(got romio_cb_write) $(got romio_ds_write)" "disable disable" \
    "they change what can change"
is "$("$LUSTRE_SIM" getstripe -c "$SIM/c1")" 2 "the file is as it was"
many 3 "$SIM/c2" hint0=romio_cb_read=enable hint0=ind_rd_buffer_size=1000 \
    info write read
is "$(got romio_cb_read) $(got ind_rd_buffer_size)" "enable 1000" \
    "set_info on rank 0 only: it counts, no rank hangs"
one -h striping_factor=3 "$SIM/c3" view=striping_factor=3 hint=striping_factor=3
is "$err" "" "the same hint again: nothing to say"

# ---- direct I/O: had, or said that it is not ----
many 3 -h direct_io=true "$SIM/direct" write read info
like "$out" '^close: ok' "direct_io works"
like "$(got direct_io) $err" '^true |direct I/O does not work here' "or it is said"
one -a cw -h direct_write=true "$SIM/direct" write
like "$out" '^close: ok' "direct_write on a file opened WRONLY"

# ---- absurd values must be survived ----
for hint in cb_buffer_size=500 cb_buffer_size=1 cb_buffer_size=0 cb_nodes=0 \
    cb_nodes=-1 cb_nodes=99999 cb_config_list= cb_config_list=nohost:1 \
    'cb_config_list=::,,:' striping_unit=1 striping_factor=65536 \
    ind_rd_buffer_size=0 cb_aggregator_list=99 romio_cb_pfr=enable \
    cray_cb_write_lock_mode=9 "romio_lustre_pool=a_name_that_is_much_too_long"; do
    many 3 -h "$hint" "$SIM/absurd" write read
    like "$out" '^close: ok' "$hint"
done
# MPI limits one value to 1024 bytes; the environment has no such limit.
long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "host%d:1,", i; print "*:*" }')
MPICH_MPIIO_HINTS="*:cb_config_list=#$long#" many 4 "$SIM/long" write read info
like "$out" '^close: ok' "a cb_config_list of 30,000 bytes: two broadcasts"

tap_done
