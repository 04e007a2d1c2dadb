#!/bin/sh
# t0208-openmpi-colons - t1010-colons, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t1010-colons.t"
