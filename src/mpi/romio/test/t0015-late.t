#!/bin/sh
# t0015-late - MPI is loaded after the plug-in, in a scope of its own (Python)
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test
unset LD_PRELOAD
export ROMIO_FSTYPE_FORCE=lustre:

tap_plan 17

ok "late compiles" cc -Wall -Wextra -Werror -o "$TMP/late" "$here/late.c" -ldl

# module NAME: a test program as a library
module() {
    "$MPICC" -fPIC -shared -o "$TMP/$1.so" "$here/$1.c"
}

# ---- a program with every MPI_File call ----
ok "allfile compiles as a library" module allfile
ROMIO_FSTYPE_FORCE=ufs: ok "it runs on the MPI alone" \
    mpi_run 3 "$TMP/late" "$TMP/allfile.so" "$TMP/f"
said=$(ROMIO_LUSTRE_VERBOSE=1 plugin_run 3 "$TMP/late" "$TMP/allfile.so" \
    "$TMP/f" 2>&1)
is $? 0 "and on the plug-in: every call works"
like "$said" "^romio-lustre [0-9]" "it was the plug-in that was called"
now() {
    LD_BIND_NOW=1 plugin_run 3 "$TMP/late" "$TMP/allfile.so" "$TMP/f"
}
ok "the same where names are bound at the start (LD_BIND_NOW)" now
stock() {
    limited "$BUILD/romio-lustre" run --stock "$MPIEXEC" -n 2 \
        "$TMP/late" "$TMP/allfile.so" "$TMP/f"
}
ROMIO_FSTYPE_FORCE=ufs: ok "and on stock ROMIO (run --stock)" stock

# ---- several threads and nodes ----
ok "crossed compiles as a library" module crossed
several() {
    MPIR_CVAR_NUM_CLIQUES=2 plugin_run 4 "$TMP/late" "$TMP/crossed.so" "$TMP/g"
}
ok "two threads of 4 ranks on 2 nodes" several

# ---- whatever is called first ----
libmpi=$(ldd "$TMP/allfile.so" |
    awk '/^[ \t]*lib(mpi|mpich)\.so\./ { print $3; exit }')
names=$(nm -D --defined-only "$PLUGIN" |
    awk '$2 ~ /[TW]/ && $3 ~ /^P?MPI_/ { print $3 }')
n=$(echo "$names" | wc -l)
ok "the plug-in exports $n calls" [ "$n" -ge 200 ]
# shellcheck disable=SC2086 # a list of names
is "$(LD_PRELOAD=$PLUGIN "$TMP/late" --first "$libmpi" $names)" "" \
    "each of them may be the first call: MPI's names are bound in all"

# ---- an MPI that does not fit ----
mkdir "$TMP/other"
printf '%s\n' 'int PMPI_Init(int *c, char ***v) { return 0; }' \
    'int ompi_mpi_comm_world; int MPI_File_open() { return 0; }' |
    cc -shared -fPIC -x c -w -o "$TMP/other/libmpi.so.40" \
        -Wl,-soname,libmpi.so.40 -
printf '%s\n' '#include <stdio.h>' 'int MPI_File_open();' 'int main(void)' \
    '{ puts("it runs"); fflush(stdout); return MPI_File_open(); }' |
    cc -shared -fPIC -x c -w -o "$TMP/other.so" - -x none \
        "$TMP/other/libmpi.so.40" -Wl,-rpath,"$TMP/other"
is "$("$TMP/late" "$TMP/other.so" 2>&1)" "it runs" "an Open MPI, by itself"
# not by romio-lustre run, which has a plug-in for Open MPI, too
out=$(LD_PRELOAD=$PLUGIN "$TMP/late" "$TMP/other.so" 2>&1)
is $? 1 "with the plug-in: refused at the first call"
is "$(echo "$out" | sed 1d | wc -l)" 1 "in one line"
like "$out" "^romio-lustre: this program's MPI is Open MPI" "that says why"

# ---- no MPI ----
printf '%s\n' 'int MPI_File_open();' 'int main(void)' \
    '{ return MPI_File_open(0, 0, 0, 0, 0); }' |
    cc -shared -fPIC -x c -w -o "$TMP/none.so" -
out=$(LD_PRELOAD=$PLUGIN "$TMP/late" "$TMP/none.so" 2>&1)
is $? 134 "a call without any MPI ends the process"
like "$out" "^romio-lustre: .*no MPI library is loaded" "with a message"
