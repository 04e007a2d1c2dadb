# launch.sh - measure one variant of one combination
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

variants_help="\
  ours          our driver without hints
  before        ours of another build tree (--before)
  aggregators, ranks  ours, romio_cb_write and _read enable or disable
  spread        ours, the aggregators of an object on different nodes
  mode1, mode2  ours with the group lock or with lockahead
  stock         ROMIO's generic driver (ad_ufs)
  stock-cb      the same, told to aggregate (romio_cb_write=enable)
  stock-lustre  ROMIO's own ad_lustre (on Lustre or lustre-sim only)
  by-hand       MPI_Alltoallv and pwrite
  posix         pwrite and pread on the shared file
  fpp           a file per process
  gio           GIO of PnetCDF 1.15, where PNETCDF_DIR has one
  ompio         Open MPI's own MPI-IO, where Open MPI is installed
  romio321      the ROMIO that Open MPI brings along"

# each_node POINT: hints that give stock ROMIO an aggregator on every made-up
# node. It knows nodes by their host names, of which there is one here, and
# would take one aggregator where our driver takes one a node.
each_node() {
    [ -z "$real" ] || return 0 # real nodes: the default is one on each
    echo "cb_config_list=*:* cb_nodes=$(value nodes "$1" 1)"
}

# choose VARIANT POINT: MPI, library, prefix of names, interface, hints. A point
# with mpi=openmpi has ours and by-hand over Open MPI, too.
choose() {
    with=$(value mpi "$2" mpich)
    mine=$ours
    [ "$with" = mpich ] || mine=$ours_openmpi
    lib=$mine prefix=lustre: api=mpiio hints=''
    aggs=$(value aggs "$2")
    [ -z "$aggs" ] || hints="cray_cb_nodes_multiplier=$aggs"
    list=$(value spread "$2")
    case $1 in
    ours) ;;
    before) mine=$before lib=$before ;;
    spread) hints="$hints cb_aggregator_list=$list" ;;
    mode0) hints="$hints cray_cb_write_lock_mode=0" ;;
    mode1) hints="$hints cray_cb_write_lock_mode=1 romio_no_indep_rw=true" ;;
    mode2) hints="$hints cray_cb_write_lock_mode=2" ;;
    stock) lib=$stock prefix=ufs: hints=$(each_node "$2") ;;
    stock-cb)
        lib=$stock prefix=ufs:
        hints="$(each_node "$2") romio_cb_write=enable"
        ;;
    stock-lustre) lib=$stock hints=$(each_node "$2") ;;
    by-hand) lib='' prefix='' api=hand hints= ;;
    posix) lib='' prefix='' api=posix hints= ;;
    fpp) lib='' prefix='' api=fpp hints= ;;
    gio)
        lib='' prefix='' api=gio
        # a GIO that only mimics Lustre (-DMIMIC_LUSTRE) asks for it
        MIMIC_STRIPE_SIZE=$(bytes_of "$(value unit "$2" 1M)")
        export MIMIC_STRIPE_SIZE
        hints="file_striping=inherit cb_nodes=$(value nodes "$2" 1)"
        ;;
    ompio) lib='' prefix='' with=ompio hints= ;;
    romio321) lib='' prefix=ufs: with=romio321 hints=$(each_node "$2") ;;
    *) die 2 "no variant '$1'; see lbench list" ;;
    esac
    [ "$api" != mpiio ] || api=$(value api "$2" mpiio)
    more=$(value hints "$2" | tr , ' ')
    case $lib in "$mine") hints="$hints $more" ;; esac
}

# make_profile PROFILE SPEED OSTS FILE: one of lustre-sim's profiles as a file,
# or, with SPEED not 0, one with the same ratios, so slow that all OSTs together
# give SPEED MiB/s: processors must not be what limits it. The numbers are those
# of src/lustre-sim/profile.c.
make_profile() {
    case $1 in
    disk) set -- "$@" 40 500 8000 500 10000 25000 25000 ;;
    flash) set -- "$@" 100 200 0 0 8000 20000 1000 ;;
    *) die 2 "no profile '$1'" ;;
    esac
    awk -v line="$*" 'BEGIN {
        split(line, n, " ")
        f = n[2] ? n[5] * n[3] / n[2] : 1
        split("rpc_us seek_us skip_us lock_us callback_us commit_us", name, " ")
        print "base", n[1]
        printf "bandwidth %d\n", n[5] * 1048576 / f
        for (i = 1; i <= 6; i++)
            printf "%s %d\n", name[i], n[i + 5] * f
    }' >"$4"
}

