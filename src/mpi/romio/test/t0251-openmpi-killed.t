#!/bin/sh
# t0251-openmpi-killed - t8030-killed, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t8030-killed.t"
