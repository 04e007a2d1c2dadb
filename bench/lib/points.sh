# points.sh - combinations that several suites measure
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

# applications PROFILE VARIANTS: all proxies, 8 ranks on 4 nodes
applications() {
    for app in lattice chimera climate flash wrf tile burst \
        "flash-small=flash,--blocks,small" \
        "ior-segmented=ior,--block,4M,--transfer,1M" \
        "ior-strided=ior,--pattern,strided,--block,4M,--transfer,64K"; do
        scale=${scale_of_apps:-0.25}
        [ "${app%%=*}" != flash-small ] ||
            scale=$(awk -v f="$scale" 'BEGIN { print f / 8 }')
        point "set=apps-$1" "label=${app%%=*}" "app=${app#*=},--scale,$scale" \
            ranks=8 nodes=4 "fs=$1" osts=4 unit=1M reps=3 "variants=$2"
    done
    [ "$have_hdf5" = no ] ||
        point "set=apps-$1" label=ior-hdf5 \
            "app=ior,--block,4M,--transfer,1M,--scale,${scale_of_apps:-0.25}" \
            api=hdf5 ranks=8 nodes=4 "fs=$1" osts=4 unit=1M reps=3 \
            "variants=$2"
}

# small_calls: a few KiB a rank, and a small file opened, written, closed; with
# ranks that sleep while MPI waits, and with MPI's own waiting
small_calls() {
    for where in 4/1 4/4 8/4; do
        n=${where%/*} m=${where#*/}
        for wait in polite spin; do
            of=
            [ $wait = polite ] || of=-spin
            point "set=small$of" "label=${n}_ranks_on_$m" \
                app=ior,--block,4K,--transfer,4K "ranks=$n" "nodes=$m" fs=none \
                osts=4 again=30 measure=mean wait=$wait \
                variants=ours,stock,stock-lustre
            point "set=open$of" "label=${n}_ranks_on_$m" \
                app=ior,--block,4K,--transfer,4K "ranks=$n" "nodes=$m" fs=none \
                osts=4 measure=seconds wait=$wait \
                variants=ours,stock,stock-lustre
        done
    done
}

# over_openmpi PROFILE NODES LABEL APP [KEY=VALUE...]: ours, by-hand and Open
# MPI's own, all of them programs of Open MPI, 8 ranks. Each phase is a launch
# that begins with empty caches: reads are cold.
over_openmpi() {
    profile=$1 on=$2 label=$3 app=$4
    shift 4
    sync=yes
    [ "$profile" != none ] || sync=no
    point "set=openmpi-$profile-$on" "label=$label" "app=$app" mpi=openmpi \
        ranks=8 "nodes=$on" "fs=$profile" osts=4 unit=1M sync=$sync calls=yes \
        reps=3 variants=ours,by-hand,ompio,romio321 "$@"
}

# openmpi_points: patterns and a small file, on 1, 4 and 8 nodes
openmpi_points() {
    if [ -z "$openmpi" ]; then
        say "lbench: no mpicc.openmpi, mpiexec.openmpi or plug-in for them:" \
            "without the sets openmpi-*"
        return
    fi
    size=--scale,${scale_of_apps:-0.25}
    for on in 1 4 8; do
        for profile in none flash; do
            over_openmpi $profile $on ior-segmented "ior,-b,32M,-t,1M,$size"
            over_openmpi $profile $on ior-strided \
                "ior,-p,strided,-b,4M,-t,64K,$size"
            over_openmpi $profile $on lattice "lattice,$size"
            over_openmpi $profile $on e3sm-f "e3sm,-c,f,$size"
            over_openmpi $profile $on flash "flash,$size"
        done
        point "set=openmpi-open-$on" label=4_KiB_a_rank mpi=openmpi \
            app=ior,--block,4K,--transfer,4K ranks=8 "nodes=$on" fs=none osts=4 \
            calls=yes variants=ours,by-hand,ompio,romio321
    done
}

# spread_over N: an aggregator list for N aggregators on each of 4 OSTs, 16
# ranks dealt to 4 nodes in turn: the aggregators of an OST on different nodes.
# Aggregator j of OST i is number 4 j + i.
spread_over() {
    awk -v n="$1" 'BEGIN {
        for (j = 0; j < n; j++)
            for (i = 0; i < 4; i++)
                printf "%s%d", (i + j ? "," : ""), i * 4 + (i + j) % 4
    }'
}

# lock_modes PROFILE "AGGREGATORS" VARIANTS: blocks of a stripe of 256 KiB,
# strided, by 16 ranks on 4 nodes to 4 OSTs, 32 MiB together
lock_modes() {
    for aggs in $2; do
        point "set=locks-$1" "label=${aggs}_aggregators_an_OST" "x=$aggs" \
            app=ior,-p,strided,-b,2M,-t,256K,--batch,4 ranks=16 nodes=4 \
            "fs=$1/25" osts=4 unit=256K "aggs=$aggs" sync=yes phases=write \
            "spread=$(spread_over "$aggs")" reps=3 "variants=$3"
    done
}

