#!/bin/sh
# measure.sh PROGRAM -- dtsim-measure, called directly, refuses what it cannot do: one line, status 2; and what has no
# room, status 1.
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
    if [ $status -ne 2 ] || [ "$said" != "dtsim-measure: $want" ]; then
        echo "FAIL $*: status $status, \"$said\""
        failed=1
    fi
}

whole='must be a whole number from 1 to 1048576'
usage='usage: dtsim-measure here FILE (see `dtsim help profile`)'
refused "$usage"
refused "$usage" profile
refused "$usage" here
refused "batch: $whole, got \"0\"" profile mlp 0 1 momentum out.json
refused "batch: $whole, got \"x\"" profile mlp 8,x 1 momentum out.json
refused "batch: needs at least one" profile mlp , 1 momentum out.json
refused "threads: $whole, got \"0\"" profile mlp 8 0 momentum out.json
refused 'optimizer: no optimizer "sdg"' profile mlp 8 1 sdg out.json
refused "threads: $whole, got \"1e3\"" profile mlp 8 1e3 momentum out.json
for word in fp8 fp64 int8; do
    refused "precision: must be fp32, bf16 or fp16, got \"$word\"" profile mlp 8 1 momentum out.json $word
done
"$program" profile /nowhere.json 1 1 momentum out.json >/dev/null 2>said
[ $? -eq 2 ] && [ "$(wc -l <said)" -eq 1 ] || { echo "FAIL a model that is not there: $(cat said)"; failed=1; }
mlp='{"name": "m", "sample": "vector", "input": [1000000], "layers": [{"kind": "linear", "outputs": 1000},
    {"kind": "mean_squared_error"}]}'
echo "$mlp" >large.json
"$program" profile large.json 1048576 1 sgd out.json >/dev/null 2>said
[ $? -eq 1 ] && grep -q '^dtsim-measure: .*does not fit: .* GB' said && [ "$(wc -l <said)" -eq 1 ] ||
    { echo "FAIL more memory than there is: $(cat said)"; failed=1; }
rm large.json
# OpenBLAS's threads would look for memory for ever, and the end of the program wait for them.
echo "$mlp" | sed 's/1000000/10/' >small.json
for limit in 100000 150000 250000 400000; do
    (ulimit -v $limit && exec timeout -s KILL 30 "$program" profile small.json 4 1 sgd out.json) >/dev/null 2>said
    status=$?
    grep -q 'Sanitizer\|Shadow\|shared librar' said && continue # it needs more than that by itself
    [ $status -eq 1 ] && grep -q '^dtsim-measure: .*no memory' said ||
        { echo "FAIL with $limit KiB: status $status, $(cat said)"; failed=1; }
done
rm small.json
[ "$(ls)" = said ] || { echo "FAIL files were left: $(ls)"; failed=1; }
exit $failed
