#!/bin/sh
# t7200-apps - the proxies of bench/apps on lustre-sim, through the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim

apps=$TMP/bin
mkdir "$apps"
export MPICH_MPIIO_STATS=1

# app RUNNER... PROG ARG...: run with the output in $TMP/out and $TMP/err; the
# exit status is left in status
app() {
    status=0
    sim_fresh "$SIM"
    "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
}

# reported LABEL: of the reports of all files, added up
reported() {
    sed -n "s/^|   $1  *= \([0-9]*\).*/\1/p" "$TMP/err" |
        awk '{ n += $1 } END { print n + 0 }'
}

# said LABEL: a number of the proxy's first line, as in "calls 12"
said() {
    sed -n "1s/.* $1 \([0-9]*\).*/\1/p" "$TMP/out"
}

# show: what went wrong
show() {
    [ "$tap_failed" = "$before" ] || { diag_file "$TMP/out"; diag_file "$TMP/err"; }
}

# proxy DESC RANKS NODES PROG ARG...: writes, reads and verifies, and all its
# collective calls have gone through the driver
proxy() {
    desc=$1 ranks=$2 nodes=$3 before=$tap_failed
    shift 3
    prog=$1
    shift
    app node_run "$nodes" "$ranks" "$apps/$prog" "$@" "$SIM"
    is "$status $(awk '/^(write|read|verify) / { printf "%s ", $1 }' "$TMP/out")" \
        "0 write read verify " "$desc: written, read and verified"
    wanted=$((ranks * ($(said calls) - headers)))
    is "$(reported 'collective writes') $(reported 'collective reads')" \
        "$wanted $wanted" "$desc: by collective calls of the driver"
    is "$(ls "$SIM")" "" "$desc: the files are gone"
    show
}

# ---- the programs ----
CFLAGS="-O2 -Wall -Wextra -Werror -Werror=incompatible-pointer-types" \
    ok "they compile without warnings" "$SRC/bench/apps/build" \
    --mpicc "$MPICC" --out "$apps"
sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null || exit 1
headers=10
proxy "wrf, 6 ranks" 6 1 wrf --scale 0.2 --records 2
headers=0
proxy "flash, 4 ranks on 2 nodes" 4 2 flash --scale 0.1
proxy "flash, small blocks" 5 1 flash --blocks small --scale 0.003
proxy "chimera, 4 ranks" 4 1 chimera --scale 0.1
proxy "lattice, 8 ranks on 2 nodes" 8 2 lattice --edge 5
proxy "climate, 4 ranks on 2 nodes" 4 2 climate --scale 0.02
proxy "ior, segmented" 4 1 ior --block 200001 --transfer 70K --segments 2
proxy "ior, strided" 7 1 ior -p strided -b 100001 -t 48K

# ---- larger, on more nodes, with lockahead: maint/check --full ----
if [ "$FULL" = yes ]; then
    TIMEOUT=600
    ahead="-h cray_cb_write_lock_mode=2 -h cray_cb_nodes_multiplier=2"
    # shellcheck disable=SC2086 # a list of options
    for hints in "" "$ahead"; do
        headers=18
        proxy "wrf $hints" 16 4 wrf $hints
        headers=0
        proxy "flash $hints" 8 4 flash $hints
        proxy "flash, small blocks $hints" 8 4 flash -b small --scale 0.1 $hints
        proxy "chimera $hints" 8 4 chimera $hints
        proxy "lattice $hints" 16 4 lattice $hints
        proxy "climate $hints" 8 4 climate $hints
        proxy "ior, strided $hints" 16 4 ior -p strided -b 4M -t 47K -s 2 $hints
    done
    TIMEOUT=60
else
    skip 42 "large ones: with maint/check --full only"
fi

# ---- sizes that others rely on ----
app sim_run 3 "$apps/flash" --scale 0.04 -w -k "$SIM"
is "$(wc -c <"$SIM/flash_hdf5_chk_0001")" $((972 * 1024)) \
    "flash: 320 + 324 + 328 KiB"
