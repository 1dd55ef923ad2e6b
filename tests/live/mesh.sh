#!/bin/sh
# mesh.sh -- ranks that divide a network get the weights of one rank that has all of it: 20 steps of SGD
# with momentum, by pipelines of all schedules, with replicas and without.
#
#     mesh.sh FOLDER-OF-PROGRAMS
#
# Where sums are taken in one rank's order weights have its bits; else the distance of all weights, by
# their norm, is at most 1e-5. They moved by far more than that.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
. "$here/parts.sh"

# both NAME WEIGHTS -- what follows trains that; $work/one4 has four microbatches, $work/one is one batch
both() {
    net="--set model=$here/$1.json" tensors=$2
    train 1 "$work/one" $net && train 1 "$work/one4" $net --set batch.accumulate=4 &&
        train 1 "$work/start" $net --set live.learning_rate=0 || fail "one rank trains $1"
    near "$work/one" "$work/start" 1e-2 1e9 || fail "the weights of $1 move"
}

# same WHAT -- the last ones have one rank's bits
same() {
    cmp -s "$work/many" "$work/one4" || fail "the bits of one rank: $*"
}

schedule() {
    echo ",\"pipeline\":{\"schedule\":\"$1\"$2}"
}
four="--set batch.accumulate=4" two="--set batch.accumulate=2" eight="--set batch.accumulate=8"

both cnn 2674
meshed 2 '"pipeline":2' '' $four && same "two stages"
meshed 4 '"pipeline":4' "$(schedule zb_h1)" $four && same "four stages, zb_h1"
meshed 4 '"pipeline":4' "$(schedule eager_1f1b)" $four && same "four stages, eager_1f1b"
meshed 2 '"pipeline":2' "$(schedule dualpipe)" $four
meshed 8 '"pipeline":4,"data":2' "$(schedule dualpipe),\"bucket_bytes\":1000" --set batch.accumulate=12
meshed 6 '"pipeline":3' ',"order":["pipeline","data"],"overlap":false'

both mlp 6178
meshed 4 '"pipeline":4' '' $four && same "four stages of a perceptron"
meshed 2 '"pipeline":2' "$(schedule interleaved ',"chunks":2')" $four && same "four chunks of a perceptron"

# The table of the first stage is the last one's, too: its gradient is a sum of two.
both gpt 14048
meshed 2 '"pipeline":2' '' $four
meshed 4 '"pipeline":4' "$(schedule zb_h1)" $eight
meshed 2 '"pipeline":2' "$(schedule interleaved ',"chunks":2')" $four
meshed 4 '"pipeline":2' ',"bucket_bytes":4000' $two

# Each of two replicas: two microbatches of 6 x 8 x 16 floats there and back; a ring of two for the gradients
# of each stage, 14048 and a second table of 768; four halves of a table.
meshed 4 '"pipeline":2' '' $two --format json
sends $((2 * (4 + 2 * 2 + 4))) $((2 * 4 * (4 * 6 * 8 * 16 + 14048 + 768 + 4 * 768 / 2)))

# Shards: of the optimizer, of gradients, of weights, too.
sharded() {
    echo ",\"sharded\":\"$1\"$2"
}
meshed 2 '"shard":2' "$(sharded optimizer ',"bucket_bytes":4000')"
meshed 3 '"shard":3' "$(sharded optimizer)" $two
meshed 4 '"shard":4' "$(sharded gradients)" --set batch.accumulate=3
meshed 4 '"shard":4' "$(sharded parameters ',"reshard_after_forward":false')" $two
meshed 6 '"shard":3,"data":2' "$(sharded gradients ',"channels":2')" $two
meshed 4 '"shard":2,"pipeline":2' "$(sharded optimizer)" $two
meshed 8 '"shard":2,"pipeline":2,"data":2' "$(sharded parameters)" $two

