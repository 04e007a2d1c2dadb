#!/bin/sh
# t0222-openmpi-crossed - t4004-crossed, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t4004-crossed.t"
