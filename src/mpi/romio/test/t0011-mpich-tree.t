#!/bin/sh
# t0011-mpich-tree - which MPICH trees can be built from, and what else is said
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
look=$SRC/maint/mpich-tree

tap_plan 33

# A small tree that looks like MPICH's; later tests take things away.
tree=$TMP/tree
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/maint" "$tree/src/mpi/romio/adio/include" \
        "$tree/src/mpi/romio/mpi-io" "$tree/src/pm/hydra" \
        "$tree/src/include" "$tree/modules/json-c"
    echo "m4_define([MPICH_VERSION_m4],[$1])dnl" >"$tree/maint/version.m4"
    : >"$tree/src/mpi/romio/configure.ac"
    echo "# json-c" >"$tree/configure.ac"
    for d in . src/mpi/romio src/pm/hydra modules/json-c; do
        : >"$tree/$d/configure"
    done
    echo "void (*ADIOI_xxx_ReadContig)(ADIO_File fd, void *buf, int count," \
        >"$tree/src/mpi/romio/adio/include/adioi.h"
    : >"$tree/src/mpi/romio/adio/include/adio.h"
}
# has HEADER...: a compiler that finds these headers and no others
has() {
    {
        echo '#!/bin/sh'
        echo 'read -r line'
        echo 'case $line in'
        for h; do echo "*'<$h>'*) exit 0 ;;"; done
        echo 'esac'
        echo 'exit 1'
    } >"$TMP/cc"
    chmod +x "$TMP/cc"
    export CC="$TMP/cc"
}
says() {
    like "$("$look" --for "$1" "$tree" 2>&1)" "$2" "$3"
}
one_line() {
    is "$("$look" --for "$1" "$tree" 2>&1 | wc -l)" 1 "in one message"
}

like "$("$look" --help)" "^usage: mpich-tree" "--help"
"$look" >/dev/null 2>&1
is $? 2 "without a tree: a usage error"
"$look" --for nothing "$TMP" >/dev/null 2>&1
is $? 2 "an unknown purpose too"

# ---- trees that will do ----
has hwloc.h rdma/fabric.h
fresh 5.1.0a1
is "$("$look" "$tree")" 5.1.0a1 "a development tree: its version"
is "$("$look" --for fork "$tree")" 5.1.0a1 "a fork can be built from it"
fresh 6.0
like "$("$look" "$tree" 2>&1)" "newer than any" "a newer one: a warning"
ok "and no error" "$look" "$tree"

# ---- trees that will not ----
is "$("$look" "$TMP" 2>&1)" \
    "mpich-tree: $TMP is not an MPICH source tree (it has no maint/version.m4)" \
    "something else"
fresh 3.4.3
says plugin "MPICH 3.4.3.*too old: 4.0 is the first" "one that is too old"
one_line plugin
fresh 4.2.1
rm -rf "$tree/src/mpi/romio"
says plugin "MPICH 4.2.1.*has no ROMIO" "one without ROMIO"
fresh 4.2.1
rm "$tree/src/mpi/romio/configure"
says plugin "ROMIO of .*autotools were not run.*autogen.sh" "autotools not run"
not_ok "and an error" "$look" "$tree"
printf '\tpath = modules/%s\n' hwloc libfabric json-c >"$tree/.gitmodules"
: >"$tree/modules/json-c/autogen.sh"
says plugin "'git submodule update --init modules/hwloc' and ./autogen.sh" \
    "with the submodule that autogen.sh stops without"
one_line plugin
fresh 4.2.1
rm "$tree/configure"
ok "the plug-in needs ROMIO's only" "$look" "$tree"
says fork "the top of .*autotools were not run" "the fork needs MPICH's"

# ---- submodules and what replaces them ----
fresh 4.2.1
rm "$tree/modules/json-c/configure"
has hwloc.h rdma/fabric.h json-c/json.h
says fork "modules/json-c .*no package replaces it before MPICH 5.1" \
    "no json-c, which its configure takes from nowhere else"
echo 'with_json=' >"$tree/configure"
has hwloc.h rdma/fabric.h
says fork "modules/json-c .*not checked out.*Debian's libjson-c-dev" \
    "no json-c at all"
one_line fork
has hwloc.h rdma/fabric.h json-c/json.h
like "$("$look" --for fork --options "$tree")" "^--with-json=/usr " \
    "the system's json-c takes its place"
has rdma/fabric.h
says fork "modules/hwloc .*Debian's libhwloc-dev" "no hwloc"
has hwloc.h
says fork "modules/libfabric .*Debian's libfabric-dev" "no libfabric"
has hwloc.h rdma/fabric.h json-c/json.h
like "$("$look" --for fork --yaksa "$tree" 2>&1)" \
    "modules/yaksa .*no package replaces it" "no yaksa, asked for"

# ---- the datatype engine of a fork ----
pup=$tree/modules/yaksa/src/backend/seq/pup
is "$("$look" --for fork --engine "$tree")" dataloop "a tree without yaksa"
mkdir -p "$pup"
: >"$tree/modules/yaksa/configure"
echo "int yaksuri_seqi_pack_hvector_hvector_char(" \
    >"$pup/yaksuri_seqi_pup_hvector_hvector_char.c"
is "$("$look" --for fork --engine "$tree")" yaksa "yaksa, where it is small"
echo "int yaksuri_seqi_pack_hvector_hvector_hvector_char(" \
    >>"$pup/yaksuri_seqi_pup_hvector_hvector_char.c"
is "$("$look" --for fork --engine "$tree")" dataloop "not where it is large"
is "$("$look" --for fork --yaksa --engine "$tree")" yaksa "unless asked for"

# ---- the standard ABI ----
like "$("$look" --abi "$tree" 2>&1)" "does not know the standard ABI of MPI 5" \
    "a ROMIO that does not know it"
mkdir -p "$tree/src/mpi/romio/include"
echo "#define MPI_VERSION    5" \
    >"$tree/src/mpi/romio/include/romio_abi_internal.h"
ok "one that does" "$look" --abi "$tree"

# ---- what ROMIO does differently ----
fresh 4.0.2
is "$("$look" --defines "$tree") $("$look" --files "$tree" | tr '\n' ' ')" \
    " adio/common/flatten.c mpi-io/prealloc.c " "4.0: nothing"
sed -i 's/int count/MPI_Aint count/' "$tree/src/mpi/romio/adio/include/adioi.h"
is "$("$look" --defines "$tree")" "-DADL_COUNT_IS_AINT=1" "4.1: wide counts"
echo "int MPIR_Progress_hook_register(int vci, void *fn, int *id);" \
    >"$tree/src/include/mpir_progress_hook.h"
: >"$tree/src/mpi/romio/mpi-io/io_impl.c"
echo "int MPIO_File_toint(MPI_File fh);" \
    >"$tree/src/mpi/romio/adio/include/adio.h"
is "$("$look" --defines "$tree" | tr '\n' ' ')$("$look" --files "$tree")" \
    "-DADL_COUNT_IS_AINT=1 -DADL_HOOK_HAS_VCI=1 -DADL_FILE_HAS_IMPL=1 \
-DADL_FILE_TOINT=1 adio/common/flatten.c" "5.1: three more, and one file less"
