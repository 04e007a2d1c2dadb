#!/bin/sh
# t8040-sanitizers - the whole plug-in under sanitizers and valgrind, 4 ranks
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# ADL_SAN: a build with --enable-sanitizers; ADL_TSAN: with =thread. maint/check
# makes both (without --quick).
. "$(dirname "$0")/oracle.sh"
plain=$PLUGIN
asan=$(cc -print-file-name=libasan.so)

ok "the oracle compiles" compile_oracle
ok "the matrix compiles" "$MPICC" -std=gnu11 -O2 -g -o "$TMP/faults" \
    "$here"/faults/*.c
ok "edges compiles" "$MPICC" -o "$TMP/edges" "$here/edges.c"
ok "sync compiles" "$MPICC" -o "$TMP/sync" "$here/sync.c"

# under LIBRARY PLUGIN: what the functions of oracle.sh preload from now on
under() {
    CALM="$1:$POLITE"
    PLUGIN=$2
}

# clean DESC CMD...: passes if the command does, and no sanitizer has said a word
clean() {
    what=$1
    shift
    rc=0
    "$@" >"$TMP/said" 2>&1 || rc=$?
    if [ $rc -eq 0 ] && ! grep -qE 'Sanitizer|runtime error' "$TMP/said"; then
        pass "$what"
    else
        fail "$what"
        diag "exit status $rc"
        grep -m 1 -A 30 -E 'Sanitizer|runtime error' "$TMP/said" |
            awk '{ print "#   " $0 }'
        diag_file "$TMP/said"
    fi
}

on_ranks() {
    MPIR_CVAR_NUM_CLIQUES=$1 limited "$MPIEXEC" -n 4 \
        -genv LD_PRELOAD "$CALM:$PLUGIN" "$TMP/$2" $3 "lustre:$FAST/g" </dev/null
}

matrix() {
    rm -rf "$FAST/sim"
    "$SIM" mkfs --osts 4 "$FAST/sim" || return 1
    MPIR_CVAR_NUM_CLIQUES=2 limited "$SIM" run --root "$FAST/sim" --clients 2 \
        "$MPIEXEC" -n 4 -genv LD_PRELOAD "$CALM:$PLUGIN:$("$SIM" --preload)" \
        "$TMP/faults" --step "$1" "$FAST/sim/f" </dev/null
}

# ---- addresses, leaks, undefined behaviour ----
if [ -n "${ADL_SAN:-}" ] && [ -f "${ADL_SAN:-}/libromio_lustre.so" ]; then
    # Providers of InfiniBand and others that MPI opens, finds no device for and
    # closes again would take the pointers to their memory with them.
    echo 'int dlclose(void *lib) { return lib == 0; }' >"$TMP/stay.c"
    cc -shared -fPIC -o "$TMP/stay.so" "$TMP/stay.c"
    under "$asan:$TMP/stay.so" "$ADL_SAN/libromio_lustre.so"
    export ASAN_OPTIONS=verify_asan_link_order=0
    export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
    printf '%s\n' '#include <mpi.h>' '#include <stdlib.h>' \
        'int main(int c, char **v) { MPI_Init(&c, &v);' \
        'volatile char *p = malloc(77); p = 0; (void)p;' \
        'MPI_Finalize(); return 0; }' >"$TMP/leak.c"
    "$MPICC" -O0 -o "$TMP/leak" "$TMP/leak.c"
    not_ok "a leak would be seen" on_ranks 1 leak ""
    clean "accesses past the largest offset" on_ranks 2 edges ""
    for c in one all collective size reserve; do
        clean "sync, case $c" on_ranks 2 sync $c
    done
    clean "oracle: 100 cases in memory, 2 nodes" \
        on_memory 2 4 100 "$SEED" all
    EXTRAS=all
    clean "oracle: 20 cases with small pools and all else, 2 nodes" \
        on_memory 2 4 20 "$SEED" all
    EXTRAS=none
    if [ -x "$SIM" ]; then
        clean "oracle: 100 cases on lustre-sim, 4 nodes" \
            on_lustre 4 4 100 $((SEED + 1)) all
        clean "one in forty of the fault matrix" matrix 40
    else
        skip 2 "no lustre-sim"
    fi
    unset ASAN_OPTIONS UBSAN_OPTIONS
else
    skip 11 "no build with sanitizers (ADL_SAN)"
fi

# ---- threads ----
# The sanitizer has to be the program's own, and does not survive it when UCX
# replaces the memory functions of the C library.
if [ -n "${ADL_TSAN:-}" ] && [ -f "${ADL_TSAN:-}/libromio_lustre.so" ]; then
    ok "the oracle compiles for it" "$MPICC" -std=gnu11 -O1 -g \
        -fsanitize=thread -o "$TMP/oracle.tsan" "$here/oracle.c" \
        "$here"/oracle/*.c
    mv "$TMP/oracle" "$TMP/oracle.plain"
    mv "$TMP/oracle.tsan" "$TMP/oracle"
    PLUGIN=$ADL_TSAN/libromio_lustre.so CALM=$POLITE
    export UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none
    export TSAN_OPTIONS="suppressions=$here/sanitizers.supp:exitcode=66"
    printf '%s\n' '#include <pthread.h>' 'int n;' \
        'void *add(void *p) { n++; return p; }' \
        'int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); n++;' \
        'pthread_join(t, 0); return 0; }' >"$TMP/race.c"
    cc -fsanitize=thread -g -o "$TMP/race" "$TMP/race.c"
    not_ok "a race would be seen" "$TMP/race"
    clean "threads: oracle, 15 cases on one node" on_memory 1 4 15 "$SEED" all
    clean "threads: oracle, 15 cases on two nodes" on_memory 2 4 15 "$SEED" all
    mv "$TMP/oracle.plain" "$TMP/oracle"
    unset TSAN_OPTIONS UCX_MEM_EVENTS UCX_MEM_MMAP_HOOK_MODE
else
    skip 4 "no build with the thread sanitizer (ADL_TSAN)"
fi

# ---- valgrind ----
PLUGIN=$plain CALM=$POLITE
n=4
[ $FULL = no ] || n=40
if command -v valgrind >/dev/null; then
    valgrind_oracle() {
        limited "$MPIEXEC" -n 2 -genv LD_PRELOAD "$CALM:$PLUGIN" \
            valgrind -q --error-exitcode=9 "$TMP/oracle" --extras none --cases $n \
            --seed "$SEED" --what all --timeout 600 --file "lustre:$FAST/f" </dev/null
    }
    clean "valgrind: oracle, $n cases on 2 ranks" valgrind_oracle
else
    skip 1 "no valgrind"
fi
tap_done
