#!/bin/sh
# t0240-openmpi-stats - t6001-stats, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t6001-stats.t"