# place POINT: an empty directory in `where`, with the layout of the point. fs
# is mem (a plain directory), a profile of lustre-sim (none, disk, flash, or
# flash/25: slowed to 25 MiB/s) or, with --dir on Lustre, the real one
place() {
    osts=${real_osts:-$(value osts "$1" 4)} stripes=$(value stripes "$1") fs=$(value fs "$1")
    [ -n "$stripes" ] || stripes=$osts
    unit=$(value unit "$1" 1M) profile=$fs model=
    [ -z "$real" ] || fs=lustre
    [ "$api" != fpp ] || stripes=1 # a file is one rank's: nothing to share
    where=$work/files count=-c
    rm -rf "$where"
    [ "$stripes" -le "$osts" ] || count=-C
    case $fs in
    mem) mkdir "$where" ;;
    lustre)
        mkdir "$where"
        lfs setstripe "$count" "$stripes" -S "$unit" "$where"
        ;;
    *)
        model="no time"
        if [ "$fs" != none ]; then
            speed=0
            case $fs in */*) speed=${fs#*/} ;; esac
            profile=$work/${fs%/*}
            make_profile "${fs%/*}" "$speed" "$osts" "$profile"
            model=$(tr '\n' ';' <"$profile" | sed 's/;$//; s/;/; /g')
        fi
        "$sim" mkfs --osts "$osts" --stripe-count 1 --stripe-size "$unit" \
            "$where" >/dev/null
        "$sim" setstripe "$count" "$stripes" -S "$unit" "$where" >/dev/null
        ;;
    esac
}

# wait_for: the command that was just started; an interrupt ends it
wait_for() {
    child=$!
    status=0
    wait "$child" || status=$?
    child=
    return $status
}

# starter: the command that starts ranks, in $start: MPICH's, or Open MPI's, with
# one of its two MPI-IOs where that is measured. Open MPI sees one node, as the
# stock drivers do: OMPIO is told how many aggregators to take.
starter() {
    start=$mpiexec
    [ "$with" != mpich ] || return 0
    start="$openmpi --oversubscribe --mca mpi_yield_when_idle 1"
    start="$start --mca btl_base_warn_component_unused 0"
    [ "$(id -u)" != 0 ] || start="$start --allow-run-as-root"
    case $with in
    ompio) start="$start --mca io ompio --mca io_ompio_num_aggregators $nodes" ;;
    romio321) start="$start --mca io romio321" ;;
    esac
}

# preloads: what stands before MPI in the ranks, in $preload
preloads() {
    preload=$lib
    if [ "$(value split "$p" no)$(value calls "$p" no)" != nono ]; then
        preload=$iotime${preload:+:$preload}
    fi
    rm -rf "$work/iotime"
    mkdir "$work/iotime"
    LBENCH_FILES=$where
    export LBENCH_FILES
    if [ "$(value wait "$p" polite)" = polite ] && [ -n "$polite" ]; then
        preload="$polite${preload:+:$preload}"
    fi
}

# launch PROGRAM OPTION...: on the point's ranks and nodes; output in $work
launch() {
    starter
    preloads
    # Libraries are for the ranks only, by env: every launcher can do that.
    case $fs in
    mem | lustre)
        faked="MPIR_CVAR_NUM_CLIQUES=$nodes"
        [ "$fs" = mem ] || faked= # nodes are where the launcher puts ranks
        # shellcheck disable=SC2086 # mpiexec may have options
        env $faked timeout -k 5 "$limit" $start -n "$ranks" \
            ${preload:+env LD_PRELOAD="$preload"} "$@" \
            >"$work/out" 2>"$work/err" </dev/null &
        wait_for
        ;;
    *)
        "$sim" drop "$where" && "$sim" reset "$where"
        # shellcheck disable=SC2086
        MPIR_CVAR_NUM_CLIQUES=$nodes timeout -k 5 "$limit" "$sim" run --root \
            "$where" --profile "$profile" -- $start -n "$ranks" \
            "$onnode" "$nodes" env \
            LD_PRELOAD="${preload:+$preload:}$("$sim" --preload)" "$@" \
            >"$work/out" 2>"$work/err" </dev/null &
        wait_for
        ;;
    esac
}

# application PHASE: the point's proxy in one phase
application() {
    set -- "--$1"
    for h in $hints; do
        [ -z "$h" ] || set -- "$@" -h "$h"
    done
    # shellcheck disable=SC2046 # words
    set -- $(value app "$p" | tr , ' ') "$@" --api "$api" --json --keep \
        --progress -1
    [ -z "$(value again "$p")" ] || set -- "$@" --again "$(value again "$p")"
    [ "$(value sync "$p" no)" = no ] || set -- "$@" --sync
    prog=$1
    shift
    from=$bin
    [ "$with" = mpich ] || from=$bin/openmpi
    launch "$from/$prog" "$@" "$prefix$where"
}

# verified: the files are read once more, in equal parts, independently, which
# some hints would forbid
verified() {
    hints=
    [ -z "$model" ] || profile=none
    application verify
}

# measure REP VARIANT POINT: rows of one launch a phase; 1 when it failed
measure() {
    p=$3
    if [ -n "$(value by "$p")" ]; then
        "measure_$(value by "$p")" "$@"
        return
    fi
    ranks=$(value ranks "$p" 4) nodes=$(value nodes "$p" 1)
    choose "$2" "$p"
    place "$p"
    if [ "$fs" = mem ] && [ "$lib" = "$mine" ]; then
        hints="$hints striping_factor=$stripes"
        hints="$hints striping_unit=$(bytes_of "$unit")"
    fi
    given=$hints # verifying does without
    for phase in $(value phases "$p" write,read | tr , ' '); do
        if ! application "$phase"; then
            say "lbench: $2, $phase failed: $(tail -n 1 "$work/err")"
            rm -rf "$where"
            return 1
        fi
        row "$1" "$2" "$phase"
    done
    # the first time each: the same bytes come out whatever the run
    if [ "$1" = 1 ] && ! verified; then
        say "lbench: $2: wrong data: $(tail -n 1 "$work/err")"
        rm -rf "$where"
        return 1
    fi
    rm -rf "$where"
}

# measure_metadata REP VARIANT POINT: requests of HDF5's metadata, by a program
# of its own; reading needs a file that was written
measure_metadata() {
    ranks=$(value ranks "$p") nodes=$(value nodes "$p")
    lib=$ours prefix='' api=hdf5 given='' with=mpich
    place "$p"
    # shellcheck disable=SC2046 # words
    set -- "$1" "$2" $(value app "$p" | tr , ' ' | cut -d ' ' -f 2-)
    rep=$1 variant=$2
    shift 2
    case $variant in kept*) set -- "$@" -k ;; esac
    case $variant in *-coll) set -- "$@" -c ;; esac
    phase=$(value phases "$p")
    if ! launch "$bin/metadata" "$@" "$where/file" ||
        { [ "$phase" = read ] &&
            ! launch "$bin/metadata" "$@" -r "$where/file"; }; then
        say "lbench: $variant, $phase failed: $(tail -n 1 "$work/err")"
        return 1
    fi
    asked=$(counters | awk -F , '{ print $1 + $2 + $3 }')
    write_row "$rep" "$variant" "$phase" "$asked,,,,,,," "$(counters)"
    rm -rf "$where"
}

# counters: write and read RPCs, lock requests, callbacks of the last launch
counters() {
    case $fs in
    mem | lustre) echo ,,, ;;
    *) "$sim" stats "$where" | sed -n 's/^total: *//p' | tr ' ' '\n' |
        awk -F = '{ n[$1] = $2 }
            END { print n["write_rpc"] + 0 "," n["read_rpc"] + 0 "," \
                n["enqueue"] + 0 "," n["bl_callback"] + 0 }' ;;
    esac
}

# system_calls: of all ranks, writing and reading, in the last launch
system_calls() {
    if [ "$(value calls "$p" no)" = no ]; then
        echo ,
        return
    fi
    cat "$work"/iotime/* 2>/dev/null | awk '
        { writes += $3; reads += $4 }
        END { print writes + 0 "," reads + 0 }'
}

# busiest COLUMN: seconds of the rank that was longest in file system calls, 1
# writing, 2 reading, of the last launch
busiest() {
    cat "$work"/iotime/* 2>/dev/null | awk -v c="$1" '
        $c > most { most = $c } END { printf "%.6f", most / 1e9 }'
}

# field NAME PHASE: of the last launch's JSON
field() {
    sed -n "/\"phase\":\"$2\",\"rep\":1,/s/.*\"$1\":\([0-9.]*\).*/\1/p" \
        "$work/out"
}
