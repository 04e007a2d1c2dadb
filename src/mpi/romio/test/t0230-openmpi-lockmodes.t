#!/bin/sh
# t0230-openmpi-lockmodes - t5001-lockmodes, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t5001-lockmodes.t"
