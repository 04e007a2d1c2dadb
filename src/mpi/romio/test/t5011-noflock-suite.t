#!/bin/sh
# t5011-noflock-suite - other tests, on a Lustre that has no file locks
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Each script is run without a change, with LUSTRE_SIM_NOFLOCK=1. Not among them
# are scripts that expect what needs file locks (doc/noflock.md): t2090-holes
# and t6001-stats expect gaps that are filled under a lock.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
scripts="t1001-open t2010-messages t2060-oddtypes t4003-failures t4004-crossed"
[ $FULL = no ] || scripts="$scripts t1003-layouts t2000-oracle-write t2020-defects
    t2030-owners t2070-halo t3000-oracle-read t3010-alone t3020-ahead
    t5001-lockmodes"
export LUSTRE_SIM_NOFLOCK=1
for name in $scripts; do
    ok "$name" "$SRC/src/mpi/romio/test/$name.t"
done
tap_done
