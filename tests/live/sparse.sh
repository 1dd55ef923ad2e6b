#!/bin/sh
# sparse.sh -- a table with a sparse gradient: n ranks, whose exchanged gradients are dense, gathered rows or
# rows that servers keep, get the weights of one rank, whose gradient is a list of rows; by every rule that
# takes such gradients, or by SGD from columns of the table. Two ranks that exchange rows get the bits of two whose gradients are dense.
#
#     sparse.sh FOLDER-OF-PROGRAMS
#
# Sums are taken in another order: the distance of all weights, by their norm, is at most 1e-5.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0

tensors=2106 # all as one

for rule in sgd momentum adam; do
    rate=0.5
    [ $rule = adam ] && rate=0.01
    set -- --set model="$here/words.json" --set optimizer=$rule --set live.learning_rate=$rate
    train 1 "$work/one" "$@" && train 1 "$work/start" "$@" --set live.learning_rate=0 ||
        { cat "$work/err"; exit 1; }
    near "$work/one" "$work/start" 1e-2 1e9 || { echo "FAIL the weights move"; failed=1; }
    for ranks in 2 4; do
        train $ranks "$work/many" "$@" --set \
            'strategies=[{"kind":"allreduce","algorithm":"ring","bucket_bytes":1000}]' &&
            near "$work/many" "$work/one" 0 1e-5 && continue
        echo "FAIL $ranks ranks, $rule: $(cat "$work/distance" "$work/err")"
        failed=1
    done
    [ $rule = momentum ] && more='"index_bytes":8,"channels":2' || more='"index_bytes":4'
    rows="{\"kind\":\"allreduce\",\"algorithm\":\"ring\",\"bucket_bytes\":1000,\"tables\":\"rows\",\"density\":1,$more}"
    train 2 "$work/dense" "$@" --set 'strategies=[{"kind":"allreduce","algorithm":"ring","bucket_bytes":1000}]' &&
        train 2 "$work/rows" "$@" --set "strategies=[$rows]" && cmp "$work/rows" "$work/dense" ||
        { echo "FAIL two ranks gather rows, $rule: $(cat "$work/err")"; failed=1; }
    train 4 "$work/rows" "$@" --set batch.accumulate=2 --set "strategies=[$rows]" &&
        near "$work/rows" "$work/one" 0 1e-5 ||
        { echo "FAIL four ranks gather rows, $rule: $(cat "$work/distance" "$work/err")"; failed=1; }
    for keys in '"kind":"ps","servers":2,"tables":"rows","density":1,"bucket_bytes":1000' \
        '"kind":"hybrid","servers":1,"algorithm":"ring","density":0.4778,'"$more"; do
        case $keys in *hybrid*) ranks=3 ;; *) ranks=4 ;; esac
        train $ranks "$work/rows" "$@" --set "strategies=[{$keys}]" && cmp "$work/rows" "$work/dense" ||
            { echo "FAIL two ranks, $keys, $rule: $(cat "$work/err")"; failed=1; }
    done
    train 4 "$work/many" "$@" --set 'strategies=[{"kind":"ps","servers":2,"shard":"tensor"}]' &&
        near "$work/many" "$work/one" 0 1e-5 ||
        { echo "FAIL servers, $rule: $(cat "$work/distance" "$work/err")"; failed=1; }
done

# The workers of a node gather first, and the leader's pull is for all of them; rows in parts, in three microbatches.
set -- --set model="$here/words.json" --set optimizer=sgd --set live.learning_rate=0.5
train 1 "$work/one" "$@"
train 5 "$work/rows" "$@" --set platform=dgx1_v100 --set batch.accumulate=3 --set \
    'strategies=[{"kind":"ps","servers":1,"tables":"rows","density":1,"aggregate_in_node":true,"part_bytes":1620}]' &&
    near "$work/rows" "$work/one" 0 1e-5 ||
    { echo "FAIL rows of a node: $(cat "$work/distance" "$work/err")"; failed=1; }
# One worker is behind nobody.
train 2 "$work/rows" "$@" --set \
    'strategies=[{"kind":"ps","servers":1,"tables":"rows","density":1,"synchronous":false}]' &&
    near "$work/rows" "$work/one" 0 1e-5 ||
    { echo "FAIL rows, as each comes: $(cat "$work/distance" "$work/err")"; failed=1; }

# Of two tables one travels whole, the other as rows.
set -- --set model="$here/clicks.json" --set live.learning_rate=0.1
train 2 "$work/dense" "$@" --set 'strategies=[{"kind":"allreduce","algorithm":"ring"}]'
for keys in '"kind":"allreduce","algorithm":"ring","tables":"rows"' '"kind":"hybrid","servers":1,"algorithm":"ring"'; do
    case $keys in *hybrid*) ranks=3 ;; *) ranks=2 ;; esac
    train $ranks "$work/rows" "$@" --set "strategies=[{$keys,\"dense_above\":0.9}]" && cmp "$work/rows" "$work/dense" ||
        { echo "FAIL a whole table beside rows, $keys: $(cat "$work/err")"; failed=1; }
done

# Each rank has some columns of the tables, and all-to-alls make rows of them.
tensors=7434
set -- --set model="$here/clicks.json" --set optimizer=sgd --set live.learning_rate=0.5
divided='{"kind":"allreduce","algorithm":"ring","tables":"divided"}'
train 1 "$work/one" "$@" && train 1 "$work/start" "$@" --set live.learning_rate=0
near "$work/one" "$work/start" 1e-2 1e9 || { echo "FAIL the weights move"; failed=1; }
for keys in 2,3 3,1 8,1; do
    train ${keys%,*} "$work/many" "$@" --set batch.accumulate=${keys#*,} --set "strategies=[$divided]" &&
        near "$work/many" "$work/one" 0 1e-5 ||
        { echo "FAIL columns, $keys: $(cat "$work/distance" "$work/err")"; failed=1; }
done

train 3 "$work/many" --set model="$here/words.json" --set optimizer=sgd --set "strategies=[$divided]"
status=$?
[ $status -eq 3 ] && grep -q '3 ranks do not divide the 8 features of table evenly' "$work/err" ||
    { echo "FAIL uneven columns end with $status: $(cat "$work/err")"; failed=1; }

train 2 "$work/many" --set model="$here/words.json" --set optimizer=lars
status=$?
[ $status -eq 2 ] && grep -q 'optimizer: lars needs dense gradients' "$work/err" ||
    { echo "FAIL lars ends with $status: $(cat "$work/err")"; failed=1; }

# refused STATUS MESSAGE STRATEGY [ARGUMENT...]
refused() {
    wanted=$1 words=$2 strategy=$3
    shift 3
    train 2 "$work/many" --set model="$here/words.json" --set optimizer=sgd --set "strategies=[$strategy]" "$@"
    status=$?
    [ $status -eq "$wanted" ] && grep -q "$words" "$work/err" && return
    echo "FAIL $strategy ends with $status: $(cat "$work/err")"
    failed=1
}
refused 2 'room for 27 rows of table, and a step touches 43 of them: density must be >= 0.4778' \
    '{"kind":"allreduce","tables":"rows","density":0.3}'
refused 2 'a step touches .* of them: density must be >= 0' '{"kind":"hybrid","servers":1,"density":0.3}'
refused 2 'momentum needs whole rows of table: optimizer must be sgd' "$divided" --set optimizer=momentum
exit $failed
