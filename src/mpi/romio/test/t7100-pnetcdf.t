#!/bin/sh
# t7100-pnetcdf - PnetCDF's tests, examples and benchmarks through the plug-in
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/suite.sh"
. "$(dirname "$0")/pnetcdf.sh"
need_plugin
need_sim

# One rank needs no mpiexec.
ours() {
    n=$1
    shift
    if [ "$n" = 1 ]; then
        sim_one "$@"
    else
        sim_run "$n" "$@"
    fi
}

pnetcdf_plain() {
    mpi_run "$@"
}

# absurd FILE: hints that make no sense, through PnetCDF to every open; what the
# driver says is left in $TMP/said
absurd() {
    # shellcheck disable=SC2154 # set by pnetcdf_suites
    PNETCDF_HINTS="striping_factor=many;striping_unit=1000;cb_buffer_size=0;\
cb_nodes=-3;romio_cb_write=perhaps;cb_config_list=nowhere:*;romio_no_such_hint=1;\
nc_var_align_size=3" ours 4 "$programs/test/nonblocking/column_wise" "$1" \
        >"$TMP/said" 2>&1 || { cat "$TMP/said"; return 1; }
    pnetcdf_valid "$(dirname "$1")"
}

absurd_hints() {
    mkdir "$SIM/absurd"
    ok "absurd hints: the program passes all the same" \
        absurd "$SIM/absurd/out.nc"
    for hint in striping_factor=many 'stripe size 1000' cb_buffer_size=0 \
        cb_nodes=-3 romio_cb_write=perhaps cb_config_list=nowhere \
        romio_no_such_hint=1; do
        is "$(pnetcdf_said "$TMP/said" | grep -c -e "$hint")" 1 \
            "one message about $hint"
    done
    is "$(pnetcdf_said "$TMP/said" | wc -l)" 7 "and no others"
}

sim_mkfs --osts 4 --stripe-count 4 --stripe-size 64K >/dev/null
is "$(suite_driver "$SIM/driver")" LUSTRE: "the driver is ours"
pnetcdf_suites "PnetCDF, plug-in:" "$MPICC" check plugin
[ ! -x "${programs:-none}/test/nonblocking/column_wise" ] || absurd_hints
tap_done
