#!/bin/sh
# profile_apart.sh FOLDER-OF-PROGRAMS -- a profile of a device with memory of its own is a device file that
# predictions rest on; what is no device of this machine is refused. The device is a stand-in for a GPU
# (live/stand_in.c): who reads or writes its memory but by kernels and copies dies.
set -u
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
model=$here/live/cnn_norm.json
failed=0

fail() {
    echo "FAIL $*: $(cat "$work/said")"
    failed=1
}

# dtsim becomes the program that measures beside it.
cp "$bin/dtsim" "$work/dtsim" && ln -s "$bin/dtsim-measure-stand-in" "$work/dtsim-measure" || exit 2

# profile NAME ARGUMENT... -- $work/NAME.json
profile() {
    name=$1
    shift
    "$work/dtsim" profile --model "$model" -o "$work/$name.json" "$@" >"$work/said" 2>&1
}

# predicts NAME PRECISION ARGUMENT... -- all of its seconds are the profile's.
predicts() {
    name=$1 precision=$2
    shift 2
    "$bin/dtsim" here --set "device=$work/$name.json" --set "model=$model" --set devices=[1] --engine fluid \
        --explain --set dataset.samples=1000 --set "precision=$precision" "$@" >"$work/said" 2>&1 &&
        grep -qE "profile $name, $precision: ([0-9]+) of \1 calls measured" "$work/said" &&
        ! grep -q 'update by the roofline' "$work/said" || fail "a prediction from $name in $precision"
}

has() {
    grep -q "$2" "$work/$1.json" || fail "$1.json has no $2"
}
hasnt() {
    ! grep -q "$2" "$work/$1.json" || fail "$1.json has $2"
}

profile there --device cuda:3 --batch 2,4 --sweeps 3 || fail "a profile of the stand-in"
# Standard error is no terminal here: a line before it measures, and one that says where the profile lies.
calls=$(grep -c '"call":' "$work/there.json")
grep -qE "^dtsim: measuring $calls calls of cnn_norm at batches 2, 4, in 3 sweeps: up to about [0-9]+ (s|min), " "$work/said" &&
    grep -qE "^dtsim: measured $calls calls of cnn_norm at batches 2, 4 in [0-9]+ s: $work/there.json\$" "$work/said" &&
    [ "$(grep -vc '^dtsim: measured [0-9]* of ' "$work/said")" -eq 2 ] || fail "what a profile says"
predicts there fp32 --set batch.per_device=4
has there '"kind": *"gpu"'
has there '"device": *"cuda:3, stand-in"'
has there '"library": *"stand-in 1.0"'
has there '"clock_hz": *1000000000'
has there '"bytes": *268435456'
for word in fp32 fp16 bf16; do
    has there "\"$word\": *[1-9]"
done
for word in tf32 fp64 pace_s threads memory_clock_hz; do # what it has not
    hasnt there "\"$word\""
done
profile half --device cuda --batch 2 --precision fp16 --sweeps 2 || fail "a profile in fp16"
has half '"device": *"cuda:0, stand-in"'
predicts half fp16 --set batch.per_device=2

# refused STATUS LINE ARGUMENT... -- one line, beside that it began, and no file.
refused() {
    wanted=$1 line=$2
    shift 2
    rm -f "$work/none.json"
    profile none "$@"
    status=$?
    sed -i '/^dtsim: measuring /d' "$work/said"
    [ $status -eq "$wanted" ] && [ "$(wc -l <"$work/said")" -eq 1 ] && grep -qE "^$line" "$work/said" &&
        [ ! -e "$work/none.json" ] || fail "ends with $status: $*"
}
refused 2 'dtsim: --device: no device "cude" \(did you mean cuda\?\)$' --device cude:1
refused 2 'dtsim: --device: no device "" \(' --device ''
for word in cuda: cuda:x cuda:-1 cuda:12345; do
    refused 2 "dtsim: --device: must be cuda or cuda:N, N a number, got \"$word\"$" --device $word
done
refused 3 'dtsim-measure: device: cpu:1: this machine has 1, from cpu:0 on$' --device cpu:1
for device in cpu cuda; do
    refused 3 "dtsim-measure: precision: $device cannot compute in tf32$" --device $device --precision tf32
done
export DTSIM_STAND_IN_DEVICES=2
refused 3 'dtsim-measure: device: cuda:2: this machine has 2, from cuda:0 on$' --device cuda:2
export DTSIM_STAND_IN_DEVICES=0
refused 3 'dtsim-measure: device: cuda: this machine has none: none was asked for$' --device cuda:1
unset DTSIM_STAND_IN_DEVICES
refused 1 'dtsim-measure: does not fit: .* GB of memory, and 0.3 GB are free$' --device cuda --batch 1000000
export DTSIM_STAND_IN_COPIES=0 # whether gradients are finite is asked of it
refused 1 'dtsim-measure: stand-in: a copy failed$' --device cuda --batch 1 --precision fp16
unset DTSIM_STAND_IN_COPIES
model=$here/live/words.json
profile words --device cuda --batch 1 --sweeps 2 || fail "a sparse table and momentum" # its rows are updated there

# The real program: where there is a GPU it is measured, else it says why not.
"$bin/dtsim-measure" profile "$here/live/cnn_norm.json" 2 1 sgd "$work/real.json" fp32 0 cuda:0 >"$work/said" 2>&1
status=$?
[ $status -eq 0 ] || { [ $status -eq 3 ] && grep -q '^dtsim-measure: device: cuda: this machine has none: ' \
    "$work/said" && [ "$(wc -l <"$work/said")" -eq 1 ]; } || fail "the real program ends with $status"
exit $failed
