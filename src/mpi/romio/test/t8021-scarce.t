#!/bin/sh
# t8021-scarce - too little memory for the buffers: smaller ones, or none
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test
export UCX_MEM_EVENTS=n # else UCX's hooks, not ours, get the calls of mmap

tap_plan 25
ok "the preload library compiles" cc -O1 -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/failalloc.so" "$here/failalloc.c" -ldl
ok "scarce compiles" "$MPICC" -O1 -Wall -Wextra -Werror -o "$TMP/scarce" \
    "$here/scarce.c"
mib256=268435456

# scarce NODES: 4 ranks there; words in $TMP/out
scarce() {
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$MPIEXEC" -n 4 \
        -genv LD_PRELOAD "$(preload "$TMP/failalloc.so" "$PLUGIN")" \
        "$TMP/scarce" "lustre:$TMP/f" $mib256 >"$TMP/out" 2>&1 </dev/null
}
# limited_space NODES KIB: the same with so much address space a process
limited_space() (
    # shellcheck disable=SC3045 # dash and bash have -v
    ulimit -v "$2" && scarce "$1"
)

for nodes in 1 2 4; do
    ok "$nodes node(s), 600,000 KiB a process: ends" \
        limited_space $nodes 600000
    is "$(grep -c '^right' "$TMP/out")" 1 "$nodes node(s): every byte is right"
done

# Less and less, down to nothing, to share
export FAILALLOC_SHARED
for nodes in 1 2; do
    for FAILALLOC_SHARED in 40000000 4000000 400000 100; do
        ok "$nodes node(s), $FAILALLOC_SHARED bytes to share: ends" \
            scarce $nodes
        is "$(grep -c '^right' "$TMP/out")" 1 \
            "$nodes node(s): every byte is right"
    done
done
is "$(find /dev/shm -name '*romio*' 2>/dev/null)" "" "nothing stays behind"
