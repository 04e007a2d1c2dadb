#!/bin/sh
# t0205-openmpi-threads - t0005-threads, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t0005-threads.t"
