#!/bin/sh
# t0260-openmpi-choose - romio-lustre run takes the plug-in of the program's MPI
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
other=$BUILD/libromio_lustre_openmpi.so
[ -f "$other" ] || skip_all "no plug-in for Open MPI at $other"
command -v mpicc.openmpi >/dev/null || skip_all "no mpicc.openmpi"
RL=$BUILD/romio-lustre
here=$SRC/src/mpi/romio/test
OPENMPI=$here/mpiexec-openmpi.sh
unset LD_PRELOAD

ok "a program of MPICH" "$MPICC" -o "$TMP/mpich" "$here/allfile.c"
ok "a program of Open MPI" mpicc.openmpi -o "$TMP/openmpi" "$here/allfile.c"

# ---- which one ----
# who MPI: which plug-in speaks up
who() {
    ROMIO_LUSTRE_VERBOSE=1 limited "$@" 2>&1 | grep -c '^romio-lustre [0-9]'
}
is "$(who "$RL" run "$MPIEXEC" -n 2 "$TMP/mpich" "lustre:$TMP/f")" 1 \
    "MPICH's mpiexec and program"
is "$(who "$RL" run "$OPENMPI" -n 2 "$TMP/openmpi" "lustre:$TMP/f")" 1 \
    "Open MPI's mpirun and program"
is "$(who "$RL" run "$TMP/mpich" "lustre:$TMP/f")" 1 "MPICH's program alone"

is "$("$RL" run "$OPENMPI" -n 1 sh -c 'echo "$LD_PRELOAD"' : -n 2 sh -c \
    'echo "$LD_PRELOAD"' | sort -u)" "$other" \
    "mpirun starts two programs: the ranks of both have it"

# preloads CMD...: those in the environment of a rank's parent, the launcher, and
# the plug-ins in the rank's own
preloads() {
    "$RL" run "$@" -n 1 sh -c 'tr "\0" "\n" </proc/$PPID/environ |
        grep -c "^LD_PRELOAD="; echo "$LD_PRELOAD" | grep -c romio_lustre' |
        tr '\n' ' '
}
is "$(preloads "$MPIEXEC")" "0 1 " "MPICH's mpiexec itself has no preload"
is "$(preloads "$OPENMPI")" "0 1 " "Open MPI's mpirun itself has none"

# Pretended launchers print what they were given.
mkdir "$TMP/bin"
cat >"$TMP/bin/srun" <<'END'
#!/bin/sh
for a; do printf '%s\n' "$a"; done
END
cat >"$TMP/bin/mpirun" <<'END'
#!/bin/sh
[ "${1-}" != --version ] || { echo "mpirun (Open MPI) 5.0.9"; exit; }
for a; do printf '%s\n' "$a"; done
END
cp "$TMP/bin/srun" "$TMP/bin/prterun"
chmod +x "$TMP/bin"/*
PATH=$TMP/bin:$PATH
like "$("$RL" run srun -n 2 "$TMP/openmpi")" "LD_PRELOAD=$other\$" \
    "srun: by the program, Open MPI's"
like "$("$RL" run srun -n 2 "$TMP/mpich")" "LD_PRELOAD=$PLUGIN\$" \
    "srun: by the program, MPICH's"
is "$("$RL" run mpirun -n 2 python3 x.py | tr '\n' ' ')" \
    "-x LD_PRELOAD=$other -n 2 python3 x.py " \
    "a script: by the launcher, Open MPI's, with -x"
is "$("$RL" run prterun -n 2 ./script | head -n 2 | tr '\n' ' ')" \
    "-x LD_PRELOAD=$other " "prterun"
is "$("$RL" run mpirun -x LD_PRELOAD=/t.so -n 2 ./a | tr '\n' ' ')" \
    "-x LD_PRELOAD=/t.so:$other -n 2 ./a " "behind the user's own -x"
x="-x LD_PRELOAD=$other"
is "$("$RL" run mpirun -n 1 ./a : -n 2 ./b : -n 3 ./c | tr '\n' ' ')" \
    "$x -n 1 ./a : $x -n 2 ./b : $x -n 3 ./c " "several programs: each gets one"
is "$("$RL" run mpirun -n 1 ./a : -x LD_PRELOAD=/t.so -n 2 ./b |
    tr '\n' ' ')" "$x -n 1 ./a : -x LD_PRELOAD=/t.so:$other -n 2 ./b " \
    "and one has an -x of the user's"
like "$("$RL" run --mpi openmpi srun -n 2 ./script)" "LD_PRELOAD=$other\$" \
    "--mpi decides where nothing tells"
"$RL" run --mpi lam srun ./script >/dev/null 2>&1
is $? 1 "--mpi: an MPI that there is none for"
like "$("$RL" env --mpi openmpi)" "='$other'\$" "env --mpi"

# ---- scripts, where the launcher does not tell ----
# script NAME LINE...: an executable file
script() {
    name=$1
    shift
    printf '%s\n' "$@" >"$TMP/$name"
    chmod +x "$TMP/$name"
}
script job.sh '#!/usr/bin/env -S sh -e' "# not $TMP/mpich" \
    ": module load x; exec \"$TMP/openmpi\" \"\$@\""
script plain.sh '#!/bin/sh' 'echo none'
like "$("$RL" run srun -n 2 "$TMP/job.sh")" "LD_PRELOAD=$other\$" \
    "srun: by the program in a shell script"
like "$("$RL" run srun -n 2 "$TMP/plain.sh" "$TMP/job.sh")" \
    "LD_PRELOAD=$other\$" "or in the next one"
like "$("$RL" run srun -n 2 "$TMP/plain.sh")" "LD_PRELOAD=$PLUGIN\$" \
    "MPICH's, where nothing tells"
is "$(who "$RL" run env X=Y "$TMP/job.sh" "lustre:$TMP/f")" 1 \
    "a shell script alone"
like "$("$RL" info "$TMP/job.sh")" "^program .*job.sh, by $TMP/openmpi\$" \
    "info: what is in a script"
if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null &&
    ldd "$(/usr/bin/python3 -c 'from mpi4py import MPI; print(MPI.__file__)')" |
    grep -q 'libmpi\.so\.40'; then
    script p.py '#!/usr/bin/python3 -u' 'from mpi4py import MPI' 'import sys' \
        'MPI.File.Open(MPI.COMM_SELF, sys.argv[1], 5).Close()'
    like "$("$RL" run srun -n 2 "$TMP/p.py")" "LD_PRELOAD=$other\$" \
        "a Python script: by its mpi4py"
    like "$("$RL" run srun -n 2 /usr/bin/python3 x.py)" "LD_PRELOAD=$other\$" \
        "Python: by its mpi4py"
    is "$(who "$RL" run "$TMP/p.py" "lustre:$TMP/f")" 1 "a Python script alone"
    like "$("$RL" info "$TMP/p.py")" "^program .*p.py, by .*/MPI\." \
        "info: Python's mpi4py"
