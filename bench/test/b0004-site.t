#!/bin/sh
# b0004-site - the suite site finds what the time model's arithmetic says
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# Four OSTs give four times the bandwidth of one, whatever the other settings:
# the stripe count must be 4, and a gain be seen. The verdict is by time, of a
# slow model: only with --full.
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
need_plugin
need_sim
[ "$FULL" = yes ] || skip_all "long: with --full"

tap_plan 4
TIMEOUT=900
said=$(limited "$SRC/bench/lbench" run site --build "$BUILD" --dir "$TMP" \
    --out "$TMP/out" --time 5m --reps 3 --pattern 'ior -p strided -b 2M -t 256K' \
    2>"$TMP/err" </dev/null)
is $? 0 "it runs"
diag "$said"
like "$said" "^export MPICH_MPIIO_HINTS='\*:striping_factor=4:.*'" \
    "all OSTs, ready to paste"
like "$said" "default took (1\.[5-9]|[2-9])[0-9.]* times as long \([0-9.]+ to [0-9.]+, 3 pairs" \
    "with the gain and its spread"
like "$said" "time model: base flash" "and that it is of a model"