# overstriping PROFILE RECORD "STRIPES" VARIANTS: records of a stripe, strided,
# 8 nodes with a rank each, one OST; by collective calls 8 aggregators
overstriping() {
    for stripes in $3; do
        s=stripes aggs=1
        [ "$stripes" != 1 ] || s=stripe
        [ "$stripes" -ge 8 ] || aggs=$((8 / stripes))
        point "set=overstripe-$1-$2" "label=${stripes}_${s}_on_the_OST" \
            "x=$stripes" "app=ior,-p,strided,-b,4M,-t,$2" ranks=8 nodes=8 \
            "fs=$1/25" osts=1 "stripes=$stripes" "unit=$2" "aggs=$aggs" \
            sync=yes phases=write reps=3 \
            "paper=$(overstriped "$1" "$2" "$stripes")" "variants=$4"
    done
}

# overstriped PROFILE RECORD STRIPES: what the overstriping paper says of it
overstriped() {
    case $1-$2/$3 in
    disk-1M/8) echo "5_times_1_stripe_(fig._17)" ;;
    flash-1M/1) echo "3_GB/s_(fig._13)" ;;
    flash-1M/32) echo "11.1_GB/s,_near_file_per_process_(fig._13)" ;;
    esac
}

# by_transfer PROFILE VARIANTS: the same bytes in transfers of 64 KiB to 4 MiB,
# a stripe each, 4 aggregators an OST
by_transfer() {
    for transfer in 64K 256K 1M 4M; do
        paper=
        case $transfer in
        64K) paper="lockahead_more_than_3_times_default_(abstract)" ;;
        4M) paper="lockahead_over_twice_default,_80_%_of_fpp_(abstract)" ;;
        esac
        point "set=transfer-$1" "label=$transfer" \
            "x=$(($(bytes_of "$transfer") / 1024))" \
            "app=ior,-p,strided,-b,4M,-t,$transfer" ranks=16 nodes=4 \
            "fs=$1/25" osts=4 "unit=$transfer" aggs=4 sync=yes phases=write \
            "spread=$(spread_over 4)" reps=3 "paper=$paper" "variants=$2"
    done
}

# collective_reads PROFILE: interleaved blocks of a stripe
collective_reads() {
    for n in 2 4 8 16; do
        paper=
        [ "$n" != 16 ] || paper="1.34_(fig._7),_2.7_(fig._8)_times_the_original"
        point "set=reads-$1" "label=${n}_ranks" "x=$n" \
            app=ior,-p,strided,-b,4M,-t,1M,--batch,4 "ranks=$n" nodes=2 \
            "fs=$1" osts=4 unit=1M measure=calls reps=3 "paper=$paper" \
            variants=ours,stock,stock-lustre
    done
}

# split_points: where the time of a collective write goes
split_points() {
    for transfer in 4K 64K 1M; do
        paper=
        [ "$transfer" != 4K ] || paper="communication_50_%_before,_20_%_after"
        point set=split "label=$transfer" \
            "x=$(($(bytes_of "$transfer") / 1024))" \
            "app=ior,-p,strided,-b,1M,-t,$transfer" \
            ranks=8 nodes=4 fs=flash osts=4 unit=1M measure=calls phases=write \
            split=yes reps=3 "paper=$paper" variants=ours,stock,stock-lustre
    done
}

# paper_applications: rows of the papers' tables
paper_applications() {
    point set=chimera label=8_restart_files app=chimera,--scale,0.25 ranks=8 \
        nodes=4 fs=disk osts=4 unit=1M reps=3 \
        "paper=31.8_s;_without_aggregation_361.7_s_(table_1)" \
        variants=ours,posix,stock,stock-lustre
    point set=flash label=checkpoint app=flash,--scale,0.25 ranks=8 nodes=4 \
        fs=disk osts=4 unit=1M reps=3 \
        "paper=624_MB/s;_POSIX_368_(fig._6)" variants=ours,posix,stock-lustre
    point set=wrf label=history_and_restart app=wrf,--scale,0.5 ranks=16 \
        nodes=4 fs=disk osts=4 unit=1M aggs=4 "spread=$(spread_over 4)" reps=3 \
        "paper=lockahead_150_s,_default_743_s_(fig._8)" phases=write \
        variants=spread,mode2
}

# metadata_points: what the servers are asked for HDF5's metadata
metadata_points() {
    [ "$have_hdf5" = yes ] || return 0
    for phase in write read; do
        point set=metadata "label=48_datasets,_3_steps:_$phase" by=metadata \
            "app=metadata,-n,48,-t,3,-b,4096" ranks=4 nodes=4 fs=none osts=4 \
            unit=64K "phases=$phase" reps=1 variants=reopened,reopened-coll,kept,kept-coll
    done
}
