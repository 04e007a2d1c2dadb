#!/bin/sh
# t2000-oracle-write - random collective and independent writes against a model
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# 2,000 cases, 50,000 with ADL_CHECK_FULL=1: see oracle.c.
. "$(dirname "$0")/oracle.sh"

tap_plan 11

ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"
batch on_memory 1 16 250 write
batch on_memory 2 8 250 write
batch on_memory 3 16 250 write
batch on_memory 4 9 200 write
batch on_memory 5 12 200 write
batch on_memory 6 6 150 write
batch on_lustre 1 8 250 write
batch on_lustre 3 6 150 write
batch on_lustre 5 10 150 write
batch on_lustre 6 6 150 write
