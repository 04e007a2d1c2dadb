#!/bin/sh
# t0002-functions - every MPI_File function binds to the plug-in and works
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
here=$SRC/src/mpi/romio/test

tap_plan 9

echo '#include <mpi.h>' >"$TMP/mpi.c" # Open MPI's compiler reads files only
"$MPICC" -E "$TMP/mpi.c" |
    grep -oE '\bMPI_File_[A-Za-z0-9_]+ *\(' | tr -d '( ' | sort -u >"$TMP/list"
nm -D --defined-only "$PLUGIN" | awk '{ print $NF }' | sort -u >"$TMP/exported"

n=$(wc -l <"$TMP/list")
ok "mpi.h has $n MPI_File functions" [ "$n" -ge 60 ]
is "$(comm -23 "$TMP/list" "$TMP/exported")" "" "all are exported"
is "$(sed 's/^/P/' "$TMP/list" | comm -23 - "$TMP/exported")" "" \
    "and all their PMPI names"

# A program that names all of them; the dynamic linker says who has them.
{
    echo '#define _GNU_SOURCE'
    echo '#include <dlfcn.h>'
    echo '#include <mpi.h>'
    echo '#include <stdio.h>'
    echo 'static const struct { const char *name; void *fn; } all[] = {'
    sed 's/.*/{"&", (void *)&}, {"P&", (void *)P&},/' "$TMP/list"
    echo '};'
    cat <<'END'
int main(void)
{
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        Dl_info info;
        dladdr(all[i].fn, &info);
        printf("%s %s\n", all[i].name, info.dli_fname);
    }
    return 0;
}
END
} >"$TMP/bind.c"
ok "a program with all of them compiles" \
    "$MPICC" -o "$TMP/bind" "$TMP/bind.c"
LD_PRELOAD=$PLUGIN "$TMP/bind" >"$TMP/bound" 2>&1
is "$(awk -v p="$PLUGIN" '$2 != p' "$TMP/bound" | head -n 5)" "" \
    "all bind to the plug-in"
is "$(wc -l <"$TMP/bound")" $((2 * n)) "all were looked at"

# And one that calls them.
ok "allfile compiles" "$MPICC" -Wall -Wextra -Werror -c \
    -o "$TMP/allfile.o" "$here/allfile.c"
is "$(nm "$TMP/allfile.o" | awk '/ U MPI_File_/ { print $2 }' | sort |
    comm -13 - "$TMP/list")" "" "it calls every function"
run_all() {
    "$MPICC" -o "$TMP/allfile" "$TMP/allfile.o" &&
        ROMIO_FSTYPE_FORCE=lustre: plugin_run 3 "$TMP/allfile" "$TMP/f"
}
ok "every function does what it should, on 3 ranks" run_all
