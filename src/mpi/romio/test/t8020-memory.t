#!/bin/sh
# t8020-memory - every allocation of the plug-in fails once: no hang, no crash
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# An error on all ranks or a job that ends with a word about it are both right.
. "$(dirname "$0")/lib.sh"
need_plugin
TIMEOUT=${ADL_TIMEOUT:-900}
here=$SRC/src/mpi/romio/test
export UCX_MEM_EVENTS=n # else UCX's hooks, not ours, get the calls of mmap
command -v addr2line >/dev/null || skip_all "no addr2line here"

ok "the preload library compiles" cc -O1 -Wall -Wextra -Werror -shared -fPIC \
    -o "$TMP/failalloc.so" "$here/failalloc.c" -ldl
ok "nomemory compiles" "$MPICC" -O1 -Wall -Wextra -Werror -o "$TMP/nomemory" \
    "$here/nomemory.c"
{ grep -v '^#' "$here/nomemory.known"; echo 'nothing: at all'; } >"$TMP/known"

# ROMIO's own allocator ends the job when there is no memory, with a word.
FAILALLOC_SKIP=$(nm -S "$PLUGIN" |
    awk '/ ADIOI_(Malloc|Calloc|Realloc)_fn$/ { print $1, $2 }' | tr '\n' ' ')
export FAILALLOC_SKIP FAILALLOC_TRACE=1

# launch NODES RANK FROM: words in $TMP/out
launch() {
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$MPIEXEC" -n 4 \
        -genv LD_PRELOAD "$(preload "$TMP/failalloc.so" "$PLUGIN")" \
        "$TMP/nomemory" --rank "$2" --from "$3" "lustre:$TMP/f" \
        >"$TMP/out" 2>&1 </dev/null
}

# function_of N: where the allocation that failed last was made
function_of() {
    at=$(sed -n "s/^failalloc: $1 at [^+]*+\([0-9]*\),.*/\1/p" "$TMP/out" |
        head -n 1)
    [ -z "$at" ] || addr2line -f -e "$PLUGIN" "$(printf '0x%x' $((at - 1)))" |
        head -n 1
}

# judge_end: what became of a job that did not come to its end
judge_end() {
    if grep -q '^hangs: ' "$TMP/out"; then
        echo hangs
    elif grep -qE 'nomemory\.c:[0-9]+: ' "$TMP/out"; then
        sed -n 's/.*nomemory\.c:[0-9]*: //p' "$TMP/out" | head -n 1
    elif grep -qiE 'memory.*abort|Out of memory' "$TMP/out"; then
        echo told
    else
        echo crashes
    fi
}

# every NODES RANK: each allocation of the rank (-1: of all ranks)
every() {
    from=1 told=0
    : >"$TMP/failed"
    until launch "$1" "$2" "$from"; do
        n=$(sed -n 's/^now //p' "$TMP/out" | tail -n 1)
        [ -n "$n" ] && [ "$n" -ge "$from" ] && [ "$n" -lt 1000 ] || break
        how=$(judge_end)
        if [ "$how" = told ]; then
            told=$((told + 1))
        else
            echo "$(function_of "$n"): $how" >>"$TMP/failed"
        fi
        from=$((n + 1))
    done
    all=$(sed -n 's/^end //p' "$TMP/out")
}

# check NODES RANK: two tests
check() {
    every "$1" "$2"
    name="$1 node(s), rank $2, $for_how_long"
    ok "$name: all allocations were tried (${all:-none})" [ "${all:-0}" -gt 10 ]
    grep -vxEf "$TMP/known" "$TMP/failed" >"$TMP/new"
    diag "$name: $all allocations, $told ended the job with a word," \
        "$(wc -l <"$TMP/failed") not survived, $(wc -l <"$TMP/new") of them" \
        "not in nomemory.known"
    is "$(sort "$TMP/new" | uniq -c)" "" "$name: no rank hangs, no rank crashes"
}

for_how_long=once
check 1 0
check 4 0
check 4 1
if [ $FULL = yes ]; then
    check 1 1
    check 1 -1
    check 4 -1
    check 2 3
fi

# from the n-th on there is no memory at all
export FAILALLOC_STAY=1
for_how_long='for good'
check 4 1
if [ $FULL = yes ]; then
    check 1 0
    check 4 0
    check 4 -1
fi
unset FAILALLOC_STAY

# ROMIO's own memory (its words may be lost: the launcher ends the job at once)
unset FAILALLOC_SKIP
not_ok "no memory for ROMIO itself ends the job" launch 1 1 1
tap_done
