#!/bin/sh
# t0221-openmpi-failures - t4003-failures, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t4003-failures.t"
