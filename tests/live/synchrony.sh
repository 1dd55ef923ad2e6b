#!/bin/sh
# synchrony.sh -- ranks that do not sum gradients in each step train for real: with one local step local SGD is
# synchronous SGD; with more, an outer update, pairs or a delay they have the weights of one process that does the
# same for all of them, one after another; what ranks send is what the plan says; what cannot be is refused.
#
#     synchrony.sh FOLDER-OF-PROGRAMS SERIAL
#
# SERIAL is that one process (serial_local.c).
bin=$1
serial=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
. "$here/parts.sh"
tensors="10 2000 8 576 8 72"

# local RANKS KEYS [ARGUMENT...] -- trains; the result is JSON
local_steps() {
    ranks=$1 keys=$2
    shift 2
    train "$ranks" "$work/many" --format json --set optimizer=sgd \
        --set "strategies=[{\"kind\":\"allreduce\",\"algorithm\":\"ring\",\"bucket_bytes\":4000$keys}]" "$@"
}

# equal KEYS RANKS [ARGUMENT...] -- these ranks get the weights in $work/one, but for the order of sums
equal() {
    keys=$1 ranks=$2
    shift 2
    local_steps "$ranks" "$keys" "$@" && near "$work/many" "$work/one" 0 1e-5 || fail "$ranks ranks, $keys $*"
}

# other KEYS RANKS [ARGUMENT...] -- other weights, that are no worse than another training's
other() {
    keys=$1 ranks=$2
    shift 2
    local_steps "$ranks" "$keys" "$@" && near "$work/many" "$work/one" 1e-3 5 || fail "$ranks ranks, $keys $*"
}

local_steps 1 '' || fail "one rank"
cp "$work/many" "$work/one"
equal ',"local_steps":1' 2
equal ',"local_steps":1' 8
equal ',"local_steps":1,"outer_rate":1,"outer_momentum":0' 4
equal ',"local_steps":1,"average":"pairs"' 2 # one pair
equal ',"local_steps":17,"local_after":20' 2
other ',"local_steps":17' 2
other ',"local_steps":17,"local_after":12' 4

# The bits do not depend on timing.
for keys in ',"local_steps":17,"outer_rate":0.7' ',"delay":1' ',"local_steps":1,"average":"pairs"'; do
    local_steps 4 "$keys" --set live.steps=34 || fail "$keys"
    cp "$work/many" "$work/before"
    local_steps 4 "$keys" --set live.steps=34 || fail "$keys, again"
    cmp -s "$work/many" "$work/before" || fail "$keys: other bits the second time"
done

# One process does what n ranks do: 23 steps, a meeting after each fifth.
emulated() { # WHAT RANKS ...
    "$serial" "$here/cnn.json" "$@" >"$work/one" || fail "serial $*"
}
emulated local 4 23 5
equal ',"local_steps":5' 4 --set live.steps=20
for ranks in 1 2 4 8; do
    emulated local $ranks 23 5 0.7 0.9
    equal ',"local_steps":5,"outer_rate":0.7' $ranks --set live.steps=20
done
emulated local 4 23 5 0.4 0.5
equal ',"local_steps":5,"outer_rate":0.4,"outer_momentum":0.5' 4 --set live.steps=20

# Replicas of a mesh: each rank meets those with the same part of the weights.
replicas() { # RANKS MESH [ARGUMENT...]
    ranks=$1 mesh="{\"kind\":\"mesh\",\"mesh\":{$2},\"bucket_bytes\":4000,\"local_steps\":5,\"outer_rate\":0.7}"
    shift 2
    train "$ranks" "$work/many" --format json --set optimizer=sgd --set live.steps=20 --set "strategies=[$mesh]" "$@" &&
        near "$work/many" "$work/one" 0 1e-5 || fail "$ranks ranks, $mesh $*"
}
emulated local 2 23 5 0.7 0.9
replicas 4 '"pipeline":2'
sends 5.6 42678.4 # a fifth of a ring of two for each stage's weights; 200 values of 12 samples there and back, twice
replicas 2 '"data":2'
cnn=$tensors tensors=14048 gpt="--set model=$here/gpt.json"
local_steps 2 ',"local_steps":5,"outer_rate":0.7' --set live.steps=20 $gpt && cp "$work/many" "$work/one" || fail "gpt"
replicas 4 '"tensor":2' $gpt
replicas 8 '"pipeline":2,"tensor":2' $gpt
tensors=$cnn

# Pairs of a hypercube, one dimension each step; what is kept is the mean of all.
emulated pairs 4 23
equal ',"local_steps":1,"average":"pairs"' 4 --set live.steps=20
emulated pairs 8 23
equal ',"local_steps":1,"average":"pairs"' 8 --set live.steps=21 --set live.warm_up=2

