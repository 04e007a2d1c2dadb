#!/bin/sh
# t1001-open - MPI_File_open: modes, errors on all ranks, who opens when
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/lib.sh"
need_plugin

prog=$TMP/opener
dir=$TMP/dir
mkdir "$dir" "$TMP/sub"
chmod 755 "$TMP"
export ROMIO_FSTYPE_FORCE=lustre:

tap_plan 43

ok "opener compiles" "$MPICC" -Wall -Wextra -Werror -o "$prog" \
    "$SRC/src/mpi/romio/test/opener.c"

# run N ARG...: opener's answer, without the remark on a foreign file system
run() {
    n=$1
    shift
    plugin_run "$n" "$prog" "$@" 2>&1 | grep -v 'not Lustre'
}
# first WORD: the line that begins with it, of standard input
line() {
    sed -n "s/^$1: //p"
}

# ---- modes ----
out=$(run 4 "$dir/new" write read size)
is "$(echo "$out" | line open)" ok "CREATE makes a file"
is "$(echo "$out" | line size)" 16 "which can be written and read"
is "$(run 4 -a cxb "$dir/excl" | line open)" ok "EXCL makes a file"
out=$(run 4 -a cxb "$dir/excl")
is "$(echo "$out" | line open)" FILE_EXISTS \
    "EXCL on a file that exists: the same class on all ranks"
like "$out" 'text: .*exist' "and a text"
is "$(run 4 -a r "$dir/new" read | line close)" ok "RDONLY reads"
is "$(run 4 -a w "$dir/new" write | line close)" ok "WRONLY writes"
out=$(run 4 -a bp "$dir/new" pos)
is "$(echo "$out" | line pos)" 16 "APPEND starts at the end, on all ranks"
out=$(run 3 -a wp "$dir/new" shared size)
is "$(echo "$out" | line size)" 28 "the shared file pointer too"
ok "nothing hidden is left" [ -z "$(ls -A "$dir" | grep shfp)" ]
is "$(run 3 -a cbd "$dir/gone" write | line close)" ok "DELETE_ON_CLOSE closes"
ok "and deletes" [ ! -e "$dir/gone" ]
umask 027
run 2 -a cb "$dir/perm" >/dev/null
is "$(stat -c %a "$dir/perm")" 640 "a new file's permissions follow the umask"
umask 022

# ---- errors ----
out=$(run 4 -a b "$dir/none")
is "$(echo "$out" | line open)" NO_SUCH_FILE "no such file, on all ranks"
like "$out" "text: .*$dir/none" "the text names the file"
out=$(run 4 -a cb "$dir/none/none")
is "$(echo "$out" | line open)" NO_SUCH_FILE "no such directory"
is "$(run 4 -a r "$dir" | line open)" BAD_FILE "a directory, RDONLY"
is "$(run 4 -a b "$dir" | line open)" BAD_FILE "a directory, RDWR"
is "$(run 4 -a cr "$dir/new" | line open)" AMODE "CREATE with RDONLY"
ln -s loop "$dir/loop"
is "$(run 2 -a b "$dir/loop" | line open)" BAD_FILE "a link to itself"

# as_other N ARG...: the same, not as root
if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null &&
    setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$PLUGIN"; then
    as_other() {
        n=$1
        shift
        limited setpriv --reuid=65534 --regid=65534 --clear-groups \
            "$MPIEXEC" -n "$n" -genv LD_PRELOAD "$PLUGIN" "$prog" "$@" 2>&1 \
            </dev/null | grep -v 'not Lustre'
    }
    chmod 600 "$dir/new"
    out=$(as_other 4 -a b "$dir/new")
    is "$(echo "$out" | line open)" ACCESS "a file that is not ours"
    like "$out" "text: .*$dir/new" "the text names the file"
    is "$(as_other 4 -a cb "$dir/mine" | line open)" ACCESS \
        "a directory that cannot be written to"
    chmod 444 "$dir/new"
    is "$(as_other 4 -a r "$dir/new" read | line close)" ok "it can be read"
    is "$(as_other 4 -a b "$dir/new" | line open)" ACCESS "but not written"
    chmod 777 "$TMP/sub"
    chmod 222 "$dir/new"
    is "$(as_other 3 -a w "$dir/new" write | line close)" ok \
        "a file that can be written, but not read"
    chmod 644 "$dir/new"
else
    skip 6 "cannot become another user, or it cannot read the plug-in"
fi

# ---- who opens when ----
export MPIR_CVAR_NUM_CLIQUES=2
out=$(run 6 -h cb_aggregator_list=2,4 "$dir/few" fds write fds)
is "$(echo "$out" | line fds | head -n 1)" "1 0 1 0 1 0" \
    "only rank 0 and the aggregators open"
out=$(run 6 -h cb_aggregator_list=2,4 "$dir/few" iwrite=5 fds read)
is "$(echo "$out" | line fds)" "1 0 1 0 1 1" "others when they need it"
is "$(echo "$out" | line close)" ok "and close"
out=$(run 6 -h cb_aggregator_list=2,4 "$dir/few" fds size fds)
is "$(echo "$out" | line size)" 24 "every rank can ask for the size"
out=$(run 6 -h cb_aggregator_list=2,4 "$dir/few" resize=40 size)
is "$(echo "$out" | line size)" 40 "the size can be set"
out=$(run 6 -h cb_aggregator_list=5 "$dir/few" reserve=4096 size)
is "$(echo "$out" | line size)" 4096 "space can be reserved"
out=$(run 6 -h cb_aggregator_list=5 "$dir/few" iwrite=3 sync atomic iwrite=1 \
    sync)
is "$(echo "$out" | line close)" ok "sync and atomic mode"
out=$(run 6 -a cbd -h cb_aggregator_list=5 "$dir/few")
ok "the first aggregator is not rank 0: the file is deleted" \
    [ ! -e "$dir/few" ]
out=$(run 5 -a cb -h cb_aggregator_list=3 "$dir/app" iwrite=4)
out=$(run 5 -a bp -h cb_aggregator_list=3 "$dir/app" pos iwrite=1 pos)
is "$(echo "$out" | line pos | uniq)" 20 \
    "an open on demand does not move the pointers of APPEND"
unset MPIR_CVAR_NUM_CLIQUES

# A file opened WRONLY must be read for a strided write with sieving.
out=$(run 1 -a cw -h romio_ds_write=enable "$dir/rmw" strided=0)
is "$(echo "$out" | line close)" ok "WRONLY with sieving, enabled beforehand"
out=$(run 3 -a cw "$dir/rmw" strided=2 fds)
is "$(echo "$out" | line close)" ok "WRONLY with sieving, automatic"
printf '%064d' 0 | tr 0 . >"$dir/old"
run 1 -a w "$dir/old" strided=0 >/dev/null
is "$(head -c 16 "$dir/old")" "xxxx....xxxx...." "what is between is kept"

# ---- COMM_SELF, and both at once ----
out=$(run 4 -c self "$dir/own" write size)
is "$(echo "$out" | line open)" ok "COMM_SELF opens"
is "$(echo "$out" | line size)" "4 8 12 16" "each rank its own file"
out=$(run 2 "$dir/shared" shared shared size)
is "$(echo "$out" | line size)" 16 "shared file pointers"
ok "nothing hidden is left" [ -z "$(ls -A "$dir" | grep shfp)" ]
