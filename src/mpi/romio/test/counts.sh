# counts.sh - the counts table: jobs whose locks and RPCs a real Lustre counted
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# For t9001. 4 ranks on 4 clients, 256 KiB blocks in turn, hybrid I/O off unless
# said. Recorded: the driver at commit d2f0eca on Lustre 2.17.57 with 4 OSTs and
# 4 client mounts, callbacks of OSTs / extent lock requests / write RPCs; of
# reads lock requests / read RPCs; of rows with a fight the runs of an earlier
# visit too. A row in which clients compete for a lock
# (fight) has other counts in each run, there and here; on lustre-sim it is run
# with the times of that machine (profile vm), and is to be within a factor of
# 1.5 of what was seen.
#
# NAME|RECORDED|KIND|WHO|STRIPES SIZE|BLOCKS|HINTS
#   KIND     write: a new file; read: the file of the row before, caches empty;
#            fight: write, and clients compete; early: write, and a part of the
#            data left early there, of which the cause is not known (W4 of
#            locks-2.md): RPCs within 1.5; hybrid: write, with hybrid I/O, which
#            a real node has set or not: not run there
#   WHO      ours, stock (ad_lustre of MPICH 4.0.2), generic (ROMIO's UFS driver)
#   STRIPES  -: the hints tell the layout
#
# shellcheck shell=sh disable=SC2034

counts_table() {
    cat <<'EOT'
ours, write|0/4/16|write|ours|4 1M|64|
ours, read|4/27|read|ours|-|-64|
generic, read|16/28|read|generic|-|-64|
stock, read|16/28|read|stock|-|-64|
stock, write|0/4/16|write|stock|4 1M|64|
generic, write|12/30/28 15/34/31 14/33/30 23/39/35|fight|generic|4 1M|64|
stock, co_ratio 2 on 2 OSTs|40/51/52 40/44/49 37/43/54|fight|stock|2 1M|64|romio_lustre_co_ratio 2
multiplier 2 on 2 OSTs, mode 0|7/15/23 16/30/30|fight|ours|2 1M|64|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 0
the same, mode 1|0/8/16|write|ours|2 1M|64|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 1 romio_no_indep_rw true
the same, mode 2|0/64/16|write|ours|2 1M|64|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
16 stripes, mode 2|0/16/4|write|ours|2 1M|16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
then read|2/9|read|ours|-|-16|
16 calls, mode 2|0/72/19|early|ours|2 1M|64x16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
16 calls, mode 0|44/51/51|fight|ours|2 1M|64x16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 0
direct, mode 0|0/0/32|write|ours|2 1M|32|direct_write true cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 0
direct, mode 2|0/0/32|write|ours|2 1M|32|direct_write true cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
direct, mode 1|0/8/8|write|ours|2 1M|32|direct_write true cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 1 romio_no_indep_rw true
hybrid I/O, 4 MiB stripes, mode 0|0/0/16|hybrid|ours|2 4M|64|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 0
hybrid I/O, 4 MiB stripes, mode 2|0/0/16|hybrid|ours|2 4M|64|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
composite, mode 1|0/12/5|write|ours|-E 4M -c 1 -E -1 -c 2 -S 1M|16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 1 romio_no_indep_rw true
composite, mode 2|0/13/5|write|ours|-E 4M -c 1 -E -1 -c 2 -S 1M|16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
data on MDT, mode 1|0/8/4|write|ours|-E 1M -L mdt -E -1 -c 2 -S 1M|16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 1 romio_no_indep_rw true
data on MDT, mode 2|0/15/4|write|ours|-E 1M -L mdt -E -1 -c 2 -S 1M|16|cray_cb_nodes_multiplier 2 cray_cb_write_lock_mode 2
EOT
}

# counts_stats: of `lctl get_param osc.*.stats`, "requests writes reads" so far
counts_stats() {
    awk '$1 == "ldlm_extent_enqueue" { e += $2 } $1 == "ost_write" { w += $2 }
        $1 == "ost_read" { r += $2 } END { print e + 0, w + 0, r + 0 }'
}

# counts_near RECORDED GOT: each number within a factor of 1.5 of what was seen;
# RECORDED may hold several runs
counts_near() {
    echo "$1 $2" | awk '{
        n = split($NF, got, "/")
        for (i = 1; i < NF; i++) {
            split($i, one, "/")
            for (k = 1; k <= n; k++) {
                if (i == 1 || one[k] + 0 < low[k]) low[k] = one[k] + 0
                if (i == 1 || one[k] + 0 > high[k]) high[k] = one[k] + 0
            }
        }
        for (k = 1; k <= n; k++)
            if (3 * got[k] < 2 * low[k] || 2 * got[k] > 3 * high[k]) exit 1
    }'
}
