#!/bin/sh
# experts.sh -- ranks that divide the experts of mixtures get the weights of one rank that has all of them: 20
# steps of SGD with momentum, beside pipelines and shards, with any capacity.
#
#     experts.sh FOLDER-OF-PROGRAMS
#
# The distance of all weights, by their norm, is at most 1e-5. They moved by far more than that.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
. "$here/parts.sh"

# mixture CAPACITY TOP_K MORE -- what follows trains such a network; $work/one are its weights
mixture() {
    net="{\"family\":\"moe\",\"layers\":2,\"hidden\":16,\"heads\":4,\"kv_heads\":2,\"experts\":4,\"top_k\":$2"
    net="--set model=$net,\"expert_ffn\":24,\"capacity\":$1,\"vocabulary\":48,\"sequence\":8$3}"
    learns "a mixture, capacity $1"
}

# experts RANKS EXPERT-RANKS MESH [KEYS [ARGUMENT...]] -- a mesh whose ranks divide the experts
experts() {
    ranks=$1 also=",\"expert\":{\"size\":$2,\"padded\":true}"
    shift 2
    meshed "$ranks" "$@"
}

two="--set batch.accumulate=2" three="--set batch.accumulate=3"

# 1.25 x 8 x 2 / 4 positions: an expert takes 5 of each sample
mixture 1.25 2
experts 2 2 '"data":2'
experts 4 4 '"data":4' '' --format json
# Each rank: 4 experts x 6 samples x 5 positions x 16 features, of which three quarters leave, there and back,
# forward and backward, in two layers. A ring of four for the rest, 12496 weights but 2 x 4 x 3 x 24 x 16.
sends $((4 * (3 * 8 + 6))) $((4 * 4 * (8 * 1920 * 3 / 4 + 6 * 3280 / 4)))
experts 4 2 '"data":4' ',"bucket_bytes":4000' $three
experts 4 2 '"data":2,"pipeline":2' '' $two
experts 4 2 '"data":2,"pipeline":2' ',"pipeline":{"schedule":"interleaved"},"overlap":false' $two
experts 8 4 '"data":4,"pipeline":2' ',"pipeline":{"schedule":"zb_h1"}' $two
experts 2 2 '"shard":2' ',"sharded":"optimizer"'
experts 4 2 '"shard":4' ',"sharded":"gradients"' $two
experts 4 4 '"shard":2,"data":2' ',"sharded":"parameters"' $two
experts 4 2 '"shard":2,"data":2' ',"sharded":"gradients"' $three
experts 8 2 '"shard":2,"data":2,"pipeline":2' ',"sharded":"parameters"' $two
experts 4 2 '"data":2,"pipeline":2' ',"recompute":"none"' $two
mv "$work/many" "$work/kept"
experts 4 2 '"data":2,"pipeline":2' ',"recompute":"full"' $two
cmp -s "$work/many" "$work/kept" || fail "the bits of experts that compute again"

# Checkpoints are those of one rank.
keeps() {
    ranks=$1 strategy=$2
    shift 2
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$scenario" $net --set "strategies=[{$strategy}]" \
        --set live.checkpoint.file="$work/file" --set live.weights="$work/many" "$@" >"$work/out" 2>"$work/err" ||
        fail "$ranks ranks, $strategy $*"
}
alone='"kind":"allreduce"' four='"kind":"mesh","mesh":{"data":4},"expert":{"size":4,"padded":true}'
pipe='"kind":"mesh","mesh":{"data":2,"pipeline":2},"expert":{"size":2,"padded":true}'
for way in "4:$four 1:$alone" "1:$alone 4:$four" "4:$pipe 4:$four"; do
    rm -f "$work/file"
    begun=${way% *} end=${way#* }
    keeps "${begun%%:*}" "${begun#*:}" --set live.steps=7
    keeps "${end%%:*}" "${end#*:}"
    grep -q "goes on after step 10 of 20" "$work/err" && near "$work/many" "$work/one" 0 1e-5 ||
        fail "$begun goes on with $end"
done

# Tensor ranks have a part of the hidden values of each expert, beside the ranks that divide experts and without.
mixture 1.25 2
also=''
meshed 2 '"tensor":2'
meshed 4 '"tensor":2,"pipeline":2' ',"sequence_parallel":true,"pipeline":{"schedule":"zb_h1"}' $two
meshed 4 '"tensor":2,"shard":2' ',"sequence_parallel":true,"sharded":"parameters","recompute":"full"' $two
experts 4 2 '"tensor":2,"data":2' '' $two
experts 8 2 '"tensor":2,"pipeline":2,"shard":2' ',"sharded":"gradients"' $two

# All positions are taken; half of them are not; each goes to one expert, beside one that takes all.
mixture 0 2
experts 4 4 '"data":4'
mixture 0.5 2
experts 4 2 '"data":4' '' $two
mixture 1 1 ',"shared_experts":1'
experts 2 2 '"data":2' '' $two
also=''
meshed 4 '"tensor":2,"data":2' '' $two

refuses 3 'expert.padded must be true' 2 '"mesh":{"data":2},"expert":{"size":2}'
refuses 3 'tensor ranks that divide the sequence, beside expert ranks' 4 \
    '"mesh":{"tensor":2,"data":2},"expert":{"size":2,"padded":true},"sequence_parallel":true'
refuses 3 'whose passes run together' 4 '"mesh":{"data":2,"pipeline":2},"expert":{"size":2,"padded":true},"pipeline":{"schedule":"dualpipe"}' \
    --set batch.accumulate=4
refuses 2 'expert.skew: has no effect with padded' 2 '"mesh":{"data":2},"expert":{"size":2,"padded":true,"skew":2}'
[ $failed -eq 0 ] && echo "all passed"
exit $failed
