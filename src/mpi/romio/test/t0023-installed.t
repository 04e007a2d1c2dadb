#!/bin/sh
# t0023-installed - an installed copy: what is there, an MPI job, and uninstall
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
[ -f "$BUILD/Makefile" ] || skip_all "no build tree at $BUILD (set ADL_BUILD)"
TIMEOUT=120

variable() {
    sed -n "s/^$1 = //p" "$BUILD/Makefile" | head -n 1
}

tap_plan 27
dest=$TMP/dest
prefix=$(variable prefix)
version=$(variable PACKAGE_VERSION)
root=$dest$prefix
ok "make install" limited make -s -C "$BUILD" install "DESTDIR=$dest"

# ---- what is there ----
doc=share/doc/romio-lustre
for f in bin/romio-lustre bin/lustre-sim lib/romio-lustre/libromio_lustre.so \
    lib/romio-lustre/liblustre_sim.so lib/pkgconfig/romio-lustre.pc \
    share/man/man1/romio-lustre.1 share/man/man1/lustre-sim.1 \
    share/man/man7/romio_lustre.7 $doc/README.md $doc/README.lustre \
    $doc/examples/heat3d.c share/bash-completion/completions/romio-lustre \
    "share/romio-lustre/modulefiles/romio-lustre/$version.lua"; do
    [ -f "$root/$f" ] || echo "$f"
done >"$TMP/absent"
is "$(cat "$TMP/absent")" "" "commands, libraries, pages and settings"
is "$(cd "$SRC" && for f in doc/*.md; do
    cmp "$f" "$root/$doc/$f" || echo "$f"
done 2>&1)" "" "every document"
is "$(grep -rlF -e "$BUILD" -e "$SRC" "$root/share" "$root/bin/romio-lustre" \
    "$root/lib/pkgconfig")" "" "none names the build tree"

# ---- a program and a job, with nothing of the build tree ----
PATH=$root/bin:$PATH
export PKG_CONFIG_PATH="$root/lib/pkgconfig"
ok "the example compiles" "$MPICC" -o "$TMP/heat3d" "$root/$doc/examples/heat3d.c" -lm
ok "lustre-sim mkfs" lustre-sim mkfs --osts 4 "$TMP/fs"
job() {
    cd "$TMP" && ROMIO_LUSTRE_VERBOSE=1 MPICH_MPIIO_HINTS_DISPLAY=1 \
        LD_PRELOAD=$(preload) limited lustre-sim run --root "$TMP/fs" "$@" \
        "$MPIEXEC" -n 2 ./heat3d -k -h striping_factor=2 "$TMP/fs/heat" 2>&1
}
out=$(job romio-lustre run)
like "$out" "^romio-lustre $version" "the job runs on the installed plug-in"
like "$out" "^heat3d: written in" "and writes"
is "$(lustre-sim getstripe -c "$TMP/fs/heat")" 2 "to Lustre, as the hint says"
like "$(lustre-sim stats "$TMP/fs")" "write_rpc=[1-9]" "the servers counted it"
is "$(romio-lustre info | sed -n '/_lustre_/!s/^plug-in *//p')" \
    "$root/lib/romio-lustre/libromio_lustre.so" "info names the installed plug-in"

# ---- linked by pkg-config instead ----
if command -v pkg-config >/dev/null; then
    libs=$(pkg-config --define-variable=prefix="$root" --libs romio-lustre)
    # shellcheck disable=SC2086 # options
    ok "the example links by pkg-config" "$MPICC" -o "$TMP/heat3d" \
        "$root/$doc/examples/heat3d.c" $libs -lm
    out=$(job env)
    like "$out" "^romio-lustre $version" "and needs no preload"
else
    skip 2 "no pkg-config"
fi

if [ ! -f "$BUILD/libromio_lustre_openmpi.so" ]; then
    skip 2 "no plug-in for Open MPI"
elif ! command -v pkg-config >/dev/null; then
    skip 2 "no pkg-config"
