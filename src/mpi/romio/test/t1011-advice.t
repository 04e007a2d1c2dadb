#!/bin/sh
# t1011-advice - a large job creates files of few stripes: one line of advice
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
"$MPICC" -o "$TMP/opener" "$SRC/src/mpi/romio/test/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 8 --stripe-size 64K --stripe-count 1 || exit 1
mkdir "$SIM/pfl" "$SIM/wide"
"$LUSTRE_SIM" setstripe -E 4M -c 1 -E 1G -c 2 -E -1 -c 8 "$SIM/pfl"
"$LUSTRE_SIM" setstripe -c 4 "$SIM/wide"

# created NODES RANKS FILE OPTION...: the lines of advice
created() {
    nodes=$1 n=$2 file=$3
    shift 3
    node_run "$nodes" "$n" "$TMP/opener" "$@" "$SIM/$file" info 2>&1 |
        grep 'advice for'
}
like "$(created 4 5 one)" \
    "^romio-lustre: advice for $SIM: new files here have 1 stripe, of 8 OSTs, for 5 ranks on 4 nodes: try striping_factor=8\$" \
    "one stripe: a line with the hint"
like "$(created 4 5 pfl/x)" \
    "have 2 stripes at 5 MiB, of 8 OSTs, .*try striping_factor=8" \
    "a composite default: the stripes at 1 MiB a rank"
is "$(created 4 5 one)" "" "a file that is there already: none"
is "$(created 4 5 wide/x)" "" "half of the OSTs: none"
is "$(created 2 5 two)" "" "a small job: none"
is "$(created 4 5 hint -h striping_factor=1)" "" "as the user wants it: none"
is "$(created 4 5 auto -h striping=auto)" "" "striping=auto: none"
is "$(sim_layout stripe_count "$SIM/auto")" 8 "which takes the same"
is "$(ROMIO_LUSTRE_ADVICE=0 created 4 5 off)" "" "ROMIO_LUSTRE_ADVICE=0: none"

# ---- why: the table of doc/striping.md, in virtual time ----
# took PROFILE HINT VALUE: milliseconds from open to the end of close
took() {
    "$BUILD/simulate" scale --ranks 32 --nodes 8 --osts 16 --profile "$1" \
        --kind 1 --bytes 4194304 --record 262144 --calls 2 --write-only 1 \
        "--hint:$2" "$3" 2>&1 | awk '/^scale: / {
            for (i = 2; i <= NF; i++)
                if (split($i, part, "=") == 2 &&
                    part[1] ~ /^(open|write|close)_ms$/)
                    sum += part[2]
            printf "%d", sum }'
}
if [ -x "$BUILD/simulate" ]; then
    for profile in flash disk; do
        best=$(took $profile striping_factor 16)
        auto=$(took $profile striping auto)
        default=$(took $profile romio_lustre_comp_layout \
            '-E 64M -c 1 -S 4M -E 1G -c 4 -E -1 -c -1')
        diag "$profile: best hints $best ms, striping=auto $auto ms, default" \
            "PFL layout without a hint $default ms"
        ok "$profile: striping=auto has 0.9 of the speed of the best hints" \
            test $((best > 0 && 10 * best >= 9 * auto)) = 1
        ok "a PFL default has less: that is what the line is for" \
            test $((10 * best < 9 * default)) = 1
    done
else
    skip 4 "no simulate in $BUILD (make simulate)"
fi
tap_done