# Filters of a convolution and channels of the next one, or inputs of the linear layer.
both cnn_pairs "72 8 864 12 864 8 2000 10"
meshed 4 '"tensor":4' ',"convolutions":"alternating"'
meshed 4 '"tensor":2,"data":2' ',"convolutions":"alternating"'
meshed 4 '"tensor":2,"pipeline":2' ',"convolutions":"alternating"' $two
meshed 4 '"tensor":2,"shard":2' "$(sharded gradients ',"convolutions":"alternating"')"

# Tensor ranks: a part of each product, of the table and of the loss.
both gpt 14048
meshed 2 '"tensor":2'
meshed 4 '"tensor":4' '' $two
meshed 8 '"tensor":2,"pipeline":2,"shard":2' "$(schedule interleaved)" $two
meshed 4 '"tensor":2,"shard":2' "$(sharded optimizer ',"order":["shard","tensor"]')"
# Products and the sum behind them read one norm, whose gradient is whole and in parts.
net="--set model={\"family\":\"bert\",\"layers\":2,\"hidden\":16,\"heads\":4,\"ffn\":32"
net="$net,\"vocabulary\":48,\"sequence\":8,\"masked\":2}" tensors=14130
train 1 "$work/one" $net || fail "one rank trains a BERT"
meshed 2 '"tensor":2'
meshed 4 '"tensor":2,"pipeline":2' "$(schedule zb_h1)" $two
net="--set model={\"family\":\"llama\",\"layers\":2,\"hidden\":16,\"heads\":4,\"kv_heads\":2,\"ffn\":32"
net="$net,\"vocabulary\":48,\"sequence\":8}" tensors=6224
train 1 "$work/one" $net || fail "one rank trains a Llama"
meshed 2 '"tensor":2'
meshed 4 '"tensor":2,"pipeline":2' '' $two

both gpt 14048

# What was not kept is computed again: the bits are those of keeping it, in less memory.
# again RANKS MESH KEYS [ARGUMENT...]
again() {
    ranks=$1 mesh=$2 keys=$3
    shift 3
    for word in none $words; do
        train "$ranks" "$work/$word" $net --format json "$@" \
            --set "strategies=[{\"kind\":\"mesh\",\"mesh\":{$mesh}$keys,\"recompute\":\"$word\"}]" ||
            fail "$ranks ranks, $mesh $keys, recompute $word"
        cmp -s "$work/none" "$work/$word" || fail "bits with recompute $word: $mesh $keys"
        mv "$work/out" "$work/out_$word"
    done
}
# bytes WORD KEY -- of a run with that recomputation
bytes() {
    sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$work/out_$1"
}
# Networks shrink by what activations are predicted to, but for what kernels here keep otherwise than
# PyTorch's: no scores of attention and no masks of dropout.
shrinks() {
    live=$(($(bytes none network_bytes) - $(bytes full network_bytes)))
    told=$(($(bytes none activations_bytes) - $(bytes full activations_bytes)))
    [ $((live * 100)) -gt $((told * 75)) ] && [ $((live * 100)) -lt $((told * 105)) ] &&
        [ "$(bytes selective network_bytes)" -lt "$(bytes none network_bytes)" ] ||
        fail "recomputation saves $live bytes, predicted were $told"
}
words="selective full"
again 1 '"data":1' ''
shrinks
again 2 '"pipeline":2' "$(schedule gpipe)" $four
shrinks
near "$work/full" "$work/one" 0 1e-5 || fail "two stages that compute again"
words=full
again 4 '"pipeline":2,"shard":2' "$(sharded parameters),\"pipeline\":{\"schedule\":\"interleaved\"}" $two
words=selective
again 4 '"pipeline":2,"tensor":2' "$(schedule zb_h1)" $two

# Checkpoints are those of one rank, to the bit where sums have its order: with what the optimizer keeps and
# running statistics. Evaluation has them, too.
kept="--set optimizer=adam --set live.learning_rate=0.01 --set dataset.samples=480"

