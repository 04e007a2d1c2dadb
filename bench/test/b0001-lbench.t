#!/bin/sh
# b0001-lbench - the benchmark command: order, resuming, verification, reports
# SPDX-License-Identifier: LicenseRef-romio-lustre
. "$(dirname "$0")/../../src/mpi/romio/test/lib.sh"
need_plugin
need_sim

TIMEOUT=600
lbench=$SRC/bench/lbench
man=$SRC/doc/man/lbench.1

# run SUITE OPTION...: in $TMP, quietly; status in $status
run() {
    status=0
    limited "$lbench" run "$@" --build "$BUILD" --dir "$TMP" --out "$TMP/out" \
        >"$TMP/said" 2>"$TMP/err" </dev/null || status=$?
}

show() {
    diag_file "$TMP/said"
    diag_file "$TMP/err"
}

# column NAME: of the results, without the head
column() {
    awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        { print $c[name] }' "$TMP/out/results.csv"
}

# ---- usage ----
for bad in "" "run" "run nothing" "run ../lbench" "run smoke --reps 0" \
    "run smoke --time soon" "run smoke --variants best" "run smoke --bild x" \
    "run smoke --seed" "run smoke --scale 1x" "run smoke --ranks 77" \
    "run compare --resume" "report --html" "quake"; do
    status=0
    # shellcheck disable=SC2086 # words
    ADL_BUILD=$BUILD "$lbench" $bad ${bad:+--out "$TMP/empty"} \
        >"$TMP/said" 2>"$TMP/err" || status=$?
    is "$status" 2 "lbench $bad: exit status 2"
done
not_ok "no results" "$lbench" report --out "$TMP/none"
like "$("$lbench" list)" "^  compare +.*README" "list: suites"
like "$("$lbench" list)" "^  stock-lustre" "list: variants"

# ---- the man page says what --help says ----
for c in '' run report; do
    # shellcheck disable=SC2086 # a command or none
    "$lbench" $c --help
done | grep -oE '(^|[ "])--?[a-z][a-z-]*' | tr -d ' "' | sort -u >"$TMP/help"
sed 's/\\-/-/g' "$man" | grep -E '^\.B(I|R)? ' |
    grep -oE '(^|[ "])--?[a-z][a-z-]*' | tr -d ' "' | grep -vx -e -n |
    sort -u >"$TMP/manual"
is "$(comm -23 "$TMP/help" "$TMP/manual" | tr '\n' ' ')" "" \
    "every option of --help is in the man page"
is "$(comm -13 "$TMP/help" "$TMP/manual" | tr '\n' ' ')" "" \
    "and no other"
