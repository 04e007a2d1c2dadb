#!/bin/sh
# t0202-openmpi-functions - t0002-functions, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t0002-functions.t"
