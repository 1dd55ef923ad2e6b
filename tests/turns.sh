#!/bin/sh
# turns.sh PROGRAM -- bench/turns refuses what it cannot do: one line, status 2; and what has no room, status 1.
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

refused() {
    want=$1
    shift
    said=$("$program" "$@" 2>&1 >/dev/null)
    status=$?
    if [ $status -ne 2 ] || [ "$said" != "turns: $want" ]; then
        echo "FAIL $*: status $status, \"$said\""
        failed=1
    fi
}

whole='must be a whole number from 1 to 1048576'
usage='usage: turns step|profile WORD... (bench/turns/main.c)'
refused "$usage"
refused "$usage" step
refused "$usage" profile mlp 8 1 momentum out.json
refused "steps: $whole, got \"-1\"" step mlp 8 1 momentum -1
refused "steps: $whole, got \"99999999999999999999\"" step mlp 8 1 momentum 99999999999999999999
for word in tf32 fp64 int8; do
    refused "precision: must be fp32, bf16 or fp16, got \"$word\"" step mlp 8 1 momentum 5 $word
done
refused "steps: $whole, got \"0\"" profile , 8 1 momentum out.json 0 mlp:8 3
refused 'steps: must be of 1 to 32 networks, got 0' profile , 8 1 momentum out.json 5 , 3
refused 'steps: must be MODEL:BATCH, got "mlp"' profile , 8 1 momentum out.json 5 mlp 3
refused "batch: $whole, got \"x\"" profile , 8 1 momentum out.json 5 mlp:x 3
"$program" step /nowhere.json 1 1 momentum 1 >/dev/null 2>said
[ $? -eq 2 ] && [ "$(wc -l <said)" -eq 1 ] || { echo "FAIL a model that is not there: $(cat said)"; failed=1; }
echo '{"name": "m", "sample": "vector", "input": [1000000], "layers": [{"kind": "linear", "outputs": 1000},
    {"kind": "mean_squared_error"}]}' >large.json
"$program" step large.json 1048576 1 sgd 1 >/dev/null 2>said
[ $? -eq 1 ] && grep -q '^turns: .*does not fit: .* GB' said && [ "$(wc -l <said)" -eq 1 ] ||
    { echo "FAIL more memory than there is: $(cat said)"; failed=1; }
rm large.json
# in turns: what there is of both, and nothing of either where one of them cannot be
echo '{"name": "t", "sample": "vector", "input": [8], "layers": [{"kind": "linear", "outputs": 4},
    {"kind": "mean_squared_error"}]}' >tiny.json
"$program" profile tiny.json 2,4 1 momentum out.json 5 tiny.json:2,tiny.json:3 3 >steps.json 2>said ||
    { echo "FAIL turns: $(cat said)"; failed=1; }
grep -o '"batch": [0-9]*' steps.json | tr -dc '0-9\n' | tr '\n' ' ' | grep -qx '2 3 ' &&
    grep -o '"batch": [0-9]*' out.json | tr -dc '0-9\n' | sort -u | tr '\n' ' ' | grep -qx '2 4 ' ||
    { echo "FAIL turns: the profile has batches 2 and 4, the steps 2 and 3"; failed=1; }
grep -q '"disturbed_percent": 0,' out.json && [ "$(grep -c '"calls_s": [0-9.]*[1-9]' steps.json)" -eq 2 ] ||
    { echo "FAIL turns: all runs count, and seconds: $(grep -h -e disturbed -e calls_s steps.json out.json)"; failed=1; }
rm -f out.json
refused "sweeps: $whole, got \"0\"" profile tiny.json 2 1 momentum out.json 5 tiny.json:2 0
"$program" profile tiny.json 2 1 momentum out.json 5 tiny.json:2,/nowhere.json:2 3 >steps.json 2>said
[ $? -eq 2 ] && [ ! -s steps.json ] && [ ! -e out.json ] || { echo "FAIL turns, no model: $(cat said)"; failed=1; }
rm -f tiny.json steps.json
[ "$(ls)" = said ] || { echo "FAIL files were left: $(ls)"; failed=1; }
exit $failed
