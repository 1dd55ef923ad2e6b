#!/bin/sh
# context.sh -- ranks that divide the positions of a sequence get the weights of one rank that has all of them: 20
# steps of SGD with momentum, attention by all-to-alls or all-gathers, beside all other axes.
#
#     context.sh FOLDER-OF-PROGRAMS
#
# The distance of all weights, by their norm, is at most 1e-5. They moved by far more than that.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
. "$here/parts.sh"

# exchange NAME -- of all meshes from now on
exchange() {
    also=",\"context\":{\"exchange\":\"$1\"}"
}

exchange all_to_all
two="--set batch.accumulate=2" three="--set batch.accumulate=3"

# Rows of q, k, v, learned positions, a tied table, dropout everywhere.
model "$here/gpt.json"
meshed 2 '"context":2' '' --format json
# Four blocks, eight all-to-alls of 24 x 4 x 16 values of which one half leaves each of two ranks; a ring of two.
sends $((2 * (4 * 8 + 2))) $((2 * 4 * (4 * 8 * 24 * 4 * 16 / 2 + 14048)))
meshed 4 '"context":4' '' $three
meshed 4 '"context":2,"pipeline":2' ',"pipeline":{"schedule":"gpipe"}' $two
mv "$work/many" "$work/kept"
meshed 4 '"context":2,"pipeline":2' ',"pipeline":{"schedule":"gpipe"},"recompute":"full"' $two
cmp -s "$work/many" "$work/kept" || fail "the bits of context ranks that compute again"
meshed 8 '"context":2,"tensor":2,"data":2' ',"bucket_bytes":4000' $two
meshed 4 '"context":2,"shard":2' ',"sharded":"parameters"' $two
meshed 4 '"context":2,"data":2' ',"sharded":"optimizer"'

exchange all_gather
meshed 2 '"context":2' '' --format json
# Four blocks, two gathers of 24 x 8 x 16 values of which one half leaves each of two ranks, forward, backward, and
# two sums on the way back; a ring of two.
sends $((2 * (4 * 6 + 2))) $((2 * 4 * (4 * 6 * 24 * 8 * 16 / 2 + 14048)))
meshed 4 '"context":4' '' $three
meshed 4 '"context":2,"pipeline":2' ',"pipeline":{"schedule":"gpipe"}' $two
mv "$work/many" "$work/kept"
meshed 4 '"context":2,"pipeline":2' ',"pipeline":{"schedule":"gpipe"},"recompute":"full"' $two
cmp -s "$work/many" "$work/kept" || fail "the bits of context ranks that gather again"
meshed 8 '"context":2,"tensor":2,"data":2' ',"sequence_parallel":true,"bucket_bytes":4000' $two
exchange all_to_all

# Three tensors, two heads to one of keys and values, rotary positions.
llama='{"family":"llama","layers":2,"hidden":16,"heads":4,"kv_heads":2,"ffn":32,"vocabulary":48,"sequence":8}'
model "$llama"
meshed 2 '"context":2'
meshed 4 '"context":2,"data":2' '' $two
meshed 8 '"context":2,"pipeline":2,"shard":2' ',"sharded":"gradients","pipeline":{"schedule":"interleaved","chunks":1}' $two
exchange all_gather # more ranks than heads of keys
meshed 8 '"context":4,"pipeline":2' '' $two
exchange all_to_all

# Experts on ranks of context and data; no capacity, which is of all positions of a sample.
moe='{"family":"moe","layers":2,"hidden":16,"heads":4,"kv_heads":4,"experts":4,"top_k":2,"expert_ffn":24'
moe="$moe,\"vocabulary\":48,\"sequence\":8"
model "$moe}"
meshed 4 '"context":4' ',"expert":{"size":2,"padded":true}'
meshed 8 '"context":2,"data":4' ',"expert":{"size":4,"padded":true}'

# refused WORDS RANKS MESH [KEYS [ARGUMENT...]] -- with status 3, before anything runs, in one line
refused() {
    words=$1 ranks=$2 keys="\"mesh\":{$3}$4"
    shift $(($# < 4 ? $# : 4))
    refuses 3 "$words" "$ranks" "$keys" "$@"
}
ulysses=',"context":{"exchange":"all_to_all"}'
refused 'context.exchange must be all_to_all or all_gather' 2 '"context":2'
refused 'recompute must be none or full' 2 '"context":2' "$ulysses,\"recompute\":\"selective\""
net="--set model=$moe,\"capacity\":1.25}"
refused 'count an expert.s capacity by their own positions' 2 '"context":2' "$ulysses"
[ $failed -eq 0 ] && echo "all passed"
exit $failed
