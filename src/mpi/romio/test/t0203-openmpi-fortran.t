#!/bin/sh
# t0203-openmpi-fortran - t0003-fortran, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t0003-fortran.t"
