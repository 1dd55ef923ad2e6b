#!/bin/sh
# sequence.sh -- tensor ranks that divide the sequence between products get the weights of one rank that has all of
# it: 20 steps of SGD with momentum, beside all other axes.
#
#     sequence.sh FOLDER-OF-PROGRAMS
#
# The distance of all weights, by their norm, is at most 1e-6. They moved by far more than that.
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
. "$here/parts.sh"

also=',"sequence_parallel":true' most=1e-6
two="--set batch.accumulate=2" three="--set batch.accumulate=3" four="--set batch.accumulate=4"

# Rows of q, k, v, learned positions, a tied table, dropout everywhere.
model "$here/gpt.json"
meshed 2 '"tensor":2' '' --format json
# Four blocks, the table and the head: 18 gathers and as many scatters of 24 x 8 x 16 values, of which one half
# leaves each of two ranks; three values of each position for the loss; the sum of nine norms and of a table.
each=$((36 * 24 * 8 * 16 / 2 + 3 * 24 * 8 + 9 * 2 * 16 + 8 * 16))
sends $((2 * (36 + 1 + 2))) $((2 * 4 * each))
meshed 4 '"tensor":4' '' $two
meshed 4 '"tensor":2,"data":2' ',"bucket_bytes":4000' $two
meshed 4 '"tensor":2,"pipeline":2' ',"pipeline":{"schedule":"zb_h1"}' $four
mv "$work/many" "$work/kept"
for word in selective full; do
    meshed 4 '"tensor":2,"pipeline":2' ",\"pipeline\":{\"schedule\":\"zb_h1\"},\"recompute\":\"$word\"" $four
    cmp -s "$work/many" "$work/kept" || fail "the bits of ranks that compute again, $word"
done
meshed 4 '"tensor":2,"shard":2' ',"sharded":"optimizer","order":["shard","tensor"]'
meshed 4 '"tensor":2,"shard":2' ',"sharded":"gradients"' $three
meshed 8 '"tensor":2,"shard":2,"pipeline":2' \
    ',"sharded":"parameters","pipeline":{"schedule":"interleaved"},"recompute":"full"' $two
meshed 8 '"tensor":2,"context":2,"data":2' ',"context":{"exchange":"all_to_all"}'

# Several products read one norm; rotary positions; two heads to one of keys and values.
llama='{"family":"llama","layers":2,"hidden":16,"heads":4,"kv_heads":2,"ffn":32,"vocabulary":48,"sequence":8}'
model "$llama"
meshed 2 '"tensor":2'
meshed 8 '"tensor":2,"pipeline":2,"data":2' ',"pipeline":{"schedule":"gpipe"}' $two
model "$here/llama.json"
meshed 4 '"tensor":4' '' $two
meshed 8 '"tensor":2,"pipeline":4' ',"pipeline":{"schedule":"dualpipe"}' --set batch.accumulate=8

# A sum and a product read the same norm: gradients of all positions, and of the rank's own, meet.
cat >"$work/meet.json" <<END
{"name":"meet","sample":"sequence","input":[8],"begin":{"normal":0.1},"layers":[
{"name":"wte","kind":"embedding","vocabulary":48,"features":16},
{"name":"h","repeat":2,"layers":[
    {"name":"ln","kind":"layer_norm"},
    {"name":"fc","kind":"linear","outputs":32},
    {"name":"gelu","kind":"gelu"},
    {"name":"drop","kind":"dropout","rate":0.1},
    {"name":"proj","kind":"linear","outputs":16},
    {"name":"add","kind":"add","input":["proj","ln"]}]},
{"name":"head","kind":"linear","outputs":48,"bias":false},
{"name":"loss","kind":"softmax_cross_entropy"}]}
END
model "$work/meet.json"
meshed 2 '"tensor":2'
meshed 4 '"tensor":2,"pipeline":2' ',"recompute":"full"' $two

# Any mesh goes on where these ranks stopped, and these where others did.
# (Without positions: Adam makes rounding of nothing as large as any gradient.)
keeps() {
    ranks=$1 mesh=$2
    shift 2
    train "$ranks" "$work/many" $net $two --set optimizer=adam --set live.learning_rate=0.01 \
        --set live.checkpoint.file="$work/half" --set "strategies=[$mesh]" "$@" || fail "$ranks ranks, $mesh $*"
}
alone='{"kind":"allreduce"}' spread='{"kind":"mesh","mesh":{"tensor":2},"sequence_parallel":true}'
zero='{"kind":"mesh","mesh":{"shard":2,"pipeline":2},"sharded":"gradients"}'
keeps 1 "$alone"
mv "$work/many" "$work/one"
for way in "2:$spread:1:$alone" "1:$alone:2:$spread" "4:$zero:2:$spread" "2:$spread:4:$zero"; do
    rm -f "$work/half"
    first=${way%%\}:*}\} second=${way#*\}:}
    keeps "${first%%:*}" "${first#*:}" --set live.steps=7
    keeps "${second%%:*}" "${second#*:}"
    grep -q "goes on after step 10 of 20" "$work/err" && near "$work/many" "$work/one" 0 1e-5 ||
        fail "$second goes on with $first"
done

# refused WORDS RANKS MESH [KEYS [ARGUMENT...]] -- with status 3, before anything runs, in one line
refused() {
    words=$1 ranks=$2 keys="\"mesh\":{$3},\"sequence_parallel\":true$4"
    shift $(($# < 4 ? $# : 4))
    refuses 3 "$words" "$ranks" "$keys" "$@"
}
bert='{"family":"bert","layers":2,"hidden":16,"heads":4,"ffn":32,"vocabulary":48,"sequence":8,"masked":2}'
net="--set model=$bert"
refused 'tensor ranks have their positions alone of what it reads' 2 '"tensor":2'
vit='{"family":"vit","layers":2,"hidden":16,"heads":4,"image":8,"patch":2,"classes":4}'
net="--set model=$vit"
refused 'h.0.qkv: tensor ranks divide positions of what each of them has' 2 '"tensor":2'
[ $failed -eq 0 ] && echo "all passed"
exit $failed
