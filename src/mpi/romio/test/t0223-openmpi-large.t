#!/bin/sh
# t0223-openmpi-large - t4005-large-counts, over Open MPI: large types
# SPDX-License-Identifier: LicenseRef-romio-lustre
ADL_MPI=openmpi exec "$(dirname "$0")/t4005-large-counts.t"
