#!/bin/sh
# t0209-openmpi-on-error - t4010-on-error, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t4010-on-error.t"