ok "there are some" test "$(wc -l <"$TMP/help")" -gt 20
missing=
for s in "$SRC"/bench/suites/*.sh; do
    grep -qx "\.B $(basename "$s" .sh)" "$man" || missing="$missing $s"
done
is "$missing" "" "every suite is in the man page"

# ---- the proxies in all interfaces ----
mkdir "$TMP/bin" "$TMP/files"
ok "the proxies compile without warnings" env CFLAGS="-O2 -Wall -Wextra -Werror" \
    "$SRC/bench/apps/build" --mpicc "$MPICC" --out "$TMP/bin" \
    wrf flash chimera lattice climate ior tile burst e3sm s3d bt
# a file of each interface is the same file
for api in mpiio hand posix; do
    mkdir "$TMP/files/$api"
    ok "tile with ghost cells: --api $api" mpi_run 6 "$TMP/bin/tile" --edge 40 \
        --api $api --keep "$TMP/files/$api"
done
ok "by hand and by POSIX: the same bytes" \
    cmp "$TMP/files/hand/tile.dat" "$TMP/files/posix/tile.dat"
ok "by MPI-IO, too" cmp "$TMP/files/mpiio/tile.dat" "$TMP/files/hand/tile.dat"
ok "burst: a file per process" mpi_run 3 "$TMP/bin/burst" --calls 3 --api fpp \
    --keep "$TMP/files"
is "$(ls "$TMP/files" | grep -c 'burst.dat\.[0-2]')" 3 "is three files"
printf X | dd of="$TMP/files/burst.dat.1" bs=1 seek=5000 conv=notrunc 2>/dev/null
not_ok "and a wrong byte in one is found" mpi_run 3 "$TMP/bin/burst" --calls 3 \
    --api fpp --read "$TMP/files"
ok "memory with gaps" mpi_run 3 "$TMP/bin/ior" -b 64K -t 64K --gaps "$TMP/files"
not_ok "gaps need whole pieces" mpi_run 2 "$TMP/bin/ior" -b 100 -t 100 --gaps \
    "$TMP/files"

# ---- order ----
"$lbench" run compare --build "$BUILD" --dir "$TMP" --out "$TMP/dry" --dry-run \
    --seed 5 >"$TMP/plan5" 2>/dev/null
"$lbench" run compare --build "$BUILD" --dir "$TMP" --out "$TMP/dry" --dry-run \
    --seed 5 >"$TMP/plan5again" 2>/dev/null
"$lbench" run compare --build "$BUILD" --dir "$TMP" --out "$TMP/dry" --dry-run \
    --seed 6 >"$TMP/plan6" 2>/dev/null
ok "compare has launches" test "$(wc -l <"$TMP/plan5")" -gt 200
ok "the same seed gives the same order" cmp "$TMP/plan5" "$TMP/plan5again"
not_ok "another seed another one" cmp "$TMP/plan5" "$TMP/plan6"
is "$(sort "$TMP/plan5" | cksum)" "$(sort "$TMP/plan6" | cksum)" \
    "of the same launches"
not_ok "and nothing was measured" test -e "$TMP/dry/results.csv"
is "$(cut -d ' ' -f 1,3- "$TMP/plan5" | uniq | wc -l)" \
    "$(cut -d ' ' -f 1,3- "$TMP/plan5" | sort -u | wc -l)" \
    "the variants of a combination are next to each other"

# ---- another build's driver ----
mkdir "$TMP/older"
: >"$TMP/older/libromio_lustre.so"
"$lbench" run compare --build "$BUILD" --before "$TMP/older" --dir "$TMP" \
    --out "$TMP/dry" --dry-run --seed 5 >"$TMP/plan5before" 2>/dev/null
ours=$(grep -v mpi=openmpi "$TMP/plan5" | grep -c '^[0-9]* ours ')
is "$(grep -c '^[0-9]* before ' "$TMP/plan5before")" "${ours:-none}" \
    "--before: a launch next to each of ours, but over Open MPI"
not_ok "--before without a driver is refused" "$lbench" run smoke --dry-run \
    --build "$BUILD" --before "$TMP" --dir "$TMP" --out "$TMP/dry"

# ---- it works, and goes on after an end ----
run smoke --bin "$TMP/bin" --seed 7 --time 1s
is "$status" 0 "smoke, one second"
[ "$status" = 0 ] || show
like "$(cat "$TMP/err")" "time is up" "it says that time is up"
ok "something was measured" test "$(column set | wc -l)" -ge 1
ok "but not all" test "$(column set | wc -l)" -lt 20
"$lbench" run smoke --build "$BUILD" --dir "$TMP" --out "$TMP/out" \
    --bin "$TMP/bin" --resume >"$TMP/said" 2>"$TMP/err" </dev/null &
pid=$!
n=$(column set | wc -l)
while [ "$(column set | wc -l)" -lt $((n + 4)) ] && kill -0 $pid 2>/dev/null; do
    sleep 0.2
done
kill -TERM $pid
status=0
wait $pid || status=$?
is "$status" 130 "interrupted: exit status 130"
is "$(ls -d "$TMP"/lbench.?????? 2>/dev/null)" "" "nothing is left behind"
run smoke --bin "$TMP/bin" --resume
is "$status" 0 "resumed to the end"
[ "$status" = 0 ] || show
is "$(sort -u "$TMP/out/done.smoke" | wc -l)" \
    "$("$lbench" run smoke --build "$BUILD" --dir "$TMP" --out "$TMP/dry" \
        --bin "$TMP/bin" --dry-run 2>/dev/null | wc -l)" "every launch is done"
is "$(sort "$TMP/out/done.smoke" | uniq -d)" "" "none of them twice"
is "$(awk -F , '{ print NF }' "$TMP/out/results.csv" | sort -u | wc -l)" 1 \
    "every row has all columns"
for v in $("$lbench" list | sed '1,/^variants/d' | awk '{ print $1 }'); do
    case $v in
    ompio | romio321)
        command -v mpiexec.openmpi >/dev/null &&
            command -v mpicc.openmpi >/dev/null || continue
        ;;
    before) continue ;; # only with --before
    gio) continue ;; # only in the suite rivals: b0005 looks for it
    aggregators, | ranks) continue ;; # only in the suite blocks: b0007
    esac
    column variant | grep -qx "${v%,}" || diag "no row of ${v%,}"
done >"$TMP/lost"
is "$(cat "$TMP/lost")" "" "every variant has rows"
is "$(column seed | sort -u)" 7 "the seed is in every row"
is "$(column value_s | grep -cvE '^[0-9.]+$')" 0 "every row has a time"
for c in host cpu cores kernel load mpi driver date app; do
    [ -n "$(column $c | grep .)" ] || diag "$c is empty"
done >"$TMP/lost"
is "$(cat "$TMP/lost")" "" "machine, load and versions are known"

# ---- wrong data ----
# a launcher that changes a byte after every write
cat >"$TMP/spoil" <<EOT
#!/bin/sh
# spoil - mpiexec, and a byte of what was written is another
"$MPIEXEC" "\$@" || exit
case " \$* " in *" --write "*) ;; *) exit 0 ;; esac
for last; do :; done
printf X | dd of="\${last#lustre:}/ior.dat" bs=1 seek=70000 conv=notrunc 2>/dev/null
EOT
chmod +x "$TMP/spoil"
ADL_MPIEXEC=$TMP/spoil run smoke --bin "$TMP/bin" --labels ior --variants ours
is "$status" 1 "wrong data: exit status 1"
like "$(cat "$TMP/err")" "ours, read failed: .*1 of [0-9]+ bytes are wrong" \
    "and it says which"

# ---- statistics, claims and reports, of rows made by hand ----
head=$(head -n 1 "$TMP/out/results.csv")
rm -rf "$TMP/out"
mkdir "$TMP/out"
echo "$head" >"$TMP/out/results.csv"
# made VARIANT REP SECONDS SET LABEL X MODEL
made() {
    echo "$head" | awk -F , -v v="$1" -v r="$2" -v s="$3" -v set="$4" -v l="$5" \
        -v x="$6" -v m="$7" '{
        f["suite"] = "compare"; f["set"] = set; f["label"] = l; f["x"] = x
        f["variant"] = v; f["rep"] = r; f["phase"] = "write"; f["value_s"] = s
        f["mib_s"] = 64 / s; f["bytes"] = 67108864; f["ranks"] = 8
        f["nodes"] = 1; f["load"] = 0.5; f["seed"] = 3; f["model"] = m
        for (i = 1; i <= NF; i++)
            printf "%s%s", (i > 1 ? "," : ""), f[$i]
        print ""
    }' >>"$TMP/out/results.csv"
}
# ours / by-hand in pairs: 1/2, 2/2, 9/3, 2/8, 3/3: median 1, quartiles 0.5, 1
r=0
for pair in 1/2 2/2 9/3 2/8 3/3; do
    r=$((r + 1))
    made ours $r ${pair%/*} ratio "8 ranks" 1 ""
    made by-hand $r ${pair#*/} ratio "8 ranks" 1 ""
