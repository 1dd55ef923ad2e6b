#!/bin/sh
# noise.sh -- live.noise_scale: squares of gradients are those of the steps that weights take, and ranks,
# servers and accumulation measure the same noise; what cannot tell it is refused.
#
#     noise.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0
ring='strategies=[{"kind":"allreduce","algorithm":"ring","bucket_bytes":1000}]'

# moved A B -- the squared distance of two files of weights
moved() {
    od -An -v -w4 -t f4 "$1" >"$work/a"
    od -An -v -w4 -t f4 "$2" | paste "$work/a" - | awk '{ d += ($1 - $2) ^ 2 } END { printf "%.9g", d }'
}

# squares N -- of the first step in $work/out: of the small and the large batch's gradient, of $1 and $2 samples
squares() {
    sed -n '/"noise_scale"/,$p' "$work/out" | tr ',{}' '\n\n\n' | awk -v b="$1" -v all="$2" '
        /"step":/ { in_steps = 1 }
        in_steps && /"gradient_squared":/ { g = $2 }
        in_steps && /"trace":/ { printf "%.9g %.9g", g + $2 / b, g + $2 / all; exit }'
}

# alike WHAT A B TOLERANCE
alike() {
    echo "$2 $3" | awk -v most="$4" '
        { d = $1 - $2; exit !($2 > 0 && d <= most * $2 && -d <= most * $2) }' && return
    echo "FAIL $1: $2, not $3"
    failed=1
}

# A step of rate 1 moves weights by the gradient; in an epoch of 24 samples the first 12 are the first
# microbatch of 24, and rate 0 follows.
once='--set optimizer=sgd --set dataset.samples=24 --set live.epochs=1 --set live.learning_rate=1 --format json'
train 1 "$work/start" $once --set live.learning_rate=0 && train 1 "$work/all" $once &&
    train 1 "$work/half" $once --set batch.global=12 \
        --set 'live.schedule={"kind":"step","every_epochs":0.5,"factor":0}' ||
    { cat "$work/err"; exit 1; }
train 1 "$work/many" $once --set batch.accumulate=2 --set live.noise_scale=true || { cat "$work/err"; exit 1; }
set -- $(squares 12 24)
alike "the gradient of a microbatch" "$1" "$(moved "$work/half" "$work/start")" 1e-4
alike "the gradient of a step" "$2" "$(moved "$work/all" "$work/start")" 1e-4
small=$1 large=$2
[ "$small" != "$large" ] || { echo "FAIL both batches have one square, $small"; failed=1; }

# The other half is the second rank's: its square follows from the sum of all.
train 2 "$work/many" $once --set "$ring" --set live.noise_scale=true || { cat "$work/err"; exit 1; }
set -- $(squares 12 24)
alike "the gradient of a step of two ranks" "$2" "$large" 1e-4
both=$1
# servers see the mean that ranks without servers see; in 16 bits it is rounded
for how in '--set strategies=[{"kind":"ps","servers":2,"bucket_bytes":1000}]' \
    '--set strategies=[{"kind":"ps","servers":2,"shard":"tensor"}]'; do
    train 4 "$work/many" $once $how --set live.noise_scale=true || { cat "$work/err"; exit 1; }
    set -- $(squares 12 24)
    alike "a rank's gradient, $how" "$1" "$both" 1e-4
    alike "the gradient of a step, $how" "$2" "$large" 1e-4
done
for precision in bf16 fp16; do
    train 2 "$work/many" $once --set "$ring" --set live.noise_scale=true --set device=a100_40gb \
        --set precision=$precision || { cat "$work/err"; exit 1; }
    set -- $(squares 12 24)
    alike "a rank's gradient in $precision" "$1" "$both" 0.03
    alike "the gradient of a step in $precision" "$2" "$large" 0.03
done
# synchronized sums leave out no gradient and count none twice
norm="--set model=$here/cnn_norm.json --set batch_norm=synchronized"
train 1 "$work/start" $once $norm --set live.learning_rate=0 && train 1 "$work/all" $once $norm &&
    train 2 "$work/many" $once $norm --set "$ring" --set live.noise_scale=true || { cat "$work/err"; exit 1; }
set -- $(squares 12 24)
alike "the gradient with synchronized normalization" "$2" "$(moved "$work/all" "$work/start")" 1e-3

# refused STATUS MESSAGE RANKS ARGUMENT...
refused() {
    want=$1 message=$2 ranks=$3
    shift 3
    train "$ranks" "$work/many" --set live.noise_scale=true "$@"
    status=$?
    [ $status -eq "$want" ] && grep -q "$message" "$work/err" && return
    echo "FAIL $* ends with $status: $(cat "$work/err")"
    failed=1
}
refused 2 'live.noise_scale: needs two ranks' 1
refused 2 'live.noise_scale: has no effect where live.compute is timed' 2 --set live.compute=timed
refused 3 'no rank has the gradient of the whole network' 2 --set 'strategies=[{"kind":"mesh","mesh":{"pipeline":2}}]'
refused 3 'lists of rows here' 1 --set model="$here/words.json" --set batch.accumulate=2
for rule in '"synchronous":false' '"synchronous":false,"staleness_bound":1' '"backup_workers":1'; do
    refused 3 'do not sum the gradients of all ranks' 4 --set "strategies=[{\"kind\":\"ps\",\"servers\":1,$rule}]"
done
exit $failed