# Pairs that do not wait: in the order in which they come, so no two runs have the same bits. Means of two leave the
# mean of all where it is, and while the weights hardly move, so do the gradients: then it is that of pairs in step.
# Where they move, other weights come out than of ranks that never meet.
passing() { # RANKS LOCAL_STEPS [ARGUMENT...]
    ranks=$1 keys="\"local_steps\":$2,\"average\":\"asynchronous_pairs\""
    shift 2
    train "$ranks" "$work/many" --format json --set optimizer=sgd --set "strategies=[{\"kind\":\"allreduce\",$keys}]" "$@" ||
        fail "$ranks ranks, $keys $*"
}
set -- --set live.steps=24 --set live.learning_rate=0.001
local_steps 1 '' "$@" --set live.learning_rate=0 && cp "$work/many" "$work/start"
for ranks in 2 4; do
    local_steps $ranks ',"local_steps":1,"average":"pairs"' "$@" && cp "$work/many" "$work/one"
    for every in 1 2; do
        passing $ranks $every "$@"
        near "$work/many" "$work/one" 0 0.1 "$work/start" || fail "$ranks ranks, each $every steps: the mean moves"
    done
    # What the last step took is part of the mean: of two steps it is half.
    local_steps $ranks ',"local_steps":1,"average":"pairs"' "$@" --set live.steps=2 --set live.warm_up=1 --set live.learning_rate=0.0001 &&
        cp "$work/many" "$work/one"
    passing $ranks 1 "$@" --set live.steps=2 --set live.warm_up=1 --set live.learning_rate=0.0001
    near "$work/many" "$work/one" 0 0.06 "$work/start" || fail "$ranks ranks, three steps: the mean moves"
    emulated local $ranks 27 1000
    passing $ranks 1 --set live.steps=24
    near "$work/many" "$work/one" 1e-3 5 || fail "$ranks ranks do not meet"
done
sends 4 42784 # both that ask give 10,696 bytes, and get as many

# Gradients of the step before: the first step makes no update.
emulated delay 1 19
for ranks in 1 2 8; do
    equal ',"delay":1' $ranks
done

# Those of the first layer alone, 80 values at the end, or of the last one; a lone rank knows no other way.
for part in 'first 2594 80' 'last 0 2010'; do
    emulated late 1 20 ${part#* }
    for ranks in 1 4; do
        equal ",\"delay\":1,\"delay_${part%% *}\":1" $ranks
    done
done
# The step that a late update counts is that of its gradients: the first one of adam moves a weight by the rate. Of two
# steps the last layer's, whose biases come first, has made that one.
set -- ',"delay":1,"delay_last":1' --set optimizer=adam --set live.steps=1 --set live.warm_up=1
local_steps 2 "$@" --set live.learning_rate=0 && cp "$work/many" "$work/start"
local_steps 2 "$@" || fail "adam, the last layer late"
for file in many start; do
    od -An -v -w4 -t f4 -N40 "$work/$file" >"$work/$file.biases"
done
paste "$work/many.biases" "$work/start.biases" |
    awk '{ d = $1 - $2; d = d < 0 ? -d : d; bad += d < 0.0499 || d > 0.0501 } END { exit NR != 10 || bad > 0 }' ||
    fail "adam, the last layer late: biases do not move by the rate"

# Two ranks send their 10,696 bytes of weights in each meeting, so a fifth in a step.
local_steps 2 ',"local_steps":5' --set live.steps=20
grep -q '"sent_bytes": 4278.4' "$work/out" || fail "bytes: $(grep '"sent_' "$work/out")"

# refuse STATUS WORDS KEYS [ARGUMENT...]
refuse() {
    wanted=$1 words=$2 keys=$3
    shift 3
    local_steps 2 "$keys" "$@"
    status=$?
    [ $status -eq "$wanted" ] && grep -q "$words" "$work/err" || fail "$keys $* ends with $status"
}
refuse 2 'must be a multiple of the 5 steps after which its messages repeat, got 17' ',"local_steps":5'
train 4 "$work/many" --set 'strategies=[{"kind":"mesh","mesh":{"shard":2},"local_steps":5}]'
[ $? -eq 3 ] && grep -q 'replicas whose state is sharded are simulated alone' "$work/err" || fail "shards"
refuse 3 'a checkpoint holds what one rank has' ',"local_steps":1' \
    --set 'live.checkpoint={"file":"kept","every_steps":2}'
train 2 "$work/many" --set precision=fp16 --set device=h100 \
    --set 'strategies=[{"kind":"allreduce","local_steps":1,"average":"asynchronous_pairs"}]'
[ $? -eq 3 ] && grep -q 'fp16 leaves out steps' "$work/err" || fail "fp16 of asynchronous pairs"
refuse 3 'fp16 leaves out steps that overflow' ',"delay":1' --set precision=fp16 --set device=h100
refuse 3 'needs sums of gradients in each step' ',"local_steps":1' --set live.noise_scale=true
exit $failed
