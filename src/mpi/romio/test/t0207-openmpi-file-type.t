#!/bin/sh
# t0207-openmpi-file-type - t1012-file-type, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t1012-file-type.t"
