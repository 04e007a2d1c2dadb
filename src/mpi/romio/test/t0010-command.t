#!/bin/sh
# t0010-command - romio-lustre run, env, info and doctor
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
RL=$BUILD/romio-lustre
here=$SRC/src/mpi/romio/test
unset LD_PRELOAD

tap_plan 57

# ---- usage ----
for c in "" run env info doctor; do
    # shellcheck disable=SC2086 # no word for the command itself
    like "$("$RL" $c --help)" "^usage: romio-lustre" "romio-lustre $c --help"
done
not_ok "no command" "$RL"
"$RL" frobnicate >"$TMP/out" 2>&1
is $? 2 "an unknown command is a usage error"
like "$(cat "$TMP/out")" "no command 'frobnicate'" "and named"
"$RL" run >/dev/null 2>&1
is $? 2 "run without a command is a usage error"

# ---- run ----
ok "allfile compiles" "$MPICC" -o "$TMP/allfile" "$here/allfile.c"
out=$(ROMIO_LUSTRE_VERBOSE=1 limited "$RL" run "$MPIEXEC" -n 2 \
    "$TMP/allfile" "lustre:$TMP/f" 2>&1)
is $? 0 "run mpiexec -n 2 works"
like "$out" "^romio-lustre [0-9]" "through the plug-in"
limited "$RL" run "$MPIEXEC" -n 1 sh -c 'exit 7' >/dev/null 2>&1
is $? 7 "the exit status is the command's"
out=$(limited "$RL" run "$MPIEXEC" -n 1 "$TMP/allfile" 2>&1)
ok "a failing program fails" [ $? -ne 0 ]
out=$(ROMIO_LUSTRE_VERBOSE=1 limited "$RL" run "$TMP/allfile" "$TMP/f" 2>&1)
is $? 0 "run without a launcher works"
like "$out" "^romio-lustre [0-9]" "through the plug-in"
"$RL" run no-such-command-here >"$TMP/out" 2>&1
is $? 1 "a command that is not there is an error"
like "$(cat "$TMP/out")" "no such command: no-such-command-here" "and named"

# Who gets which preload: pretended launchers print their own environment and
# their arguments.
mkdir "$TMP/bin"
for l in mpiexec srun aprun jsrun; do
    cat >"$TMP/bin/$l" <<'END'
#!/bin/sh
echo "own=${LD_PRELOAD-none}"
for a; do echo "arg=$a"; done
END
    chmod +x "$TMP/bin/$l"
done
PATH=$TMP/bin:$PATH
pretend() {
    "$RL" run "$@" | tr '\n' ' '
}
is "$(pretend mpiexec -n 2 ./app 'two words')" \
    "own=none arg=-genv arg=LD_PRELOAD arg=$PLUGIN arg=-n arg=2 arg=./app arg=two words " \
    "mpiexec: by -genv, arguments untouched"
is "$(pretend mpiexec -genv LD_PRELOAD /t.so -n 2 ./app)" \
    "own=none arg=-genv arg=LD_PRELOAD arg=/t.so:$PLUGIN arg=-n arg=2 arg=./app " \
    "mpiexec: behind the user's own -genv LD_PRELOAD"
is "$(pretend mpiexec -n 1 -env LD_PRELOAD /t.so ./a : -n 1 ./b)" \
    "own=none arg=-genv arg=LD_PRELOAD arg=$PLUGIN arg=-n arg=1 arg=-env arg=LD_PRELOAD arg=/t.so:$PLUGIN arg=./a arg=: arg=-n arg=1 arg=./b " \
    "mpiexec: -env LD_PRELOAD of one executable"
is "$(pretend srun -n 2 ./app)" \
    "own=none arg=--export=ALL,LD_PRELOAD=$PLUGIN arg=-n arg=2 arg=./app " \
    "srun: by --export"
"$RL" run srun --export=NONE ./app >"$TMP/out" 2>&1
is $? 1 "srun with an --export of its own is refused"
is "$(pretend aprun -n 2 ./app)" \
    "own=none arg=-e arg=LD_PRELOAD=$PLUGIN arg=-n arg=2 arg=./app " \
    "aprun: by -e"
is "$(pretend jsrun -n 2 ./app)" \
    "own=none arg=-E arg=LD_PRELOAD=$PLUGIN arg=-n arg=2 arg=./app " \
    "jsrun: by -E"
is "$(pretend --launcher env mpiexec ./app)" "own=$PLUGIN arg=./app " \
    "--launcher env: by the environment"
: | cc -shared -fPIC -x c -o "$TMP/empty.so" -
is "$(LD_PRELOAD=$TMP/empty.so pretend mpiexec ./app)" \
    "own=$TMP/empty.so arg=-genv arg=LD_PRELOAD arg=$TMP/empty.so:$PLUGIN arg=./app " \
    "what was preloaded stays in front"

is "$(ROMIO_LUSTRE_OFF=1 "$RL" run mpiexec -n 2 ./app 2>"$TMP/out" |
    tr '\n' ' ')" "own=none arg=-n arg=2 arg=./app " \
    "ROMIO_LUSTRE_OFF=1: without the plug-in"
like "$(cat "$TMP/out")" "ROMIO_LUSTRE_OFF=1: without the plug-in" "and said so"

# A process that is no MPI program, with LD_BIND_NOW: nothing to bind, no harm.
ok "LD_BIND_NOW and a shell between" env LD_BIND_NOW=1 \
    timeout -k 5 60 "$RL" run "$MPIEXEC" -n 2 \
    sh -c "$TMP/allfile lustre:$TMP/g"

# ---- env ----
is "$(eval "$("$RL" env)"; echo "$LD_PRELOAD")" "$PLUGIN" \
    "env can be evaluated"
