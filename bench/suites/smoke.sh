# smoke.sh - every pattern and every variant once, small: does it work?
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154
suite_about="every pattern and variant once, small: only whether it works"
suite_minutes=2
suite_reps=1

suite_points() {
    # all patterns
    for app in lattice,--edge,6 tile,--edge,64 burst,--calls,3 \
        climate,--scale,0.005 wrf,--scale,0.02 chimera,--scale,0.02 \
        ior,--block,256K,--transfer,64K e3sm,--scale,0.02 \
        e3sm,-c,i,--scale,0.02 s3d,--scale,0.1 bt,--scale,0.1; do
        point set=smoke "label=${app%%,*}" "app=$app" ranks=4 nodes=2 fs=none \
            osts=4 unit=64K variants=ours,by-hand
    done
    # and all variants
    all=ours,spread,mode1,mode2,stock,stock-cb,stock-lustre,by-hand,posix,fpp
    [ -z "$openmpi" ] || all=$all,ompio,romio321
    point set=smoke label=strided app=ior,-p,strided,-b,256K,-t,64K,--batch,2 \
        ranks=4 nodes=2 fs=none osts=4 unit=64K aggs=1 again=1 spread=0,1,2,3 \
        "variants=$all"
    # the other places
    point set=smoke label=in_memory app=lattice,--edge,6 ranks=4 nodes=1 \
        fs=mem osts=2 unit=1M again=1 measure=best variants=ours,stock,by-hand
    point set=split label=timed app=flash,--scale,0.05 ranks=4 nodes=2 \
        fs=flash osts=4 unit=1M split=yes measure=calls variants=ours
}