app sim_run 3 "$apps/flash" -b small --scale 0.001 -w -k "$SIM"
is "$(wc -c <"$SIM/flash_hdf5_chk_0001")" $((120 * 1024 + 768)) \
    "flash: 40 + 40.25 + 40.5 KiB"
is "$(reported 'total bytes for writes')" $((120 * 1024 + 768)) \
    "the driver counts as many bytes"

# ---- HDF5 ----
if app sim_run 4 "$apps/ior" --api hdf5 -b 192K -t 64K -k "$SIM" &&
    [ "$status" != 2 ]; then
    is "$status $(grep -cE '^(write|read|verify) ' "$TMP/out")" "0 3" \
        "ior: HDF5, written, read and verified"
    is "$(dd if="$SIM/ior.h5" bs=1 skip=1 count=3 2>/dev/null)" HDF \
        "it is an HDF5 file"
    ok "through the driver" test "$(reported 'collective writes')" -ge 12
else
    like "$(cat "$TMP/err")" "built without HDF5" "ior: says there is no HDF5"
    skip 2 "no libhdf5-mpich-dev"
fi

mkdir "$TMP/without"
CFLAGS="-Wall -Wextra -Werror" ok "ior compiles without HDF5" \
    "$SRC/bench/apps/build" --mpicc "$MPICC" --hdf5 no --out "$TMP/without" ior
app "$TMP/without/ior" --api hdf5 "$SIM"
is "$status $(grep -c 'ior: .*built without HDF5' "$TMP/err")" "2 1" \
    "and says so"
