#!/bin/sh
# t0204-openmpi-errors - t0004-errors, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t0004-errors.t"
