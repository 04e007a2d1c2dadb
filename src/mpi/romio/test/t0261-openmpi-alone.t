#!/bin/sh
# t0261-openmpi-alone - configure MPICC=mpicc.openmpi: a build for Open MPI alone
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi
. "$(dirname "$0")/lib.sh"
[ $FULL = yes ] || skip_all "a build of its own: with --full"
need_plugin
command -v mpicc.openmpi >/dev/null || skip_all "no mpicc.openmpi"
here=$SRC/src/mpi/romio/test
alone=$TMP/alone
unset LD_PRELOAD

tap_plan 10
mkdir "$alone"
# in_build CMD...: there, with time enough
in_build() {
    (cd "$alone" && TIMEOUT=1200 && limited "$@")
}
ok "configure MPICC=mpicc.openmpi" in_build "$SRC/configure" -q \
    MPICC=mpicc.openmpi
ok "make" in_build make -s -j2
is "$(cd "$alone" && echo libromio_*.so)" libromio_lustre_openmpi.so \
    "one plug-in, that for Open MPI"
RL=$alone/romio-lustre
out=$("$RL" info)
is $? 0 "info: nothing is broken"
like "$out" "^plug-in +for mpich: not built" "it says which one is not here"
is "$(echo "$out" | grep -c '^ *the plug-in fits')" 1 "and that the other fits"
like "$("$RL" env)" "libromio_lustre_openmpi\.so'\$" "it is the default"

ok "a program compiles" mpicc.openmpi -o "$TMP/allfile" "$here/allfile.c"
ROMIO_LUSTRE_VERBOSE=1 ok "and runs" limited "$RL" run "$MPIEXEC" -n 3 \
    "$TMP/allfile" "lustre:$TMP/f"
like "$(cat "$TMP/.out")" "^romio-lustre [0-9]" "through it"
