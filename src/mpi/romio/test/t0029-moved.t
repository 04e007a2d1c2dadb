#!/bin/sh
# t0029-moved - an installed copy works where sources and build tree are not
# SPDX-License-Identifier: LicenseRef-romio-lustre
#
# The copy is moved to another folder. Its commands then run in a mount
# namespace in which an empty file system covers the checkout and the build
# tree: whatever still needs one of them fails.
. "$(dirname "$0")/lib.sh"
need_plugin
need_sim
[ -f "$BUILD/Makefile" ] || skip_all "no build tree at $BUILD (set ADL_BUILD)"
TIMEOUT=600
own="unshare -m"
$own true 2>/dev/null || own="unshare -rm"
$own mount -t tmpfs none "$SRC" 2>/dev/null ||
    skip_all "no mount namespace here (needs root or user namespaces)"
case $TMP/ in
"$SRC"/* | "$BUILD"/*) skip_all "TMPDIR is in the checkout" ;;
esac
python=/usr/bin/python3
has_python() {
    [ -x $python ] && $python -c "import $1" 2>/dev/null
}

prefix=$(sed -n 's/^prefix = //p' "$BUILD/Makefile")
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$BUILD/Makefile")
ok "make install" limited make -s -C "$BUILD" install "DESTDIR=$TMP/dest"
mv "$TMP/dest$prefix" "$TMP/moved"
moved=$TMP/moved
share=$moved/share/romio-lustre
mkdir "$TMP/here"

# away COMMAND...: run in $TMP/here with neither checkout nor build tree
cat >"$TMP/away" <<'END'
mount -t tmpfs none "$1" || exit 1
[ ! -d "$2" ] || mount -t tmpfs none "$2" || exit 1
[ -z "$(ls -A "$1")" ] || exit 1
cd "$3" || exit 1
shift 3
exec "$@"
END
away() {
    # shellcheck disable=SC2086 # options
    limited $own sh "$TMP/away" "$SRC" "$BUILD" "$TMP/here" env \
        -u ADL_BUILD -u LD_LIBRARY_PATH PATH="$moved/bin:$PATH" \
        PYTHONPATH="$share/python" LD_PRELOAD= HOME="$TMP" "$@"
}
not_ok "the checkout is away" away test -e "$SRC/configure.ac"

# ---- every command ----
for c in "$moved"/bin/*; do
    name=$(basename "$c")
    ok "$name --help" away "$name" --help
    like "$(cat "$TMP/.out")" "^[Uu]sage: $name" "and says how it is used"
done
is "$(ls "$moved/bin" | tr '\n' ' ')" "lbench lioprof lustre-sim romio-lustre " \
    "these are all"
ok "romio-lustre info" away romio-lustre info
like "$(cat "$TMP/.out")" "^plug-in  *$moved/lib" "names the moved plug-in"
ok "the example compiles" away "$MPICC" -O2 -o heat3d \
    "$moved/share/doc/romio-lustre/examples/heat3d.c" -lm
ok "lustre-sim mkfs" away lustre-sim mkfs --osts 4 fs
mkdir "$TMP/here/run"
job() {
    ROMIO_LUSTRE_REPORT=run/report.json MPICH_MPIIO_STATS=2 \
        MPICH_MPIIO_STATS_FILE=run/stats away lioprof collect -o run/servers \
        --lustre-sim fs -- romio-lustre run "$MPIEXEC" -n 4 ./heat3d -k \
        -h striping_factor=4 -h striping_unit=1048576 fs/heat
}
ok "a job with a report and the servers' log" job
ok "lioprof report" away lioprof report -o page.html run/servers
ok "lustre-sim stats" away lustre-sim stats fs
ok "doctor" away lustre-sim run --root fs romio-lustre doctor fs
ok "run --stock" away lustre-sim run --root fs romio-lustre run --stock \
    "$MPIEXEC" -n 2 ./heat3d ufs:fs/stock
ok "lbench list" away lbench list
ok "lbench run site" away lbench run site --dir "$TMP/here" --out results \
    --ranks 2 --nodes 2 --time 4s --reps 1 \
    --pattern 'ior -p strided -b 64K -t 16K'
like "$(cat "$TMP/.out")" "^export MPICH_MPIIO_HINTS='\*:striping_factor=" \
    "ends with hints to paste"
is "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
    NR == 2 { print $c["driver"] }' "$TMP/here/results/results.csv")" \
    "$version" "rows name the installed version"

# ---- CMake ----
if command -v cmake >/dev/null; then
    mkdir "$TMP/here/app"
    cat >"$TMP/here/app/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(app C)
find_package(romio-lustre $version REQUIRED)
add_executable(heat3d $moved/share/doc/romio-lustre/examples/heat3d.c)
target_link_libraries(heat3d PRIVATE romio-lustre::romio-lustre m)
file(WRITE \${CMAKE_BINARY_DIR}/command "\${romio-lustre_COMMAND}")
END
    ok "find_package(romio-lustre)" away cmake -S app -B app/build \
        "-DCMAKE_C_COMPILER=$MPICC" "-DCMAKE_PREFIX_PATH=$moved"
    ok "a program builds" away cmake --build app/build
    is "$(cat "$TMP/here/app/build/command")" "$moved/bin/romio-lustre" \
        "the command is named"
    out=$(ROMIO_LUSTRE_VERBOSE=1 away "$MPIEXEC" -n 2 app/build/heat3d \
        lustre:plain 2>&1)
    like "$out" "^romio-lustre $version" "and uses the plug-in, not preloaded"
    sed -i "s/lustre $version REQ/lustre 99.0 REQ/" "$TMP/here/app/CMakeLists.txt"
    not_ok "a version that is not there is not found" away cmake -S app \
        -B app/other "-DCMAKE_C_COMPILER=$MPICC" "-DCMAKE_PREFIX_PATH=$moved"
else
    skip 5 "no cmake"
fi

# ---- the schema, and the Python module ----
# shellcheck disable=SC2016 # Python
valid='import json, sys, jsonschema
check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
check.check_schema(check.schema)
for line in open(sys.argv[2]):
    for e in check.iter_errors(json.loads(line)):
        print(e.json_path, e.message[:200])'
schema=$share/schema/romio-lustre-report-1.schema.json
report=$TMP/here/run/report.json
errors() {
    $python -c "$valid" "$schema" "$1" 2>&1
}
if has_python jsonschema; then
    is "$(errors "$report")" "" "the report is valid by the installed schema"
    sed 's/"collective_calls":[0-9]*/"collective_calls":"many"/' "$report" \
        >"$TMP/broken"
    like "$(errors "$TMP/broken")" "write.counters.collective_calls.*many" \
        "a wrong type is not"
    sed 's/"ranks":[0-9]*,//' "$report" >"$TMP/broken"
    like "$(errors "$TMP/broken")" "'ranks' is a required" "nor a missing member"
    sed 's/"version":1/"version":2/' "$report" >"$TMP/broken"
    like "$(errors "$TMP/broken")" "version" "nor another version"
