#!/bin/sh
# t1003-layouts - a file created with hints has exactly that layout
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

prog=$TMP/opener
"$MPICC" -o "$prog" "$SRC/src/mpi/romio/test/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
printf 'flash: 4-7\nslow: 0,1\n' >"$TMP/pools"
sim_mkfs --osts 8 --pools "$TMP/pools" --stripe-size 1M || exit 1
mkdir "$SIM/plain" "$SIM/three" "$SIM/all" "$SIM/pfl" "$SIM/three/sub" \
    "$SIM/pool" "$SIM/dom"
"$LUSTRE_SIM" setstripe -c 3 -S 2M "$SIM/three"
"$LUSTRE_SIM" setstripe -c -1 "$SIM/all"
"$LUSTRE_SIM" setstripe -p flash -c 2 "$SIM/pool"
"$LUSTRE_SIM" setstripe -E 4M -c 1 -S 1M -E -1 -c 4 -S 2M "$SIM/pfl"
"$LUSTRE_SIM" setstripe -E 1M -L mdt -E -1 -c 2 -S 1M "$SIM/dom"

# layout FILE: "count size pattern pool osts" of each component, the extent
# before it if composite; osts is "-" where there are none
layout() {
    "$LUSTRE_SIM" getstripe "$1" | awk '
        function flush() {
            if (count == "") return
            printf "%s%s%s %s %s %s %s", sep, ext, count, size, pattern,
                pool == "" ? "-" : pool, osts == "" ? "-" : osts
            sep = " | "; count = pool = osts = ""
        }
        /e_start:/ { start = $2 }
        /e_end:/ { flush(); ext = "[" start "," $2 ") " }
        /lmm_stripe_count:/ { count = $2 }
        /lmm_stripe_size:/ { size = $2 }
        /lmm_pattern:/ { pattern = $2 }
        /lmm_pool:/ { pool = $2 }
        /l_ost_idx:/ { sub(/.*l_ost_idx: */, ""); sub(/,.*/, "")
            osts = osts (osts == "" ? "" : ",") $0 }
        /^\t *[0-9]/ { osts = osts (osts == "" ? "" : ",") $1 }
        END { flush(); print "" }'
}
# open DIR HINT...: create a new file there, with these hints
number=0
create() {
    number=$((number + 1))
    file=$SIM/$1/f$number
    shift
    for hint; do
        set -- "$@" -h "$hint"
        shift
    done
    sim_one "$prog" "$@" "$file" info >"$TMP/out" 2>"$TMP/err" || cat "$TMP/err"
}
# check "DIR|HINT|HINT..." LAYOUT INFO...: the layout, then what get_info says
# (a shell pattern for the layout)
check() {
    IFS='|'
    # shellcheck disable=SC2086
    create $1
    unset IFS
    got=$(layout "$file")
    # shellcheck disable=SC2254
    case $got in
    $2) pass "$1: $2" ;;
    *) is "$got" "$2" "$1: $2" ;;
    esac
    what=$1
    shift 2
    for pair; do
        is "$(grep -E "^${pair%%=*}=" "$TMP/out")" "$pair" "$what: get_info $pair"
    done
}

# ---- plain layouts ----
check 'plain' '1 1048576 raid0 - [0-7]' striping_factor=1 striping_unit=1048576
check 'plain|striping_factor=4' '4 1048576 raid0 - *' striping_factor=4
check 'plain|striping_factor=-1' '8 1048576 raid0 - *' striping_factor=8
check 'plain|striping_factor=4|striping_unit=262144' '4 262144 raid0 - *' \
    striping_factor=4 striping_unit=262144
check 'plain|striping_unit=4M' '1 4194304 raid0 - [0-7]' striping_unit=4194304
check 'plain|striping_factor=3|start_iodevice=5' '3 1048576 raid0 - 5,6,7' \
    start_iodevice=5 romio_lustre_start_iodevice=5
check 'plain|striping_factor=2|romio_lustre_start_iodevice=7' \
    '2 1048576 raid0 - 7,0' romio_lustre_start_iodevice=7
check 'plain|start_iodevice=3' '1 1048576 raid0 - 3'
check 'plain|romio_lustre_ost_list=6,1,3-4' '4 1048576 raid0 - 6,1,3,4' \
    striping_factor=4 romio_lustre_ost_list=6,1,3-4
check 'plain|romio_lustre_ost_list=2,2,5,5' '4 1048576 raid0,overstriped - 2,2,5,5' \
    striping_factor=2 overstriping_factor=2
check 'plain|romio_lustre_pool=flash|striping_factor=2' \
    '2 1048576 raid0 flash [4-7],[4-7]' romio_lustre_pool=flash
check 'plain|romio_lustre_pool=slow|striping_factor=-1' \
    '2 1048576 raid0 slow [01],[01]' striping_factor=2
check 'plain|striping_factor=-1|overstriping_factor=2' \
    '16 1048576 raid0,overstriped - *' striping_factor=8 overstriping_factor=2
check 'plain|striping_factor=8|overstriping_ratio=3' \
    '24 1048576 raid0,overstriped - *' striping_factor=8 overstriping_ratio=3
check 'plain|striping_factor=4|romio_lustre_pool=flash|overstriping_factor=2' \
    '8 1048576 raid0,overstriped flash *' striping_factor=4 overstriping_factor=2

