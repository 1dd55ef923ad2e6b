#!/bin/sh
# first_run_words.sh -- first_run.sh keeps its promises, with made up parts: one that fails or hangs does not cost the
# others, what no longer fits is left out but for the last part, and each has a line and a log. The scripts have no
# complaint of shellcheck, where it is; those in Python are read by Python, and torch_step.py runs where torch is.
# shellcheck disable=SC2015,SC2016 # as in the other tests: a check is a line; words for another shell
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "FAIL $*"
    failed=1
}

# parts BODY -- a parts.sh whose `list` and parts are BODY.
parts() {
    printf '#!/bin/sh\nleft=$DTSIM_FIRST_RUN_FOLDER/first_run\n%s\n' "$1" >"$work/parts.sh"
}

# first_run WANTED-STATUS SECONDS [NAME=VALUE...] -- what it prints is $work/said.
first_run() {
    wanted=$1 seconds=$2
    shift 2
    rm -rf "$work/results"
    env DTSIM_FIRST_RUN_PARTS="$work/parts.sh" DTSIM_FIRST_RUN_FOLDER="$work/build" DTSIM_FIRST_RUN_S="$seconds" "$@" \
        sh "$here/first_run.sh" "$work/results" >"$work/said" 2>&1
    status=$?
    [ $status -eq "$wanted" ] || fail "status $status, not $wanted: $(cat "$work/said")"
}

# says PATTERN -- a line of the summary.
says() {
    grep -qE "$1" "$work/results/summary.txt" || fail "no line $1 in: $(cat "$work/results/summary.txt" 2>&1)"
}

parts 'case $1 in
list) printf "%s\n" "good 9" "bad 9" "hangs 1" "other 9" "no_card 9" "last 9" ;;
good) echo all is well ;;
bad) echo first; echo "it broke"; exit 3 ;;
hangs) sleep 60 ;;
other) echo kept >$left/other.json ;;
no_card) echo "no card"; exit 77 ;;
last) echo table >$left/compare.txt; echo a,b >$left/compare.csv ;;
esac'
first_run 1 60
says '^good +passed +[0-9]+ s  all is well$'
says '^bad +FAILED +[0-9]+ s  status 3: first_run/bad.log: it broke$'
says '^hangs +FAILED +[0-9]+ s  cut off at its limit, 1 s: first_run/hangs.log$'
says '^other +passed'
says '^no_card +skipped +[0-9]+ s  no card$'
says '^last +passed'
[ "$(cat "$work/results/compare.txt" "$work/results/compare.csv")" = "table
a,b" ] || fail "no comparison"
tar -tzf "$work/results/results.tar.gz" >"$work/names" || fail "no archive"
for name in good.log bad.log hangs.log other.json compare.txt; do
    grep -qx "first_run/$name" "$work/names" || fail "the archive has no $name"
done
[ "$(find "$work/results" -type f | wc -l)" -eq 4 ] || fail "files: $(ls "$work/results")"
grep -q '^3 passed, 2 failed, 1 skipped or left out' "$work/said" || fail "the end: $(tail -n 3 "$work/said")"

first_run 77 60 DTSIM_FIRST_RUN_ONLY="good no_card"
[ "$(wc -l <"$work/results/summary.txt")" -eq 2 ] || fail "only two parts: $(cat "$work/results/summary.txt")"
first_run 0 60 DTSIM_FIRST_RUN_ONLY="good other"

parts 'case $1 in
list) printf "%s\n" "long 60" "later 60" "last 4" ;;
long) sleep 60 ;;
esac'
first_run 1 9
says '^long +FAILED +[0-9]+ s  cut off at its limit, [45] s'
says '^later +left out +0 s  no time$'
says '^last +passed'

# Each part of the list has something to run, and says so where nothing can: no card, nothing built.
sh "$here/parts.sh" list | grep -qvE '^[a-z0-9-]+ [0-9]+$' && fail "the list: $(sh "$here/parts.sh" list)"
for part in $(sh "$here/parts.sh" list | cut -d ' ' -f 1 | grep -vE '^(machine|build|torch-.*)$'); do
    mkdir -p "$work/empty/first_run"
    DTSIM_FIRST_RUN_FOLDER=$work/empty sh "$here/parts.sh" "$part" >"$work/said" 2>&1 </dev/null
    [ $? -eq 77 ] && [ "$(wc -l <"$work/said")" -eq 1 ] || fail "$part, nothing built: $(cat "$work/said")"
done

if command -v shellcheck >/dev/null; then
    shellcheck -S style "$here"/*.sh || fail "shellcheck"
fi
torch=
for python in python3 /usr/bin/python3; do
    "$python" -c 'import torch' 2>/dev/null && torch=$python && break
done
if [ -n "$torch" ]; then
    for words in "resnet50 2 2 momentum fp32" "gpt2 2 2 adamw bf16"; do
        # shellcheck disable=SC2086 # a list of words
        "$torch" "$here/torch_step.py" --tiny $words cpu >"$work/empty/first_run/torch-${words%% *}-fp32.json" 2>"$work/said" ||
            fail "torch_step.py $words: $(cat "$work/said")"
    done
    "$torch" "$here/compare.py" "$work/empty/first_run" >"$work/said" && grep -q '^2 rows$' "$work/said" ||
        fail "compare.py: $(cat "$work/said")"
else
    echo "skip torch_step.py: no torch here"
fi
exit $failed