else
    skip 4 "no mpi4py of Open MPI"
fi

# ---- what no preload reaches ----
printf '%s\n' '#include <stdio.h>' 'int main(void) {' \
    'return puts("MPI_File_open") < 0; }' >"$TMP/static.c"
if cc -static -o "$TMP/static" "$TMP/static.c" 2>/dev/null; then
    is "$("$RL" run "$TMP/static" 2>&1 | sed "s|$TMP|T|")" \
        "romio-lustre: T/static is linked statically: it runs without the \
plug-in
MPI_File_open" "a static program runs, and one line says how"
else
    skip 1 "no static libc"
fi
cp "$TMP/openmpi" "$TMP/setuid"
if [ "$(id -u)" = 0 ] && chown 1 "$TMP/setuid" && chmod 4755 "$TMP/setuid"; then
    is "$("$RL" run srun -n 2 "$TMP/setuid" 2>&1 >/dev/null |
        grep -c 'setuid is setuid or setgid: .* without the plug-in')" 1 \
        "another user's setuid program: one line says so"
    is "$("$RL" run srun -n 2 "$TMP/openmpi" : -n 2 "$TMP/setuid" 2>&1 \
        >/dev/null | grep -c 'setuid or setgid')" 1 "behind a colon, too"
    is "$("$RL" run srun -n 2 "$TMP/openmpi" "$TMP/setuid" 2>&1 >/dev/null)" \
        "" "a program's arguments are not looked at"
else
    skip 3 "not root"
fi

# ---- a launcher of the other MPI ----
cat >"$TMP/bin/mpirun.mpich" <<'END'
#!/bin/sh
echo mpich "$@"
END
chmod +x "$TMP/bin/mpirun.mpich"
out=$("$RL" run mpirun -n 2 "$TMP/mpich" 2>"$TMP/err")
is "$out" "mpich -genv LD_PRELOAD $PLUGIN -n 2 $TMP/mpich" \
    "MPICH's program, Open MPI's mpirun: MPICH's is used"
is "$(grep -c "mpirun belongs to another MPI.*$TMP/bin/mpirun.mpich is used" \
    "$TMP/err")" 1 "and one line says so"
cp "$TMP/bin/mpirun" "$TMP/bin/mpiexec_site"
out=$("$RL" run mpiexec_site -n 2 "$TMP/mpich" 2>&1)
is "$? $(echo "$out" | grep -c "linked with MPICH; start it with")" "1 1" \
    "where that is not there: refused, with the reason"
