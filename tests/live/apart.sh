#!/bin/sh
# apart.sh -- ranks whose tensors lie on a device of their own get the bits of ranks on a CPU: by every
# all-reduce, by servers, in 16 bits, over checkpoints and evaluations. The device is a stand-in for a GPU
# (stand_in.c), whose memory nobody can touch but its kernels and copies.
#
#     apart.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0

# there RANKS FILE ARGUMENT... -- as train, on the device
there() (
    program=dtsim-live-stand-in
    train "$@" --set live.device=cuda
)

fail() {
    echo "FAIL $*: $(cat "$work/err")"
    failed=1
}

# same RANKS ARGUMENT... -- the same weights, and a prediction and a measurement of each
same() {
    n=$1
    shift
    rm -f "$work/cpu" "$work/device"
    train "$n" "$work/cpu" "$@" || fail "on CPUs, $n ranks $*"
    there "$n" "$work/device" "$@" || fail "$n ranks $*"
    grep -q measured "$work/out" && cmp -s "$work/cpu" "$work/device" || fail "same bits, $n ranks $*"
}

# allreduce RANKS KEYS ARGUMENT..., served RANKS KEYS ARGUMENT...
allreduce() {
    n=$1 keys=$2
    shift 2
    same "$n" --set "strategies=[{\"kind\":\"allreduce\",\"algorithm\":$keys}]" "$@"
}
served() {
    n=$1 keys=$2
    shift 2
    same "$n" --set "strategies=[{\"kind\":\"ps\",\"servers\":$keys}]" "$@"
}
small=',"bucket_bytes":1000'
half="--set device=a100_40gb --set precision"
norm="--set model=$here/cnn_norm.json --set batch_norm=synchronized"
same 1
allreduce 2 "\"ring\"$small"
allreduce 3 "\"ring\"$small" --set batch.accumulate=2
allreduce 4 "\"halving_doubling\"$small"
allreduce 4 '"tree","overlap":false' --set optimizer=lars
allreduce 3 '"double_tree"' --set optimizer=adam
allreduce 4 '"binary_blocks"'
allreduce 2 "\"ring\"$small" $half=bf16
allreduce 2 '"ring"' $half=fp16 --set live.loss_scale=16777216
allreduce 2 "\"ring\"$small" $norm --set batch.accumulate=2
allreduce 4 '"mpi"' $norm
served 2 "1$small"
served 3 '2,"placement":"dedicated","shard":"tensor","overlap_push":false,"overlap_pull":false'
served 4 "2$small" --set batch.accumulate=2
served 3 "1$small" $half=bf16
served 4 "2$small" $norm
same 2 --set "model=$here/../../models/resnet8.json" # gradients that meet, running statistics

# n ranks on devices get the weights of one.
tensors="10 2000 8 576 8 72"
there 1 "$work/one" && there 4 "$work/device" && near "$work/device" "$work/one" 0 1e-5 ||
    fail "the weights of one rank: $(cat "$work/distance")"

# A table of words: dense there, a list of rows on one rank with a CPU.
tensors=2106
words="--set model=$here/words.json --set live.learning_rate=0.5 --set optimizer"
for rule in sgd momentum adam; do
    train 1 "$work/cpu" $words=$rule && there 1 "$work/device" $words=$rule &&
        near "$work/device" "$work/cpu" 0 1e-5 || fail "a sparse table, $rule: $(cat "$work/distance")"
done
same 2 $words=adam

# refused STATUS WORDS RANKS ARGUMENT...
refused() {
    wanted=$1 what=$2 n=$3
    shift 3
    there "$n" "$work/device" "$@"
    status=$?
    [ $status -eq "$wanted" ] && grep -q "^dtsim: $what" "$work/err" &&
        [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] || fail "ends with $status: $what"
}
export DTSIM_STAND_IN_DEVICES=2
refused 3 'live.device: cuda: ranks 0 and 2 would share one device: .* rank 2 sees 2' 3
served 3 "1$small" # servers need none
export DTSIM_STAND_IN_DEVICES=0
refused 3 'live.device: cuda: rank 0 has none: none was asked for' 2
unset DTSIM_STAND_IN_DEVICES
export DTSIM_STAND_IN_COPIES=20 # and then the device of each rank fails, in the middle of a step
there 2 "$work/device"
status=$?
[ $status -eq 1 ] && grep -q '^dtsim: rank [01]: stand-in: a copy failed' "$work/err" ||
    fail "a device that fails ends the run with $status"
unset DTSIM_STAND_IN_COPIES

# Epochs are evaluated there, to the same losses.
epochs() {
    "$@" --set live.epochs=2 --set dataset.samples=240 --format json &&
        grep -oE '"(train_loss|test_loss|accuracy)": *[-.0-9e]+' "$work/out" >"$work/losses"
}
epochs train 2 "$work/cpu" --set "model=$here/cnn_norm.json" || fail "epochs on CPUs"
mv "$work/losses" "$work/expected"
epochs there 2 "$work/device" --set "model=$here/cnn_norm.json" || fail "epochs"
[ "$(wc -l <"$work/losses")" -eq 6 ] && cmp -s "$work/losses" "$work/expected" || fail "evaluation"

# Checkpoints are those of a CPU, which goes on from them, as does the device from a CPU's.
checkpoints() {
    n=$1
    shift
    for first in train there; do
        rm -f "$work/whole" "$work/parts"
        second=$([ $first = train ] && echo there || echo train)
        $first "$n" "$work/cpu" --set "live.checkpoint={\"file\":\"$work/whole\"}" "$@" &&
            $first "$n" "$work/cpu" --set "live.checkpoint={\"file\":\"$work/parts\"}" "$@" \
                --set live.steps=7 &&
            $second "$n" "$work/device" --set "live.checkpoint={\"file\":\"$work/parts\"}" "$@" ||
            fail "checkpoints, $n ranks $*"
        cmp -s "$work/whole" "$work/parts" || fail "$second goes on from $first, $n ranks $*"
    done
}
checkpoints 2 --set optimizer=adam --set "model=$here/cnn_norm.json"
checkpoints 3 --set 'strategies=[{"kind":"ps","servers":1}]' $half=bf16

# The real program: where there is a GPU it trains there, else it says why not.
train 1 "$work/device" --set live.device=cuda
status=$?
[ $status -eq 0 ] ||
    { [ $status -eq 3 ] && grep -q '^dtsim: live.device: cuda: rank 0 has none: ' "$work/err"; } ||
    fail "without a stand-in it ends with $status"
exit $failed
