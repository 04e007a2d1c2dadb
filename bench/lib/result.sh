# result.sh - the table of results, a row a phase of a launch
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# shellcheck shell=sh disable=SC2034,SC2154

columns="suite,set,label,x,variant,rep,phase,value_s,mib_s,bytes,open_s,\
calls_s,close_s,best_s,mean_s,measure,app,ranks,nodes,fs,model,osts,stripes,\
unit,aggs,sync,wait,hints,write_rpc,read_rpc,locks,callbacks,writes,reads,\
paper,seed,date,\
host,cpu,cores,kernel,load,mpi,driver"

# begin_results: the file, without earlier rows of the suite but to resume
begin_results() {
    csv=$out/results.csv
    if [ ! -s "$csv" ]; then
        echo "$columns" >"$csv"
    elif [ "$(head -n 1 "$csv")" != "$columns" ]; then
        die 1 "$csv is of another version of lbench; give another --out"
    fi
    [ "$resume" = no ] || return 0
    rm -f "$out/done.$suite"
    awk -F , -v s="$suite" 'NR == 1 || $1 != s' "$csv" >"$csv.new"
    mv "$csv.new" "$csv"
}

# row REP VARIANT PHASE: what the last launch said
row() {
    measure=$(value measure "$p" seconds)
    case $measure in
    best | mean) value=$(field "${measure}_s" "$3") ;;
    calls) value=$(field calls_s "$3") ;;
    *) value=$(field seconds "$3") ;;
    esac
    bytes=$(field bytes "$3")
    if [ "$(value split "$p" no)" = yes ]; then
        split_rows "$@"
        return
    fi
    rate=$(awk -v b="${bytes:-0}" -v s="${value:-0}" \
        'BEGIN { if (s > 0) printf "%.3f", b / s / 1048576 }')
    write_row "$1" "$2" "$3" "$value,$rate,$bytes,$(field open_s "$3"),$(
        field calls_s "$3"),$(field close_s "$3"),$(field best_s "$3"),$(
        field mean_s "$3")" "$(counters)" "$(system_calls)"
}

# split_rows REP VARIANT PHASE: the time inside file system calls, of the rank
# that has most of it, and what is left of the whole
split_rows() {
    column=1
    [ "$3" = write ] || column=2
    io=$(busiest $column)
    rest=$(awk -v a="$value" -v b="$io" 'BEGIN { print (a > b ? a - b : 0) }')
    write_row "$1" "$2" "$3: file system" "$io,,$bytes,,,,," "$(counters)"
    write_row "$1" "$2" "$3: the rest" "$rest,,$bytes,,,,," ,,,
}

# write_row REP VARIANT PHASE FIGURES COUNTERS [SYSTEM-CALLS]
write_row() {
    over=$mpi
    [ "$with" = mpich ] || over=$mpi_openmpi
    echo "$suite,$(value set "$p"),$(label_of "$p"),$(
        value x "$p"),$2,$1,$3,$4,$(value measure "$p" seconds),$(
        value app "$p" | tr , ' '),$ranks,$nodes,$fs,$model,$osts,$stripes,$unit,$(
        value aggs "$p"),$(value sync "$p" no),$(value wait "$p" polite),$(
        plain "$(echo "$given" | sed 's/^ *//; s/  */ /g')"),$5,${6:-,},$(
        plain "$(value paper "$p" | tr _ ' ')"),$seed,$(
        date -u +%Y-%m-%dT%H:%M:%SZ),$host,$cpu,$cores,$kernel,$(
        load),$over,$driver" >>"$csv"
}
