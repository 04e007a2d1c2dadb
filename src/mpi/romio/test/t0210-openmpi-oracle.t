#!/bin/sh
# t0210-openmpi-oracle - random reads and writes against a model, over Open MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# 240 cases, 6,000 with ADL_CHECK_FULL=1: see oracle.c. Open MPI 4.1 itself tells
# another lower bound of some nested types than the standard, and packs some in
# another order. The oracle looks at each type before it is used, and takes a
# list of pieces with the same bytes for such a type.
ADL_MPI=openmpi
. "$(dirname "$0")/oracle.sh"

tap_plan 7
ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"
batch on_memory 1 8 40 all
batch on_memory 2 8 40 write
batch on_memory 3 6 40 nonblock
batch on_lustre 1 8 40 write
batch on_lustre 3 6 40 read
batch on_lustre 4 8 40 nonblock
