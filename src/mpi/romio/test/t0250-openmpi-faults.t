#!/bin/sh
# t0250-openmpi-faults - every twentieth fault of the matrix, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi ADL_FAULT_STEP=20 exec "$(dirname "$0")/t8001-faults.t"