# ---- what no hint says is the directory's ----
check 'three' '3 2097152 raid0 - *' striping_factor=3 striping_unit=2097152
check 'three|striping_unit=65536' '3 65536 raid0 - *' striping_factor=3
check 'three|striping_factor=5' '5 2097152 raid0 - *'
check 'three/sub|striping_unit=65536' '3 65536 raid0 - *'
check 'all|striping_unit=65536' '8 65536 raid0 - *'
check 'pool|striping_unit=65536' '2 65536 raid0 flash [4-7],[4-7]'
check 'three|overstriping_factor=8|striping_factor=2' \
    '16 2097152 raid0,overstriped - *'
check 'pfl' \
    '[[]0,4194304) 1 1048576 raid0 - [0-7] | [[]4194304,EOF) 4 2097152 raid0 - -' \
    striping_factor=4 striping_unit=2097152 \
    'romio_lustre_comp_layout=-E 4M -c 1 -S 1M -E -1 -c 4 -S 2M'
check 'pfl|striping_factor=2' '2 2097152 raid0 - *'
check 'dom' '[[]0,1048576) * mdt* | [[]1048576,EOF) 2 1048576 raid0 - -' \
    striping_factor=2

# ---- composite layouts ----
check 'plain|romio_lustre_comp_layout=-E 64M -c 1 -E -1 -c 8 -S 4M' \
    '[[]0,67108864) 1 1048576 raid0 - [0-7] | [[]67108864,EOF) 8 4194304 raid0 - -' \
    'romio_lustre_comp_layout=-E 64M -c 1 -E -1 -c 8 -S 4M' \
    striping_factor=8 striping_unit=4194304
check 'three|romio_lustre_comp_layout=-E 1M -L mdt -E 1G -c 2 -E EOF -c -1' \
    '[[]0,1048576) * mdt* | [[]1048576,1073741824) 2 * | [[]1073741824,EOF) * *'
check 'plain|romio_lustre_comp_layout=-c 2 -S 128K -o 3,1' \
    '2 131072 raid0 - 3,1'
check 'plain|romio_lustre_comp_layout=-E 64M -c 1 -E -1 -c 8|striping_factor=4' \
    '[[]0,67108864) 1 *'
like "$(cat "$TMP/err")" 'striping_factor ignored: romio_lustre_comp_layout' \
    "it says that the others do not count"

# ---- striping=auto ----
check 'plain|striping=auto' '4 1048576 raid0 - *' striping_factor=4
like "$(cat "$TMP/err")" 'striping=auto: 1 node, 8 OSTs: stripe count 4' \
    "the rule is printed"
check 'plain|striping=auto|striping_factor=2' '2 *'
export MPIR_CVAR_NUM_CLIQUES=3
sim_run 3 "$prog" -h striping=auto "$SIM/auto3" >"$TMP/out" 2>"$TMP/err"
is "$("$LUSTRE_SIM" getstripe -c "$SIM/auto3")" 8 "striping=auto on 3 nodes: all OSTs"
like "$(cat "$TMP/err")" 'striping=auto: 3 nodes, 8 OSTs: stripe count 8' \
    "the rule is printed"
unset MPIR_CVAR_NUM_CLIQUES

# ---- what the file system does not want ----
check 'three|striping_unit=100000' '3 2097152 raid0 - *' striping_unit=2097152
like "$(cat "$TMP/err")" "$file.*100000|100000.*65536" "a bad size is reported"
check 'three|romio_lustre_ost_list=1,99' '3 2097152 raid0 - *' striping_factor=3
like "$(cat "$TMP/err")" \
    "$file: layout '.*-o 1,99.*' refused: Invalid argument; created with 3 stripes of 2097152 bytes" \
    "refused: what was asked, why, and what is used instead"
check 'plain|start_iodevice=77' '1 1048576 raid0 - [0-7]'
like "$(cat "$TMP/err")" "layout '.*-i 77.*' refused: Invalid argument" \
    "a first OST that is not there"
check 'plain|romio_lustre_pool=none' '1 1048576 raid0 - *'
like "$(cat "$TMP/err")" "romio_lustre_pool=none: .* has no such pool" \
    "a pool that is not there is warned of"
check 'plain|romio_lustre_pool=slow' '1 1048576 raid0 slow *'
is "$(grep -c 'no such pool' "$TMP/err")" 0 "one that is there is not"
check 'plain|striping_factor=100' '8 1048576 raid0 - *' striping_factor=8
like "$(cat "$TMP/err")" 'striping_factor=100: the file system gave 8' \
    "a count that was cut is reported"
check 'plain|romio_lustre_comp_layout=-E 3 -c nonsense' '1 1048576 raid0 - [0-7]'
like "$(cat "$TMP/err")" "layout hints make no layout|romio_lustre_comp_layout" \
    "a layout text that makes no sense"

# ---- a file that exists keeps its layout ----
file=$SIM/three/old
"$LUSTRE_SIM" setstripe -c 2 -S 512K "$file"
sim_one "$prog" -h striping_factor=5 -h striping_unit=1M "$file" info >"$TMP/out" \
    2>"$TMP/err"
is "$(layout "$file" | cut -d' ' -f1-2)" "2 524288" "an old file keeps its layout"
is "$(grep ^striping_ "$TMP/out" | sort | tr '\n' ' ')" \
    "striping_factor=2 striping_unit=524288 " "get_info says so"

# ---- the shared file pointer's file: one stripe, cheap, silent ----
MPICH_MPIIO_HINTS='*:striping_factor=8' sim_one "$prog" "$SIM/all/sh" shared \
    "sh='$LUSTRE_SIM' getstripe -c '$SIM'/all/.sh*" >"$TMP/out" 2>"$TMP/err"
is "$("$LUSTRE_SIM" getstripe -c "$SIM/all/sh")" 8 \
    "the user's file has 8 stripes"
is "$(grep -cx 1 "$TMP/out")" 1 "the shared file pointer's has 1"

tap_done
