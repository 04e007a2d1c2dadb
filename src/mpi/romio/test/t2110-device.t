#!/bin/sh
# t2110-device - buffers in device memory, on false libraries of the devices
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test
# fake MACRO LIBRARY: build a false one
fake() {
    ok "a false $2" cc -Wall -Wextra -Werror -O2 -shared -fPIC "-D$1" \
        "-Wl,-soname,$2" -o "$TMP/$2" "$here/fake_device.c"
}
fake FAKE_CUDA libcuda.so.1
fake FAKE_HIP libamdhip64.so.6
fake FAKE_ZE libze_loader.so.1
ok "the program" "$MPICC" -Wall -Wextra -Werror -o "$TMP/device" \
    "$here/device.c" -ldl
sim_mkfs --osts 4 --stripe-size 1M --stripe-count 4 || exit 1

# on LIBRARY NODES OP...: out; what the library counted of all ranks together:
# copies from the device and back, bytes, the largest copy, questions
on() {
    library=$1 nodes=$2
    shift 2
    rm -f "$TMP/counts"
    out=$(LD_PRELOAD="$TMP/$library" FAKE_DEVICE_LOG="$TMP/counts" \
        node_run "$nodes" 4 "$TMP/device" "$SIM/f" "$@" 2>&1)
    eval "$(tr ' ' '\n' <"$TMP/counts" | awk -F = '
        $1 == "largest" { if ($2 > most) most = $2; next }
        NF == 2 { sum[$1] += $2 }
        END { printf "largest=%d\n", most
              for (k in sum) printf "%s=%d\n", k, sum[k] }')"
}

M=1048576
all="coll ind nb inb split strided column row far scattered bottom"
for kind in cuda rocm level_zero; do
    case $kind in
    cuda) library=libcuda.so.1 ;;
    rocm) library=libamdhip64.so.6 ;;
    *) library=libze_loader.so.1 ;;
    esac
    # shellcheck disable=SC2086 # a list of words
    on $library 1 kinds $all
    like "$out" '^end$' "$kind: every kind of call, one node"
    like "$out" "^kinds: system,mpi,$kind\$" "the file's info says so"
    # shellcheck disable=SC2086
    on $library 2 $all
    like "$out" '^end$' "$kind: two nodes"
done

# ---- one copy, window by window ----
on libcuda.so.1 1 coll
is "$((bytes / 4))" $((2 * 4 * M)) "one node: every byte is copied once each way"
ok "in more than one copy: never a whole request ($in)" test "$in" -ge $((4 * 4))
on libcuda.so.1 2 coll
is "$((bytes / 4))" $((2 * 4 * M)) "two nodes: the same"
on libcuda.so.1 1 large
is "$largest" $M "independent: 1 MiB at a time"
is "$pinned" 8 "32 MiB: through pinned memory"
on libcuda.so.1 1 ind
is "$pinned" 0 "4 MiB: not worth it"

# ---- small runs are merged ----
# 16,384 runs of 8 bytes a rank, 8 apart in memory: 4 x 64 KiB, a few more where
# windows end
on libcuda.so.1 1 column
ok "16,384 runs of a rank: 40 copies at most from the device ($in)" \
    test "$in" -le 160
ok "and 40 back, of rows ($back)" test "$back" -le 160
is "$((bytes / 4 < 512 * 1024))" 1 "back without the gaps, there at most twice"
# 32,768 runs in the file, contiguous in memory
on libcuda.so.1 1 row
ok "32,768 pieces of the file: 40 copies at most ($in, $back)" \
    test $((in <= 160 && back <= 160)) = 1
# 32 runs of 8 bytes, 128 KiB apart
on libcuda.so.1 1 far
is "$((bytes / 4))" $((2 * 32 * 8)) "runs far apart: nothing beside them is copied"

# ---- memory that is freed, and the processor's then ----
on libcuda.so.1 1 reuse
like "$out" '^end$' "an address that was a device's once"

# ---- nothing is asked where nothing can be ----
on libcuda.so.1 1 host=system,mpi
like "$out" '^end$' "host memory beside a device"
is "$asked" 0 "mpi_assert_memory_alloc_kinds=system,mpi: no question"
on libcuda.so.1 1 host=system,cuda:host:managed
is "$asked" 0 "nor for what the processor can touch"
on libcuda.so.1 1 host=system,cuda:device
is "$asked" 8 "another promise: a question a call"
out=$(sim_run 2 "$TMP/device" "$SIM/f" kinds host=system 2>&1)
like "$out" '^kinds: system,mpi$' "without a device's library"

# ---- a copy that fails ----
FAKE_DEVICE_FAIL=2 on libcuda.so.1 1 fail=coll
is "$(printf '%s\n' "$out" | grep -c '^write: IO$')" 4 \
    "a failed copy is an error on all ranks"
is "$(printf '%s\n' "$out" | grep -c '^read: ok$')" 4 "of that call"
FAKE_DEVICE_FAIL_OUT=1 on libcuda.so.1 2 fail=coll
is "$(printf '%s\n' "$out" | grep -c '^read: IO$')" 4 "of a read, too"
FAKE_DEVICE_FAIL=1 FAKE_DEVICE_FAIL_OUT=1 on libcuda.so.1 1 fail=ind
is "$(printf '%s\n' "$out" | grep -c ': IO$')" 8 "of independent calls, too"

# ---- the oracle, every buffer on the device ----
ok "the oracle compiles" "$MPICC" -std=gnu11 -O2 -o "$TMP/oracle" \
    "$here/oracle.c" "$here"/oracle/*.c -ldl
# random LIBRARY WHAT SEED
cases=15
[ $FULL = no ] || cases=300
random() {
    LD_PRELOAD="$TMP/$1" TIMEOUT=840 node_run 2 6 "$TMP/oracle" \
        --cases $cases --seed "$3" --what "$2" --timeout 600 \
        --file "$SIM/oracle" >"$TMP/log" 2>&1
    like "$(tail -n 20 "$TMP/log")" " $cases cases on .*, 0 failed" \
        "$cases random cases: $2, $1"
}
random libcuda.so.1 write 5
random libamdhip64.so.6 read 6
random libze_loader.so.1 nonblock 7
if [ $FULL = yes ]; then
    random libcuda.so.1 read 5
    random libcuda.so.1 nonblock 5
    random libze_loader.so.1 write 8
fi
tap_done