rm -f "$SIM"/*

# ---- independent calls, several repetitions, JSON, progress ----
app sim_run 3 "$apps/ior" -i -n 3 --json --progress 0 -w -r "$SIM"
is "$status $(reported 'independent writes') $(reported 'collective writes')" "0 36 0" \
    "independent: 3 ranks, 4 transfers, 3 times"
is "$(grep -cvE '^\{"app":"ior",("[a-z_]+":("[A-Za-z-]+"|[0-9.]+|true|false),?)+\}$' \
    "$TMP/out") $(grep -c '"rep":' "$TMP/out") $(grep -c median "$TMP/out")" \
    "0 6 2" "JSON: two phases of 3 repetitions, two medians"
is "$(grep -c '^ior: write [123] of 3: calls [1-4] of 4$' "$TMP/err")" 12 \
    "progress after every call"
app sim_run 2 "$apps/climate" --scale 0.001 -h striping_factor=2 \
    -h striping_unit=131072 -w -k "$SIM"
is "$status $(sim_layout stripe_count "$SIM/climate_h0")" "0 2" \
    "hints reach the file"

# ---- errors: the same on all ranks, and no hang ----
# fails WANTED PATTERN DESC PROG ARG...: on 3 ranks
fails() {
    code=$1 pattern=$2 desc=$3
    shift 3
    rm -rf "$TMP/each"
    mkdir "$TMP/each"
    app sim_run 3 "$SRC/src/mpi/romio/test/eachexit.sh" "$TMP/each" "$@"
    is "$(sort -u "$TMP/each/exit."* | tr '\n' ' ')" "$code " \
        "$desc: exit status $code on all ranks"
    like "$(cat "$TMP/each/said")" "$pattern" "$desc: it is said why"
}

# spoil FILE OFFSET: change one byte
spoil() {
    byte=$(dd if="$1" bs=1 skip="$2" count=1 2>/dev/null | od -An -tu1)
    printf "\\$(printf %03o $(((byte + 1) % 256)))" |
        dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

app sim_run 3 "$apps/lattice" -l 5 -w -k "$SIM"
spoil "$SIM/lattice_cfg" 30011
fails 3 "lattice_cfg: 1 of 15000 bytes are wrong, the first at offset 30011\$" \
    "a wrong byte, verify" "$apps/lattice" -l 5 -v "$SIM"
fails 3 "lattice_cfg: 1 of 15000 bytes are wrong, the first at offset 30011\$" \
    "a wrong byte, read" "$apps/lattice" -l 5 -r "$SIM"
fails 3 "1[0-9]* of 15000 bytes are wrong, the first at offset [0-9]*\$" \
    "data of another seed" "$apps/lattice" -l 5 -v --seed 1 "$SIM"
truncate -s 44999 "$SIM/lattice_cfg"
fails 3 "has 44999 bytes, not 45000" "a short file" "$apps/lattice" -l 5 -v \
    "$SIM"
fails 1 "wrf: rank 0: $SIM/no/wrfout_d01_1: open: .*exist" "no directory" \
    "$apps/wrf" "$SIM/no"
rm -f "$SIM"/*
fails 1 "flash: rank 0: $SIM/flash_hdf5_chk_0001: open: .*exist" \
    "nothing to read" "$apps/flash" -r "$SIM"
SIM_OPTIONS="--fault write:errno=ENOSPC" fails 1 "No space left" \
    "a full file system" "$apps/flash" --scale 0.1 "$SIM"
SIM_OPTIONS="--fault write:n=2:errno=EIO" fails 1 "Input/output error" \
    "a second write that fails" "$apps/chimera" --scale 0.1 "$SIM"
rm -f "$SIM"/*
fails 2 "ior: --transfer: '0' is not a valid SIZE" "wrong usage" "$apps/ior" \
    -t 0 "$SIM"

# usage PATTERN ARG...: on one rank, without mpiexec
usage() {
    pattern=$1
    shift
    app "$apps/ior" "$@"
    is "$status $(grep -cE -e "$pattern" "$TMP/err")" "2 1" "usage: $pattern"
}

usage "no directory given"
usage "no option --blok" --blok=1 "$SIM"
usage "no option -x" -x "$SIM"
usage "no option --json=1" --json=1 "$SIM"
usage "-b needs SIZE" "$SIM" -b
usage "'1X' is not a valid SIZE" -b 1X "$SIM"
usage "'99999999999G' is not a valid" -b 99999999999G "$SIM"
usage "'-1' is not a valid N" -n -1 "$SIM"
usage "'nan' is not a valid F" --scale nan "$SIM"
usage "'0' is not a valid F" --scale=0 "$SIM"
usage "'netcdf' is not a valid mpiio.hdf5" -a netcdf "$SIM"
usage "'=1' is not a valid KEY=VALUE" -h =1 "$SIM"
usage "one directory only" "$SIM" "$SIM"
usage "exceeds 2 GiB" -b 4G -t 4G "$SIM"
usage "2.24 transfers" -b 1G -t 1 "$SIM"
for prog in wrf flash chimera lattice climate ior; do
    app "$apps/$prog" --help
    is "$status $(grep -c -e "^usage: $prog " -e '--hint KEY=VALUE' \
        -e '--scale F' "$TMP/out")" "0 3" "$prog --help"
done

# ---- elsewhere: plain MPI-IO, no Lustre ----
mkdir "$TMP/plain"
app mpi_run 3 "$apps/wrf" --scale 0.1 --sets 1 --records 1 "$TMP/plain"
is "$status $(grep -cE '^(write|read|verify) ' "$TMP/out")" "0 3" \
    "wrf runs on plain MPI-IO, too"
is "$(reported 'collective writes') $(ls "$TMP/plain")" "0 " "without the driver"

# ---- Fortran ----
if [ -x "$apps/field_f08" ]; then
    for prog in field_f08 field_mpif; do
        before=$tap_failed
        app node_run 2 5 "$apps/$prog" "$SIM"
        is "$status $(awk '/MiB.s/ { printf "%s ", $1 }' "$TMP/out")" \
            "0 write read " "$prog: written, read and compared"
        is "$(reported 'collective writes') $(reported 'collective reads')" "5 5" \
            "$prog: by the driver"
        is "$(reported 'total bytes for writes')" "$(wc -c <"$SIM/$prog.dat")" \
            "$prog: which counted the field's bytes"
        spoil "$SIM/$prog.dat" 70007
        fails 3 "$prog.dat: 1 numbers are wrong" "$prog, a wrong byte" \
            "$apps/$prog" -r "$SIM"
        rm -f "$SIM/$prog.dat"
        fails 1 "$prog: rank [02]: .*$prog.dat" "$prog, no file" "$apps/$prog" \
            -r "$SIM"
        show
    done
else
    skip 14 "no Fortran compiler"
fi

tap_done
