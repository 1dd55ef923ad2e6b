# parts.sh -- what the tests of networks in parts share, beside weights.sh: what fails is told and counted, and
# what ranks sent is held against a closed form; to be sourced.
failed=0

fail() {
    echo "FAIL $*: $(cat "$work/distance" "$work/err")"
    failed=1
}

# sends MESSAGES BYTES -- of all ranks in a step of what ran last; each rank held its own to its plan
sends() {
    grep -q "\"sent_messages\": $1," "$work/out" && grep -q "\"sent_bytes\": $2," "$work/out" ||
        fail "$1 messages, $2 bytes: $(grep '"sent_' "$work/out")"
}

# learns WHAT -- what follows trains $net; $work/one are one rank's weights after its steps, which move them
learns() {
    train 1 "$work/one" $net && train 1 "$work/start" $net --set live.learning_rate=0 || fail "one rank trains $1"
    tensors=$(($(wc -c <"$work/one") / 4))
    near "$work/one" "$work/start" 1e-2 1e9 || fail "the weights of $1 move"
}

# refuses STATUS WORDS RANKS STRATEGY [ARGUMENT...] -- before anything runs, in one line
refuses() {
    wanted=$1 words=$2 ranks=$3 strategy=$4
    shift 4
    train "$ranks" "$work/many" $net --set "strategies=[{\"kind\":\"mesh\",$strategy}]" "$@"
    status=$?
    [ $status -eq "$wanted" ] && grep -q "$words" "$work/err" &&
        [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] ||
        fail "$strategy $* ends with $status"
}

# model MODEL -- what follows trains that; $work/one are one rank's weights
model() {
    net="--set model=$1"
    learns "$1"
}

# meshed RANKS MESH [KEYS [ARGUMENT...]] -- leaves the weights in $work/many, which are one rank's to $most; $also are
# keys of all meshes
also='' most=1e-5
meshed() {
    ranks=$1 mesh="\"mesh\":{$2}$also$3"
    shift $(($# < 3 ? $# : 3))
    train "$ranks" "$work/many" $net --set "strategies=[{\"kind\":\"mesh\",$mesh}]" "$@" &&
        near "$work/many" "$work/one" 0 "$most" && return
    fail "$ranks ranks, $mesh $*"
}
