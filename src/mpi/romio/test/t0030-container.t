#!/bin/sh
# t0030-container - inside a container; the definitions of images
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# A container is what the kernel makes of one: namespaces of mounts, processes,
# IPC and names, its own /dev/shm and /proc. With --full the image is built from
# a Debian that debootstrap makes, and runs.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
here=$SRC/src/mpi/romio/test

# ---- the definitions ----
if [ -x /usr/bin/python3 ]; then
    ok "the definitions can be read" "$SRC/packaging/test/check-containers" \
        "$SRC"
    # one mistake in each
    mkdir -p "$TMP/wrong/packaging"
    cp -r "$SRC/packaging/container" "$TMP/wrong/packaging"
    sed -i 's/--from=build/--from=none/' \
        "$TMP/wrong/packaging/container/Containerfile"
    sed -i 's/^%post/%past/' "$TMP/wrong/packaging/container/romio-lustre.def"
    "$SRC/packaging/test/check-containers" "$TMP/wrong" >"$TMP/out"
    is "$(grep -c '^not ok' "$TMP/out")" 3 "and mistakes are found"
else
    skip 2 "no python3"
fi

# ---- no library of Lustre's ----
is "$(readelf -d "$PLUGIN" | grep NEEDED | grep -ci lustreapi)" 0 \
    "the plug-in needs no liblustreapi"
is "$(strings "$PLUGIN" | grep -c liblustreapi)" 0 "and looks for none"

"$MPICC" -o "$TMP/opener" "$here/opener.c" ||
    { echo "Bail out! opener does not compile"; exit 1; }
sim_mkfs --osts 4 --stripe-size 64K --stripe-count 4 || exit 1

# contained SHM CMD ARG...: in namespaces of its own, with another host name; SHM
# own: also with an empty /sys and /dev/shm of 64 MiB, as podman gives
cat >"$TMP/contained" <<'END'
#!/bin/sh
shm=$1
shift
own=-i
[ "$shm" = own ] || own=
exec unshare -m -p -u $own -f --mount-proc sh -c '
    [ "$0" != own ] || { mount -t tmpfs -o size=64M none /dev/shm &&
        mount -t tmpfs none /sys; } || exit 1
    hostname inside && exec "$@"' "$shm" "$@"
END
chmod +x "$TMP/contained"
if ! "$TMP/contained" own true 2>"$TMP/err"; then
    skip 6 "no namespaces here: $(head -n 1 "$TMP/err")"
else
    # the whole job in one container, with mpiexec inside
    out=$(limited "$TMP/contained" own "$LUSTRE_SIM" run --root "$SIM" \
        "$BUILD/romio-lustre" run "$MPIEXEC" -n 3 "$TMP/opener" "$SIM/f" \
        write read iwrite=1 sync 2>&1)
    like "$out" '^close: ok' "the job in a container"
    is "$(printf '%s\n' "$out" | grep -c '^romio-lustre:')" 0 "without remarks"

    # each rank in its own container that shares /dev/shm, which MPI needs: the
    # driver takes ranks that do not see each other's processes for nodes
    out=$(UCX_TLS=tcp,self ROMIO_LUSTRE_REPORT="$TMP/report.json" sim_run 3 \
        "$TMP/contained" shared "$TMP/opener" "$SIM/g" write read iwrite=1 \
        sync 2>&1)
    like "$out" '^close: ok' "each rank in its own container"
    is "$(tr -d ' \n' <"$TMP/report.json" |
        sed -n 's/.*"nodes":\([0-9]*\).*/\1/p')" 3 "they are taken for nodes"
    out=$(limited "$TMP/contained" own "$LUSTRE_SIM" run --root "$SIM" \
        "$BUILD/romio-lustre" doctor "$SIM" 2>&1)
    like "$out" 'OSTs: 4' "doctor sees the file system there"
    like "$out" 'features, tried' "and tries its features"
fi

# ---- the image ----
if [ $FULL = no ]; then
    skip 2 "the image is built with --full"
elif ! command -v podman >/dev/null || ! command -v debootstrap >/dev/null; then
    skip 2 "no podman or no debootstrap"
elif ! debootstrap --variant=minbase --include=ca-certificates bookworm \
    "$TMP/root" >"$TMP/log" 2>&1; then
    skip 2 "debootstrap: $(tail -n 1 "$TMP/log")"
else
    TIMEOUT=3000
    name=localhost/romio-lustre-test-$$
    tar -C "$TMP/root" -c . | podman import -q - "$name-base" >/dev/null 2>&1
    mkdir "$TMP/tree"
    make -s -C "$BUILD" dist >/dev/null 2>&1
    tar -C "$TMP/tree" --strip-components=1 -xf \
        "$(ls -t "$BUILD"/romio-lustre-*.tar.xz | head -n 1)"
    # in_chroot ARG...: podman build, for which podman starts no container
    in_chroot() {
        limited podman build --isolation=chroot --network=host \
            --layers=false "$@"
    }
    ok "the image is built" in_chroot --build-arg "BASE=$name-base" \
        -t "$name" -f "$TMP/tree/packaging/container/Containerfile" "$TMP/tree"
    inside='lustre-sim mkfs --osts 4 /tmp/fs && cd /opt/romio-lustre &&
        mpicc.mpich -O2 -o /tmp/heat3d share/doc/*/examples/heat3d.c -lm &&
        lustre-sim run --root /tmp/fs romio-lustre run mpiexec -n 4 \
            /tmp/heat3d -k /tmp/fs/heat && lustre-sim getstripe /tmp/fs/heat'
    if podman run --rm --network=host "$name" true 2>"$TMP/err"; then
        ok "a program runs in it" limited podman run --rm --network=host \
            "$name" sh -ec "$inside"
    else
        diag "podman run: $(tail -n 1 "$TMP/err"); so it is a step of a build"
        printf 'FROM %s\nRUN %s\n' "$name" "$(echo "$inside" |
            tr -d '\\\n')" >"$TMP/step"
        ok "a program runs in it" in_chroot -f "$TMP/step" "$TMP/wrong"
    fi
    podman rmi -f "$name" "$name-base" >/dev/null 2>&1
fi
tap_done