else
    skip 4 "no python3-jsonschema"
fi
if [ -x $python ]; then
    ok "the module reads reports without pandas" away $python -c '
import sys
sys.modules["pandas"] = None
import romio_lustre as rl
r = rl.reports("run/*.json")
assert len(r) == 2 and r[0]["ranks"] == 4, r
assert rl.schema_path(), "no schema"
try:
    rl.files_frame(r)
except ImportError as e:
    assert "python3-pandas" in str(e)
else:
    raise SystemExit("a frame without pandas")'
    echo '{"schema": "romio-lustre-report", "version": 2}' >"$TMP/here/two.json"
    not_ok "another version is refused" away $python -c \
        'import romio_lustre as rl; rl.reports("two.json")'
    like "$(cat "$TMP/.out")" "two.json:1: version 2 of the report" "by name"
else
    skip 3 "no $python"
fi
if has_python pandas; then
    ok "frames: the same bytes in all of them" away $python -c '
import romio_lustre as rl
r = rl.reports("run/report.json")
files = rl.files_frame(r)
written = files[files.direction == "write"].system_bytes.sum()
assert written == 28311552, written
assert rl.osts_frame(r).query("direction == \"write\"").bytes.sum() == written
assert rl.csv_frame("run/stats").bytes_written.sum() == written
assert rl.lioprof_frames("run/servers")["ost"].written_bytes.sum() == written
hints = rl.hints_frame(r[:1]).set_index("name")
assert hints.loc["striping_factor", "effective"] == "4", hints
p = rl.phases_frame(r)
assert set(p.ranks) == {"all_ranks", "io_ranks"} and "collective" in set(p.phase)'
else
    skip 1 "no python3-pandas"
fi

# ---- the notebook ----
if has_python pandas && has_python nbconvert && has_python ipykernel &&
    has_python matplotlib; then
    cp "$moved/share/doc/romio-lustre/examples/read-a-run.ipynb" "$TMP/here"
    # the kernel of /usr/bin/python3, whatever is installed for the user
    ok "the notebook runs" away $python -m nbconvert --to notebook --execute \
        --output done.ipynb read-a-run.ipynb
    is "$($python -c '
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
out = [o for c in cells if c["cell_type"] == "code" for o in c["outputs"]]
print(sum("image/png" in o.get("data", {}) for o in out), "pictures")
print("".join("".join(o.get("text", "")) for o in out if o.get("name") == "stdout"),
      end="")' "$TMP/here/done.ipynb")" "3 pictures
bytes written by the driver: 28311552
bytes that reached the OSTs: 28311552" "it draws three pictures of this run"
else
    skip 2 "no pandas, nbconvert, ipykernel or matplotlib of Debian"
fi
tap_done