done
for s in 1/4 8/2.5; do
    made posix 1 ${s#*/} overstripe-flash-256K \
        "${s%/*} stripe$([ ${s%/*} = 1 ] || echo s) on the OST" ${s%/*} "base flash"
done
text=$("$lbench" report --out "$TMP/out" --text)
is $? 1 "a claim that does not hold: exit status 1"
like "$text" "^8 ranks +write +32.0 \(21.3 to 32.0\) +1.00 \(0.50 to 1.00\)" \
    "medians and quartiles of rates and of ratios"
like "$text" "FAILS: 8 stripes .*: 1.60 \(at least 2\)" "the claim"
like "$text" "Time model of lustre-sim, not a machine: base flash" "the model"
sed -i 's/,2.5,25.6,/,1,64,/' "$TMP/out/results.csv"
text=$("$lbench" report --out "$TMP/out" --text)
is $? 0 "a claim that holds: exit status 0"
like "$text" "holds: 8 stripes .*: 4.00 \(at least 2\)" "the claim"

printf '%s\n' before "<!-- lbench: begin ratio -->" old "<!-- lbench: end -->" \
    after >"$TMP/page.md"
ok "marks of a page" "$lbench" report --out "$TMP/out" --readme "$TMP/page.md"
like "$(cat "$TMP/page.md")" \
    '^\| 8 ranks \| write \| 32.0 \(21.3 to 32.0\) \| 1.00 \(0.50 to 1.00\) \|' \
    "the table is between them"
is "$(grep -c -e '^old' -e 'on the OST' "$TMP/page.md")" 0 \
    "what was there is gone, other sets do not come"
is "$(sed -n '1p;2p;$p' "$TMP/page.md" | tr '\n' '|')" \
    "before|<!-- lbench: begin ratio -->|after|" "the rest stays"
cp "$TMP/page.md" "$TMP/page2.md"
"$lbench" report --out "$TMP/out" --readme "$TMP/page2.md"
ok "once more changes nothing" cmp "$TMP/page.md" "$TMP/page2.md"
printf '%s\n' "<!-- lbench: begin -->" old "<!-- lbench: end -->" \
    "<!-- lbench: begin over* -->" old "<!-- lbench: end -->" \
    "<!-- lbench: begin apps-none -->" kept "<!-- lbench: end -->" \
    >"$TMP/page3.md"
"$lbench" report --out "$TMP/out" --readme "$TMP/page3.md"
is "$(sed -n 's/^<!-- lbench: \([a-z]*\).*/\1/p; s/^<a id="\(.*\)".*/\1/p
    /^old$/p; /^kept$/p' "$TMP/page3.md" | tr '\n' ' ')" \
    "begin ratio end begin overstripe-flash-256K end begin kept end " \
    "each mark has its sets; one without results keeps what it has"
not_ok "a page without marks is refused" "$lbench" report --out "$TMP/out" \
    --readme "$TMP/plan5"

if command -v gnuplot >/dev/null; then
    ok "HTML" "$lbench" report --out "$TMP/out" -o "$TMP/r.html"
    is "$(grep -c '<svg' "$TMP/r.html") $(grep -c '</svg>' "$TMP/r.html")" "2 2" \
        "a figure for each set"
    like "$(cat "$TMP/r.html")" 'class="model">Time model.*base flash' \
        "the model is marked"
    like "$(cat "$TMP/r.html")" 'class="holds"' "claims are there"
    is "$(grep -c '</html>' "$TMP/r.html")" 1 "it is whole"
else
    skip 5 "no gnuplot"
fi

tap_done
