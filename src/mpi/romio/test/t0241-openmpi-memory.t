#!/bin/sh
# t0241-openmpi-memory - t2040-memory, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t2040-memory.t"