# shellcheck disable=SC2046 # several linker options
ok "a program links with env --link" "$MPICC" -o "$TMP/linked" \
    "$here/allfile.c" $("$RL" env --link)
out=$(ROMIO_LUSTRE_VERBOSE=1 mpi_run 2 "$TMP/linked" "lustre:$TMP/f" 2>&1)
is "$? $(echo "$out" | grep -c '^romio-lustre ')" "0 1" \
    "and uses the plug-in without a preload"

# ---- info ----
out=$("$RL" info)
like "$out" "^plug-in  *$PLUGIN" "info: where the plug-in is"
like "$out" "^compiled with .*[0-9]\.[0-9]" "info: which MPI"
like "$out" "^Lustre .*lockahead.*group lock.*overstriping" "info: features"

# A program whose PnetCDF knows the hint nc_driver, as 1.15 does, shared or
# linked into it; an older one does not.
pnetcdf() { # WORD: a library with it, and a program that uses it
    echo "const char *pnc_word(void) { return \"$1\"; }" >"$TMP/pnc.c"
    cat >"$TMP/uses.c" <<'END'
#include <mpi.h>
const char *pnc_word(void);
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    pnc_word();
    return MPI_Finalize();
}
END
    cc -shared -fPIC -o "$TMP/libpnetcdf.so.9" "$TMP/pnc.c" &&
        "$MPICC" -o "$TMP/uses" "$TMP/uses.c" "$TMP/libpnetcdf.so.9" \
            -Wl,-rpath,"$TMP" &&
        "$MPICC" -o "$TMP/inside" "$TMP/uses.c" "$TMP/pnc.c"
}
pnetcdf nc_driver || diag "the stand-in of PnetCDF does not compile"
like "$("$RL" info "$TMP/uses")" "export PNETCDF_HINTS=nc_driver=mpiio" \
    "info: a PnetCDF that passes MPI-IO by, and the remedy"
like "$("$RL" info "$TMP/inside")" "export PNETCDF_HINTS=nc_driver=mpiio" \
    "info: the same, linked into the program"
like "$(PNETCDF_HINTS='a=b;nc_driver=mpiio' "$RL" info "$TMP/uses")" \
    "^PnetCDF +by MPI-IO" "info: where the remedy is taken"
pnetcdf nc_header_align_size
is "$("$RL" info "$TMP/uses" | grep -c PnetCDF)" 0 "info: an older PnetCDF"

# ---- doctor ----
out=$("$RL" doctor "$TMP")
is $? 3 "doctor: a directory that is not on Lustre"
like "$out" "not on Lustre" "doctor: says so"
"$RL" doctor "$TMP/absent" >/dev/null 2>&1
is $? 1 "doctor: a path that is not there"

if ! [ -x "$LUSTRE_SIM" ]; then
    skip 14 "no lustre-sim"
    exit
fi
sim_mkfs --osts 4
like "$("$RL" doctor "$SIM")" "lustre-sim run --root" \
    "doctor: an embedded Lustre seen from outside: says how to look"
"$LUSTRE_SIM" setstripe -C 8 -S 1M "$SIM/f"
out=$("$LUSTRE_SIM" run --root "$SIM" "$RL" doctor "$SIM/f")
is $? 0 "doctor: a file on the embedded Lustre"
like "$out" "on lustre-sim" "doctor: says which Lustre"
like "$out" "^lmm_pattern: +raid0,overstriped" "doctor: its layout"
is "$(echo "$out" | awk '$NF == "yes"' | wc -l)" 6 "doctor: all features answer"
is "$(ls -A "$SIM")" ".lustre-sim
f" "doctor: leaves nothing behind"
out=$("$LUSTRE_SIM" run --root "$SIM" --fault "ioctl:errno=ENOTTY" \
    "$RL" doctor "$SIM/f")
like "$out" "lockahead +no \\(Inappropriate ioctl" \
    "doctor: a feature that does not answer, and why"
like "$("$LUSTRE_SIM" run --root "$SIM" --hybrid-io 1 "$RL" doctor "$SIM/f")" \
    "mount: lsim-[0-9a-f]+" "doctor: which mount it speaks of"
like "$("$LUSTRE_SIM" run --root "$SIM" --hybrid-io 1 "$RL" doctor "$SIM/f")" \
    "hybrid_io = 1" "doctor: and its hybrid I/O"

# An LD_PRELOAD given to mpiexec does not throw out what is there already.
out=$("$LUSTRE_SIM" run --root "$SIM" "$RL" run "$MPIEXEC" -n 1 \
    -genv LD_PRELOAD "$TMP/none.so" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
like "$out" "^$TMP/none.so:.*liblustre_sim.so:.*libromio_lustre.so" \
    "run: LD_PRELOAD keeps lustre-sim"

# Stock ROMIO's driver off Lustre
ok "coll compiles" "$MPICC" -O2 -o "$TMP/coll" "$SRC/src/lustre-sim/test/coll.c"
stock() {
    ROMIO_FSTYPE_FORCE=lustre: limited "$RL" run --stock "$MPIEXEC" -n 2 \
        "$TMP/coll" "$1" 4 </dev/null
}
not_ok "run --stock: an error, no crash, where there is no Lustre" \
    stock "$TMP/f"
is "$(grep -c "$TMP/f is not on Lustre" "$TMP/.out")" 1 \
    "run --stock: and said why, once"
out=$("$LUSTRE_SIM" run --root "$SIM" "$RL" run --stock "$MPIEXEC" -n 2 \
    "$TMP/coll" "lustre:$SIM/stock" 4 2>&1)
is $? 0 "run --stock: works where there is one"