else
    libs=$(pkg-config --define-variable=prefix="$root" --libs \
        romio-lustre-openmpi)
    # shellcheck disable=SC2086 # options
    ok "the example links by pkg-config, with Open MPI" mpicc.openmpi \
        -o "$TMP/heat3d" "$root/$doc/examples/heat3d.c" $libs -lm
    out=$(MPIEXEC=$SRC/src/mpi/romio/test/mpiexec-openmpi.sh job env)
    like "$out" "^romio-lustre $version" "and needs no preload either"
fi

# ---- environment modules: the words they may use, and what comes of them ----
modules=$root/share/romio-lustre/modulefiles/romio-lustre
plugin=$prefix/lib/romio-lustre/libromio_lustre.so
of_openmpi() {
    if [ -f "$BUILD/libromio_lustre_openmpi.so" ]; then
        is "$(on -openmpi)" ":${plugin%.so}_openmpi.so" \
            "another one preloads that for Open MPI"
    else
        skip 1 "no plug-in for Open MPI"
    fi
}
if command -v tclsh >/dev/null; then
    cat >"$TMP/module.tcl" <<'TCL'
proc module-whatis {text} {}
proc conflict {name} { puts "conflict=$name" }
proc setenv {name value} { puts "$name=$value" }
proc prepend-path {name value} { puts "$name=$value:" }
proc append-path {name value} { puts "$name=:$value" }
source [lindex $argv 0]
TCL
    is "$(tclsh "$TMP/module.tcl" "$modules/$version" | sed -n 's/^PATH=//p')" \
        "$prefix/bin:" "the Tcl module sets PATH"
    on() {
        tclsh "$TMP/module.tcl" "$modules${1-}-on/$version" |
            sed -n 's/^LD_PRELOAD=//p'
    }
    is "$(on)" ":$plugin" "the one that is on for all preloads the plug-in"
    is "$(ROMIO_LUSTRE_OFF=1 on)" "" "but not where a user turned it off"
    of_openmpi
else
    skip 4 "no tclsh"
fi
if command -v lua5.4 >/dev/null; then
    cat >"$TMP/module.lua" <<'LUA'
function help() end
function whatis() end
function conflict(name) print("conflict=" .. name) end
function setenv(name, value) print(name .. "=" .. value) end
function prepend_path(name, value) print(name .. "=" .. value .. ":") end
function append_path(name, value) print(name .. "=:" .. value) end
dofile(arg[1])
LUA
    is "$(lua5.4 "$TMP/module.lua" "$modules/$version.lua" |
        sed -n 's/^PATH=//p')" "$prefix/bin:" "the Lmod module sets PATH"
    on() {
        lua5.4 "$TMP/module.lua" "$modules${1-}-on/$version.lua" |
            sed -n 's/^LD_PRELOAD=//p'
    }
    is "$(on)" ":$plugin" "the one that is on for all preloads the plug-in"
    is "$(ROMIO_LUSTRE_OFF=1 on)" "" "but not where a user turned it off"
    of_openmpi
else
    skip 4 "no lua5.4"
fi

# ---- completion: of a command, and of an option ----
if command -v bash >/dev/null; then
    cat >"$TMP/complete" <<'BASH'
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_romio_lustre
echo "${COMPREPLY[@]}"
BASH
    completion=$root/share/bash-completion/completions/romio-lustre
    is "$(bash "$TMP/complete" "$completion" romio-lustre doc)" doctor \
        "bash completes a command"
    is "$(bash "$TMP/complete" "$completion" lustre-sim run --ranks)" \
        --ranks-per-client "and an option"
else
    skip 2 "no bash"
fi

# ---- gone ----
ok "make uninstall" limited make -s -C "$BUILD" uninstall "DESTDIR=$dest"
is "$(find "$dest" ! -type d; find "$dest" -type d -name 'romio-lustre*')" "" \
    "leaves neither files nor folders of ours"
