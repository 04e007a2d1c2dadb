#!/bin/sh
# t0211-openmpi-placement - t1005-placement, over Open MPI; with --full
# SPDX-License-Identifier: LicenseRef-romio-lustre
[ "${ADL_CHECK_FULL:-0}" = 1 ] || { echo "1..0 # SKIP with --full"; exit 0; }
ADL_MPI=openmpi exec "$(dirname "$0")/t1005-placement.t"
