#!/bin/sh
# train.sh -- n ranks that train for real get the weights of one rank: 20 steps of SGD with
# momentum, by every all-reduce and by parameter servers, with and without overlap and accumulation;
# with batch normalization that is synchronized, and not with one that is not.
#
#     train.sh FOLDER-OF-PROGRAMS
#
# The ranks' sums are taken in another order than one rank's: the distance of the weights of each
# tensor, by its norm, is at most 1e-5. They moved by far more than that.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0

# The tensors of cnn.json as live.weights has them: linear, conv, conv, the bias of each first.
tensors="10 2000 8 576 8 72"

train 1 "$work/one" || { cat "$work/err"; exit 1; }
train 1 "$work/start" --set live.steps=1 --set live.warm_up=1 --set live.learning_rate=0 || exit 1
near "$work/one" "$work/start" 1e-2 1e9 || { echo "FAIL the weights move"; failed=1; }

for ranks in 2 3 4 8; do
    for strategy in '"algorithm":"ring"' '"algorithm":"ring","bucket_bytes":1000' \
        '"algorithm":"halving_doubling","bucket_bytes":1000' '"algorithm":"tree","overlap":false' \
        '"algorithm":"double_tree"' '"algorithm":"binary_blocks"' '"algorithm":"mpi"'; do
        case $ranks$strategy in # a power of two and another number have all
        [24]*bucket_bytes* | 3* | 8*) ;;
        *) continue ;;
        esac
        train $ranks "$work/many" --set "strategies=[{\"kind\":\"allreduce\",$strategy}]" &&
            near "$work/many" "$work/one" 0 1e-5 && continue
        echo "FAIL $ranks ranks, $strategy: $(cat "$work/distance" "$work/err")"
        failed=1
    done
done
# two microbatches of 6 on each of two ranks are one batch of 24
train 2 "$work/many" --set batch.accumulate=2 && near "$work/many" "$work/one" 0 1e-5 ||
    { echo "FAIL accumulation: $(cat "$work/distance" "$work/err")"; failed=1; }

# served RANKS SERVERS KEYS ARGUMENT... -- as many workers as are left get the weights of one rank.
served() {
    ranks=$1 servers=$2 keys=$3
    shift 3
    train "$ranks" "$work/many" \
        --set "strategies=[{\"kind\":\"ps\",\"servers\":$servers$keys}]" "$@" &&
        near "$work/many" "$work/one" 0 1e-5 && return
    echo "FAIL $ranks ranks, $servers of them servers, $keys $*: $(cat "$work/distance" "$work/err")"
    failed=1
}
alone=',"placement":"dedicated"' small=',"bucket_bytes":1000' tensor=',"shard":"tensor"'
late=',"overlap_push":false,"overlap_pull":false'
served 2 1 ''
served 2 1 "$alone$small"
served 3 1 "$small$late"
served 3 2 "$alone$small$tensor"
served 4 1 "$small" --set batch.accumulate=2
served 4 2 "$small"
served 4 2 "$alone$late$tensor"
served 8 2 "$alone$small"
served 8 2 "$small$tensor"
served 8 2 "$late$small"
served 8 4 "$small,\"part_bytes\":700"
served 8 4 "$alone$tensor$small$late"
served 8 5 "$alone$small"
both=',"placement":"both"'
served 5 1 "$both$small"                    # 2 workers, a server beside each, and one apart
served 7 1 "$both$small,\"beside_share\":0.3" # 3, 3 and 1

# Rules that look at whole tensors: servers that hold whole tensors do what one rank does, others
# say that they cannot.
train 1 "$work/one" --set optimizer=lars || { cat "$work/err"; exit 1; }
served 4 2 "$tensor$small" --set optimizer=lars
served 2 1 "$small" --set optimizer=lars
train 4 "$work/many" --set optimizer=lars --set 'strategies=[{"kind":"ps","servers":2}]'
status=$?
[ $status -eq 3 ] && grep -q 'lars takes tensors as a whole' "$work/err" ||
    { echo "FAIL LARS on cut tensors ends with $status: $(cat "$work/err")"; failed=1; }

train 2 "$work/many" --set device=a100_40gb --set precision=fp64
status=$?
[ $status -eq 3 ] && grep -q 'no kernels compute in fp64' "$work/err" ||
    { echo "FAIL fp64 ends with $status: $(cat "$work/err")"; failed=1; }

# Batch normalization of all samples of a step, or of a microbatch where there are two.
tensors="10 2000 8 8 576 8 8 576 8 72 1 1"
norm="--set model=$here/cnn_norm.json"
train 1 "$work/one" $norm || { cat "$work/err"; exit 1; }
train 1 "$work/one2" $norm --set batch.accumulate=2 || { cat "$work/err"; exit 1; }

# normalized RANKS ONE STRATEGY ARGUMENT...
normalized() {
    ranks=$1 one=$2 strategy=$3
    shift 3
    train $ranks "$work/many" $norm --set batch_norm=synchronized \
        --set "strategies=[{$strategy}]" "$@" && near "$work/many" "$work/$one" 0 1e-5 && return
    echo "FAIL $ranks ranks, normalized, $strategy $*: $(cat "$work/distance" "$work/err")"
    failed=1
}
sum='"kind":"allreduce","algorithm":'
for ranks in 2 3 4 8; do
    normalized $ranks one "$sum\"ring\",\"bucket_bytes\":1000"
    normalized $ranks one "$sum\"double_tree\",\"overlap\":false"
done
normalized 1 one "$sum\"ring\""
normalized 3 one "$sum\"halving_doubling\""
normalized 4 one "$sum\"ring\",\"statistics\":\"binary_blocks\""
normalized 4 one "$sum\"mpi\""
normalized 2 one2 "$sum\"ring\"" --set batch.accumulate=2
normalized 3 one2 "$sum\"halving_doubling\"" --set batch.accumulate=2
normalized 4 one '"kind":"ps","servers":2,"bucket_bytes":1000'
normalized 4 one2 '"kind":"ps","servers":1,"overlap_pull":false' --set batch.accumulate=2

# Each rank by its own samples is another network.
train 2 "$work/many" $norm && near "$work/many" "$work/one" 1e-3 1e9 ||
    { echo "FAIL local statistics: $(cat "$work/distance" "$work/err")"; failed=1; }

# A residual network, as one tensor: the biases before batch normalization learn nothing but rounding.
# With ReLU rounding decides where gradients pass (docs/ops.md), so it has a smooth function.
sed 's/"kind": "relu"/"kind": "silu"/' "$here/../../models/resnet8.json" >"$work/resnet8.json"
tensors=78186 norm="--set model=$work/resnet8.json"
train 1 "$work/one" $norm || { cat "$work/err"; exit 1; }
normalized 2 one "$sum\"ring\""
normalized 4 one "$sum\"tree\""
exit $failed
