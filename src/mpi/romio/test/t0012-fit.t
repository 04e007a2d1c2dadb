#!/bin/sh
# t0012-fit - the plug-in in front of an MPI that it does not fit
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
RL=$BUILD/romio-lustre
here=$SRC/src/mpi/romio/test
unset LD_PRELOAD

tap_plan 20

# other NAME TEXT: an MPI library of another kind, and a program linked with it
other() {
    mkdir "$TMP/$1"
    printf 'int PMPI_Init(int *c, char ***v) { return 0; }\n%s\n' "$2" |
        cc -shared -fPIC -x c -w -o "$TMP/$1/libmpi.so.12" \
            -Wl,-soname,libmpi.so.12 -
    printf '#include <stdio.h>\nint PMPI_Init(int *, char ***);\n%s\n' \
        'int main(void) { PMPI_Init(0, 0); puts("it runs"); return 0; }' |
        cc -x c -w -o "$TMP/$1/app" - -x none "$TMP/$1/libmpi.so.12" \
            -Wl,-rpath,"$TMP/$1"
}
# refused NAME PATTERN: one message and status 1, nothing of the program
refused() {
    out=$("$RL" run "$TMP/$1/app" 2>&1)
    is "$? $(echo "$out" | wc -l)" "1 1" "$1: refused, in one line"
    like "$out" "^romio-lustre: .*$2" "and said why"
    like "$("$RL" info "$TMP/$1/app")" "does not fit: .*$2" \
        "info says the same of the program"
}

other open-mpi 'int ompi_mpi_comm_world;'
refused open-mpi "Open MPI"
other standard-abi 'int PMPI_Abi_get_version(int *major, int *minor)
    { *major = 1; *minor = 0; return 0; }'
refused standard-abi "standard ABI of MPI 5"
other older 'int PMPI_Comm_rank(int c, int *r) { return 0; }'
refused older "has no PMPIX?_[A-Za-z_]+, which .* calls"
is "$("$TMP/older/app")" "it runs" "without the plug-in nothing is said"
is "$(PMI_RANK=1 "$RL" run "$TMP/older/app" 2>&1; echo $?)" 1 \
    "other ranks leave the message to the first"

# MPICH's own library of MPI 5 has the call too, and says no.
other own-abi 'int PMPI_Abi_get_version(int *major, int *minor)
    { *major = *minor = -1; return 0; }'
like "$("$RL" run "$TMP/own-abi/app" 2>&1)" "has no PMPIX?_" \
    "an MPI 5 with its own ABI is looked at further"

# ---- what fits ----
ok "a program without MPI is left alone" "$RL" run true
ok "allfile compiles" "$MPICC" -o "$TMP/allfile" "$here/allfile.c"
out=$("$RL" info "$TMP/allfile")
is $? 0 "info: a program of the MPI here"
like "$out" "^ +romio-lustre .*\(ROMIO of MPICH [45]\.[0-9]" \
    "info: which ROMIO the plug-in has"
like "$out" "^MPI library .*libmpi.*MPICH Version: *[0-9]" \
    "info: which MPI the program has"
like "$out" "^ +the plug-in fits" "info: and that they go together"

# ---- handles as numbers, new in MPI 5 ----
ok "toint compiles" "$MPICC" -Wall -Werror -o "$TMP/toint" "$here/toint.c"
ok "MPI_File_toint and _fromint" plugin_run 2 "$TMP/toint" "lustre:$TMP/f"
