#!/bin/sh
# mixtures.sh -- meshes that nobody listed: five axes, experts, divided sequences, schedules, shards, recomputation,
# microbatches and buckets are drawn; each gets the weights of one rank, at most 1e-5 of their norm away, after 20 steps of SGD with
# momentum.
#
#     mixtures.sh FOLDER-OF-PROGRAMS [COUNT [SEED]]
bin=$1 count=${2:-14} seed=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0

# Lines: model, ranks, microbatches, the strategy.
awk -v count="$count" -v seed="$seed" '
    function draw(n) { return int(rand() * n) }
    function flip(yes, no) { return draw(2) ? yes : no }
    BEGIN {
        srand(seed)
        split("gpt gpt cnn mlp moe moe llama llama", models, " ")
        split("1f1b gpipe zb_h1 interleaved eager_1f1b dualpipe", schedules, " ")
        split("optimizer gradients parameters", words, " ")
        split("ring ring halving_doubling tree", sums, " ")
        while (made < count) {
            model = models[1 + draw(8)]
            p = 1 + draw(4); s = 1 + draw(4); d = 1 + draw(3); m = 1 + draw(6)
            t = model == "cnn" || draw(2) ? 1 : model == "moe" ? 2 : flip(2, 4) # two heads of keys
            tokens = model == "gpt" || model == "llama"
            c = tokens ? 2 ^ draw(2) : 1 # four heads, and as many of keys
            if (tokens && t * c > 4)
                continue
            ranks = p * t * s * d * c
            if (ranks > 8 || ranks < 2 || 24 % (s * d * m))
                continue
            schedule = p > 1 ? schedules[1 + draw(6)] : ""
            if (schedule == "dualpipe" && (p % 2 || m % 2 || m < 2 * p || s * c > 1 || model == "gpt"))
                continue
            if (schedule == "interleaved" && (m % p || p > 2)) # two parts on each stage, of four at the most
                continue
            e = model == "moe" ? 2 ^ draw(3) : 1
            divides = t > 1 && (tokens || model == "moe" && e == 1) ? draw(2) : 0 # the sequence between products
            text = "{\"kind\":\"mesh\",\"mesh\":{\"pipeline\":" p (t > 1 ? ",\"tensor\":" t : "") (c > 1 ? ",\"context\":" c : "") (s > 1 ? ",\"shard\":" s : "") ",\"data\":" d "}"
            text = text ",\"bucket_bytes\":" 400 * (1 + draw(40)) ",\"overlap\":" flip("true", "false")
            if (schedule != "")
                text = text ",\"pipeline\":{\"schedule\":\"" schedule "\"" flip("", ",\"stages\":\"even\"") "}"
            if (c > 1)
                text = text ",\"context\":{\"exchange\":\"" flip("all_to_all", "all_gather") "\"}"
            if (draw(2) && c == 1)
                text = text ",\"order\":[\"pipeline\",\"shard\",\"data\",\"tensor\"]"
            if (divides)
                text = text ",\"sequence_parallel\":true"
            word = s > 1 ? words[1 + draw(3)] : ""
            if (s > 1)
                text = text ",\"sharded\":\"" word "\""
            if (s * d % e || s % e && e % s || e > 1 && schedule == "dualpipe")
                continue
            if (e > 1)
                text = text ",\"expert\":{\"size\":" e ",\"padded\":true}"
            if (word == "parameters")
                text = text ",\"prefetch\":" draw(3) ",\"reshard_after_forward\":" flip("true", "false")
            if (draw(3) == 0)
                text = text ",\"recompute\":\"" (c > 1 || !tokens ? "full" : flip("full", "selective")) "\""
            if (s == 1)
                text = text ",\"algorithm\":\"" sums[1 + draw(4)] "\""
            else if (draw(2))
                text = text ",\"channels\":2"
            print model, ranks, m, text "}"
            made++
        }
    }' >"$work/mixtures"

cp "$here/gpt.json" "$here/cnn.json" "$here/mlp.json" "$here/moe.json" "$here/llama.json" "$work"
for model in gpt cnn mlp moe llama; do
    train 1 "$work/$model" --set model="$work/$model.json" || { cat "$work/err"; exit 1; }
done
while read -r model ranks microbatches strategy; do
    tensors=$(($(wc -c <"$work/$model") / 4))
    train "$ranks" "$work/many" --set model="$work/$model.json" --set batch.accumulate="$microbatches" \
        --set "strategies=[$strategy]" && near "$work/many" "$work/$model" 0 1e-5 && continue
    echo "FAIL $model, $ranks ranks, $microbatches microbatches, $strategy: $(cat "$work/distance"; grep -h ^dtsim: "$work/err")"
    failed=1
done <"$work/mixtures"
[ "$(wc -l <"$work/mixtures")" -eq "$count" ] || { echo "FAIL $count mixtures"; failed=1; }
[ $failed -eq 0 ] && echo "all passed"
exit $failed
