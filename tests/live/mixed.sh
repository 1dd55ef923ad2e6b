#!/bin/sh
# mixed.sh -- training in bf16 and fp16: near fp32; n ranks get the weights of one within the rounding
# of messages of 16 bits; steps that overflow are left out by all ranks alike.
#
#     mixed.sh FOLDER-OF-PROGRAMS
#
# Distances are |a - b| / |b - where it began|, of the tensor where that is largest: the part of what
# was learned. A gradient that travels is rounded by each rank on its way, by at most u = 2^-8 (bf16) or
# 2^-11 (fp16) of it, up or down: sqrt(n) u, over n ranks, were each rounding as large as it can be;
# 4 times that leaves room for what steps make of it.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0

# Without kinks, so that a rounding moves gradients only a little; two steps on a device that has all formats.
sed 's/"relu"/"silu"/; s/"max_pool"/"avg_pool"/' "$here/cnn.json" >"$work/cnn.json"
sed 's/"knl7230"/"a100_40gb"/; s/"steps": 17, "warm_up": 3/"steps": 1, "warm_up": 1/' "$here/train.json" \
    >"$work/train.json"
scenario=$work/train.json
tensors="10 2000 8 576 8 72" # of cnn.json as live.weights has them

# near_start A B LEAST MOST -- by how far B went
near_start() {
    near "$@" "$work/start"
}

fail() {
    echo "FAIL $*: $(cat "$work/distance" "$work/err")"
    failed=1
}

root() { # of n ranks, times 4 u
    awk -v n="$1" -v u="$2" 'BEGIN { print 4 * sqrt(n) * u }'
}

train 1 "$work/start" --set live.learning_rate=0 ||
    { cat "$work/err"; exit 1; }
train 1 "$work/fp32" || { cat "$work/err"; exit 1; }

for format in bf16=0.00390625 fp16=0.00048828125; do
    precision=${format%=*} u=${format#*=}
    train 1 "$work/one" --set precision="$precision" &&
        near_start "$work/one" "$work/fp32" 1e-6 "$(root 8 "$u")" || fail "$precision is near fp32"
    for ranks in 3 8; do
        for algorithm in ring halving_doubling double_tree mpi; do
            train $ranks "$work/many" --set precision="$precision" \
                --set "strategies=[{\"kind\":\"allreduce\",\"algorithm\":\"$algorithm\",\"bucket_bytes\":1000}]" &&
                near_start "$work/many" "$work/one" 1e-9 "$(root $ranks "$u")" ||
                fail "$precision, $ranks ranks, $algorithm"
        done
    done
done

# Statistics of all ranks are sums of doubles, whatever the precision. (The weights as one tensor: a shift
# before a normalization has a gradient of zero but for rounding.)
(
    tensors=3276
    sed 's/"relu"/"silu"/; s/"max_pool"/"avg_pool"/' "$here/cnn_norm.json" >"$work/cnn.json"
    train 1 "$work/start" --set live.learning_rate=0 --set batch_norm=synchronized &&
        train 1 "$work/one" --set precision=bf16 --set batch_norm=synchronized &&
        train 3 "$work/many" --set precision=bf16 --set batch_norm=synchronized &&
        near_start "$work/many" "$work/one" 1e-9 "$(root 3 0.00390625)" || exit 1
) || fail "bf16 with synchronized statistics"
sed 's/"relu"/"silu"/; s/"max_pool"/"avg_pool"/' "$here/cnn.json" >"$work/cnn.json"
train 1 "$work/start" --set live.learning_rate=0 || fail "the beginning"

# Servers keep the weights in fp32 and send them in 16 bits.
train 1 "$work/one" --set precision=bf16 || fail "bf16"
for servers in 1 2; do
    train 4 "$work/many" --set precision=bf16 --set "strategies=[{\"kind\":\"ps\",\"servers\":$servers}]" &&
        near_start "$work/many" "$work/one" 1e-9 1 || fail "bf16, $servers servers"
done

# left_out RANKS SCALE STEPS -- trains, and says how many steps were left out; weights in "scaled.RANKS".
left_out() {
    train "$1" "$work/scaled.$1" --set precision=fp16 --set live.loss_scale="$2" --set live.steps="$3" &&
        sed -n 's/^loss scale [0-9]*, \([0-9]*\) steps* left out/\1/p' "$work/err"
}

# A scale far too large: it halves, and steps are left out, by all of three ranks alike, or their weights
# would not be those of one rank after the two steps that change any. Messages of 16 bits overflow where
# one rank's own sums do not: it begins with a scale by that much larger.
three=$(left_out 3 16777216 7) one=$(left_out 1 16777216 7)
scale=$(awk -v more="$((three - one))" 'BEGIN { print 16777216 * 2 ^ more }')
[ "${one:-0}" -gt 1 ] && [ "$(left_out 3 16777216 $((three + 1)))" -eq "$three" ] &&
    [ "$(left_out 1 "$scale" $((three + 1)))" -eq "$three" ] &&
    near_start "$work/scaled.3" "$work/scaled.1" 1e-9 "$(root 3 0.00048828125)" ||
    fail "steps are left out by all alike: $one, $three"

refused() {
    status=$1 words=$2
    shift 2
    train 2 "$work/many" "$@"
    [ $? -eq "$status" ] && grep -q "$words" "$work/err" || fail "$words"
}
refused 3 'servers cannot agree on' --set precision=fp16 --set 'strategies=[{"kind":"ps","servers":1}]'
refused 3 'no kernels compute in fp64' --set precision=fp64 --set device=v100

# Epochs on made images of Fashion-MNIST's shape: the same loss, to a few percent.
for precision in fp32 bf16; do
    train 2 "$work/many" --set precision=$precision --set dataset.samples=3000 --set live.epochs=4 ||
        fail "epochs in $precision"
    sed -n 's/^epoch 4.*test loss \([0-9.e-]*\),.*/\1/p' "$work/err" >"$work/loss.$precision"
done
paste "$work/loss.fp32" "$work/loss.bf16" |
    awk '{ exit !(NF == 2 && $2 / $1 > 0.95 && $2 / $1 < 1.05) }' || fail "the loss of bf16: $(cat "$work"/loss.*)"

[ $failed -eq 0 ] && echo "all passed"
exit $failed