like "$("$RL" run --launcher openmpi mpiexec_site "$TMP/mpich" | head -n 1)" \
    "^-x" "--launcher: as told"

# ---- the wrong one ----
# refused PLUGIN RIGHT KIND CMD...: one line that names the right plug-in
refused() {
    plugin=$1
    right=$2
    kind=$3
    shift 3
    LD_PRELOAD=$plugin "$@" >"$TMP/out" 2>&1
    rc=$?
    is "$rc $(grep -c '^romio-lustre:' "$TMP/out")" "1 1" "$right: refused once"
    like "$(cat "$TMP/out")" "is $right\. \"romio-lustre run\" takes the right" \
        "$right: named"
    like "$(cat "$TMP/out")" "run --mpi $kind\" always" "$right: and its --mpi"
}
refused "$PLUGIN" libromio_lustre_openmpi.so openmpi "$TMP/openmpi" "$TMP/f"
refused "$other" libromio_lustre.so mpich "$TMP/mpich" "$TMP/f"

# refused_by LAUNCHER RIGHT CMD...: three ranks, and one line all the same
refused_by() {
    name=$1
    right=$2
    shift 2
    limited "$@" >"$TMP/out" 2>&1
    is "$? $(grep -c "^romio-lustre: .*is $right\." "$TMP/out")" "1 1" \
        "$name: three ranks are refused with one line, $right is named"
}
refused_by "MPICH's mpiexec" libromio_lustre.so \
    "$MPIEXEC" -n 3 -genv LD_PRELOAD "$other" "$TMP/mpich" "$TMP/f"
refused_by "Open MPI's mpirun" libromio_lustre_openmpi.so \
    "$OPENMPI" -n 3 -x LD_PRELOAD="$PLUGIN" "$TMP/openmpi" "$TMP/f"
# srun and prterun as far as they matter: what they pass on, and the rank; with
# rank 0 last, and the job's end when another rank has ended before
mkdir "$TMP/starts"
cat >"$TMP/starts/srun" <<'END'
#!/bin/sh
rank_name=SLURM_PROCID
case $0 in *prterun) rank_name=PMIX_RANK ;; esac
while [ $# -gt 0 ]; do
    case $1 in
    --export=ALL,*) env=${1#--export=ALL,} ;;
    -x) env=$2; shift ;;
    -n) n=$2; shift ;;
    *) break ;;
    esac
    shift
done
ended=${0%/*}/ended.$$
: >"$ended"
for rank in $(seq $((n - 1))); do
    { env "$env" $rank_name=$rank "$@"; echo $rank >>"$ended"; } &
done
sleep 1
[ ! -s "$ended" ] || exit 1
env "$env" $rank_name=0 "$@"
END
cp "$TMP/starts/srun" "$TMP/starts/prterun"
chmod +x "$TMP/starts"/*
refused_by srun libromio_lustre_openmpi.so "$TMP/starts/srun" \
    --export=ALL,LD_PRELOAD="$PLUGIN" -n 3 "$TMP/openmpi" "$TMP/f"
refused_by srun libromio_lustre.so "$TMP/starts/srun" \
    --export=ALL,LD_PRELOAD="$other" -n 3 "$TMP/mpich" "$TMP/f"
refused_by prterun libromio_lustre_openmpi.so "$TMP/starts/prterun" \
    -x LD_PRELOAD="$PLUGIN" -n 3 "$TMP/openmpi" "$TMP/f"
refused_by prterun libromio_lustre.so "$TMP/starts/prterun" \
    -x LD_PRELOAD="$other" -n 3 "$TMP/mpich" "$TMP/f"

# ---- in front of what has no MPI ----
# harmless DESC CMD...: the same output and status with and without it
harmless() {
    desc=$1
    shift
    want=$("$@" 2>&1; echo $?)
    for p in "$PLUGIN" "$other"; do
        is "$(env LD_PRELOAD="$p" LD_BIND_NOW=1 "$@" 2>&1; echo $?)" "$want" \
            "$(basename "$p"): $desc"
    done
}
harmless "true" true
harmless "a shell, a pipe and a status" sh -c 'echo a | tr a b; exit 3'
if command -v python3 >/dev/null; then
    harmless "Python, threads and processes" python3 -c '
import subprocess, threading
t = threading.Thread(target=print, args=("in a thread",), daemon=True)
t.start(); t.join()
print(subprocess.run(["sh", "-c", "exit 4"]).returncode)'
else
    skip 2 "no python3"
fi

# ---- info ----
out=$("$RL" info)
is "$?" 0 "info"
is "$(echo "$out" | grep -c '^ *the plug-in fits')" 2 "both plug-ins fit"
like "$("$RL" info "$TMP/openmpi")" "^MPI library .*Open MPI v" \
    "info: a program of Open MPI"
tap_done
