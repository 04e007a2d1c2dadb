#!/bin/sh
# t3000-oracle-read - random reads (blocking, split, ordered, nonblocking)
# SPDX-License-Identifier: LicenseRef-romio-lustre
# against a model: past the end of the file, holes, overlaps, RDONLY, and what
# other ranks wrote
#
# 2,000 cases, 50,000 with ADL_CHECK_FULL=1: see oracle.c.
. "$(dirname "$0")/oracle.sh"

tap_plan 13

ok "the oracle compiles" compile_oracle
diag "ADL_TEST_SEED=$SEED"
batch on_memory 1 16 200 read
batch on_memory 2 8 200 read
batch on_memory 3 16 200 read
batch on_memory 4 9 200 all
batch on_memory 1 8 200 nonblock
batch on_memory 5 12 200 nonblock
batch on_memory 6 6 150 all
batch on_lustre 1 8 150 read
batch on_lustre 3 6 200 nonblock
batch on_lustre 5 10 150 all
batch on_lustre 6 6 150 read

# Far past the end of a file in stripes of 16 bytes, three calls at once on 4
# nodes: an aggregator that looks at every stripe for every run takes minutes.
past_the_end() {
    MPIR_CVAR_NUM_CLIQUES=4 limited "$MPIEXEC" -n 8 -genv LD_PRELOAD \
        "$CALM:$PLUGIN" "$TMP/oracle" --what read --extras none \
        --seed 91002042 --case 25 --timeout 30 --file "lustre:$FAST/f" </dev/null
}
ok "past the end of a short file with small stripes" past_the_end
