# rivals.sh - the patterns that users have, beside all that they could use
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="ours beside every alternative: the tables of performance.md"
suite_minutes=60
suite_reps=3

# rival PROFILE NODES LABEL APP [KEY=VALUE...]
rival() {
    profile=$1 on=$2 label=$3 app=$4
    shift 4
    sync=yes
    [ "$profile" != none ] || sync=no
    point "set=rivals-$profile-$on" "label=$label" \
        "app=$app,--scale,${scale_of_apps:-0.25}" "nodes=$on" "fs=$profile" \
        osts=4 unit=1M sync=$sync calls=yes "variants=$variants" "$@"
}

suite_points() {
    variants=ours,stock,stock-lustre,by-hand,fpp
    if [ -n "$openmpi" ]; then
        variants=$variants,ompio,romio321
    else
        say "lbench: no mpicc.openmpi and mpiexec.openmpi:" \
            "without ompio and romio321"
    fi
    if [ -n "${PNETCDF_DIR:-}" ]; then
        variants=$variants,gio
    else
        say "lbench: no PNETCDF_DIR: without gio"
    fi
    for profile in none flash disk; do
        for on in 1 4; do
            rival $profile $on ior-segmented ior,-b,32M,-t,1M ranks=8
            rival $profile $on ior-large ior,-b,32M,-t,32M ranks=8
            rival $profile $on ior-strided ior,-p,strided,-b,4M,-t,64K ranks=8
            for c in f g i; do
                rival $profile $on "e3sm-$c" "e3sm,-c,$c" ranks=8
            done
            rival $profile $on wrf wrf ranks=8
            rival $profile $on flash flash ranks=8
            rival $profile $on s3d s3d ranks=8
            rival $profile $on bt bt ranks=9
        done
    done
}