# keeps RANKS FILE STRATEGY [ARGUMENT...] -- trains to the 20th step, or as ARGUMENTS say
keeps() {
    ranks=$1 file=$2 strategy=$3
    shift 3
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$scenario" $net $kept --set "strategies=[{$strategy}]" \
        --set live.checkpoint.file="$file" --set live.weights="$work/many" "$@" >"$work/out" 2>"$work/err" ||
        fail "$ranks ranks, $strategy $*"
}
alone='"kind":"allreduce"' pipe='"kind":"mesh","mesh":{"pipeline":2}' zero='"kind":"mesh","mesh":{"shard":2}'
net="--set model=$here/cnn_norm.json"
keeps 1 "$work/whole" "$alone" $four --set live.epochs=2
# How long an epoch took, the last word of its line, is the machine's.
epochs() { sed -n '/^epoch . of/s/, [0-9.]* s$//p' "$work/err"; }
epochs >"$work/epochs"
keeps 2 "$work/half" "$pipe" $four --set live.epochs=2
cmp -s "$work/whole" "$work/half" || fail "the checkpoint of two stages is that of one rank"
[ "$(grep -c . "$work/epochs")" -eq 2 ] && epochs | cmp -s - "$work/epochs" ||
    fail "two stages evaluate as one rank does: $(cat "$work/epochs" "$work/err")"

# Any mesh goes on where another one stopped. (Not GPT: the gradient of keys' biases is zero but for rounding,
# which Adam makes as large as any.)
net="--set model=$here/mlp.json" tensors=6178
tensor='"kind":"mesh","mesh":{"tensor":2}'
rm -f "$work/whole"
keeps 1 "$work/whole" "$alone" $two
mv "$work/many" "$work/one"
for begun in "2:$pipe" "2:$zero" "2:$tensor"; do
    rm -f "$work/half"
    keeps 2 "$work/half" "${begun#*:}" $two --set live.steps=7
    ways="1:$alone 2:$zero 2:$tensor 2:$pipe,\"pipeline\":{\"schedule\":\"interleaved\"} 4:$pipe"
    [ "$begun" = "2:$pipe" ] || ways="1:$alone 4:$pipe"
    for way in $ways; do
        cp "$work/half" "$work/on"
        keeps "${way%%:*}" "$work/on" "${way#*:}" $two
        grep -q "goes on after step 10 of 20" "$work/err" && near "$work/many" "$work/one" 0 1e-5 ||
            fail "$begun goes on with $way"
    done
done

net="--set model=$here/gpt.json" tensors=14048

# refused STATUS WORDS RANKS MESH [KEYS [ARGUMENT...]] -- before anything runs, in one line
refused() {
    wanted=$1 words=$2 ranks=$3 keys="\"mesh\":{$4}$5"
    shift $(($# < 5 ? $# : 5))
    refuses "$wanted" "$words" "$ranks" "$keys" "$@"
}
refused 3 'shares a weight, which the schedule dualpipe' 2 '"pipeline":2' "$(schedule dualpipe)" $four
refused 3 'on CPUs: live.device must be cpu' 1 '"data":1' ',"recompute":"full"' --set live.device=cuda
refused 3 'the axis spatial is simulated alone' 2 '"spatial":2' '' --set model="$here/cnn_pairs.json"
refused 3 'conv2d_0: tensor ranks gather or sum up all of it in simulation alone' 2 '"tensor":2' \
    ',"convolutions":"filter"' --set model="$here/cnn_pairs.json"
refused 3 'tensor ranks would keep running statistics' 2 '"tensor":2' \
    ',"convolutions":"alternating"' --set model="$here/cnn_norm.json"
refused 3 'lars takes tensors as a whole' 2 '"shard":2' '' --set optimizer=lars
refused 3 'compression is simulated alone' 2 '"data":2' ',"compression":"fp16"'
refused 3 'offload is simulated alone' 2 '"shard":2' ',"offload":"optimizer"'
refused 3 'parts of a network train in fp32' 2 '"pipeline":2' '' --set device=a100_40gb --set precision=bf16
refused 3 'live.device must be cpu' 2 '"pipeline":2' '' --set live.device=cuda
[ $failed -eq 0 ] && echo "all passed"
exit $failed
