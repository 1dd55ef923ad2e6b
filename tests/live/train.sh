#!/bin/sh
# train.sh -- n ranks that train for real get the weights of one rank: 20 steps of SGD with
# momentum, by every all-reduce, with and without overlap and accumulation.
#
#     train.sh FOLDER-OF-PROGRAMS
#
# The ranks' sums are taken in another order than one rank's: the distance of the weights, by
# their norm, is at most 1e-5. They moved by far more than that.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export DTSIM_MPI_SECONDS=60
failed=0

# train RANKS FILE ARGUMENT... -- leaves the weights in FILE.
train() {
    ranks=$1 file=$2
    shift 2
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$here/train.json" --set live.weights="$file" "$@" \
        >"$work/out" 2>"$work/err"
}

# distance A B -- |a - b| / |b|
distance() {
    od -An -v -w4 -t f4 "$1" >"$work/a"
    od -An -v -w4 -t f4 "$2" | paste "$work/a" - |
        awk '{ d += ($1 - $2) ^ 2; n += $2 ^ 2 } END { print NR, sqrt(d / n) }'
}

# near A B LEAST MOST -- the distance is between both, and there are weights.
near() {
    distance "$1" "$2" | awk -v least="$3" -v most="$4" \
        '{ print; exit !($1 > 1000 && $2 >= least && $2 <= most) }' >"$work/distance"
}

train 1 "$work/one" || { cat "$work/err"; exit 1; }
train 1 "$work/start" --set live.steps=1 --set live.warm_up=1 --set live.learning_rate=0 || exit 1
near "$work/one" "$work/start" 1e-2 1e9 || { echo "FAIL the weights move"; failed=1; }

for ranks in 2 3 4 8; do
    for strategy in '"algorithm":"ring"' '"algorithm":"ring","bucket_bytes":1000' \
        '"algorithm":"halving_doubling","bucket_bytes":1000' '"algorithm":"tree","overlap":false' \
        '"algorithm":"double_tree"' '"algorithm":"binary_blocks"' '"algorithm":"mpi"'; do
        train $ranks "$work/many" --set "strategies=[{\"kind\":\"allreduce\",$strategy}]" &&
            near "$work/many" "$work/one" 0 1e-5 && continue
        echo "FAIL $ranks ranks, $strategy: $(cat "$work/distance" "$work/err")"
        failed=1
    done
done
# two microbatches of 6 on each of two ranks are one batch of 24
train 2 "$work/many" --set batch.accumulate=2 && near "$work/many" "$work/one" 0 1e-5 ||
    { echo "FAIL accumulation: $(cat "$work/distance" "$work/err")"; failed=1; }
train 2 "$work/many" --set 'strategies=[{"kind":"ps","servers":1}]' &&
    { echo "FAIL parameter servers cannot train yet, and say so"; failed=1; }
exit $failed
