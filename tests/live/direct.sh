#!/bin/sh
# direct.sh -- messages that MPI takes from a device's memory and lays there get the bits of a CPU, as those
# that are copied to the host do, and nothing is copied for them. The device is a stand-in (stand_in.c), whose
# memory is open while MPI is called and while kernels run, and at no other time.
#
#     direct.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
failed=0

fail() {
    echo "FAIL $*: $(cat "$work/err")"
    failed=1
}

# there RANKS FILE ARGUMENT... -- as train, on the device, with an MPI that reads it
there() (
    program=dtsim-live-stand-in
    export DTSIM_STAND_IN_MPI=1
    train "$@" --set live.device=cuda --format json
)

# went WAY COPIED-BYTES
went() { grep -q "\"device_messages\": \"$1\"" "$work/out" && grep -Eq "\"device_message_copied_bytes\": $2\$" "$work/out"; }

# same COPIED-BYTES RANKS ARGUMENT... -- the weights of CPUs
same() {
    copied=$1 n=$2
    shift 2
    rm -f "$work/cpu" "$work/device"
    train "$n" "$work/cpu" "$@" || fail "on CPUs, $n ranks $*"
    there "$n" "$work/device" "$@" || fail "$n ranks $*"
    cmp -s "$work/cpu" "$work/device" || fail "same bits, $n ranks $*"
    went direct "$copied,?" || fail "$n ranks $*: $(grep device_message "$work/out")"
}

# allreduce RANKS KEYS ARGUMENT..., served RANKS KEYS ARGUMENT...
allreduce() {
    n=$1 keys=$2
    shift 2
    same 0 "$n" --set "strategies=[{\"kind\":\"allreduce\",\"algorithm\":$keys}]" "$@"
}
served() {
    n=$1 keys=$2
    shift 2
    same 0 "$n" --set "strategies=[{\"kind\":\"ps\",\"servers\":$keys}]" "$@"
}
small=',"bucket_bytes":1000'
half="--set device=a100_40gb --set precision"
norm="--set model=$here/cnn_norm.json --set batch_norm=synchronized"
for n in 2 3 4; do
    allreduce $n "\"ring\"$small"
done
allreduce 3 '"ring","overlap":false' $half=bf16
allreduce 4 "\"tree\"$small" $half=bf16
allreduce 4 "\"halving_doubling\"$small"
allreduce 2 "\"halving_doubling\"$small" $half=bf16
allreduce 3 '"tree","overlap":false' --set batch.accumulate=2
allreduce 4 '"double_tree"' --set optimizer=adam
allreduce 4 "\"binary_blocks\"$small"
allreduce 2 '"ring"' $half=fp16 --set live.loss_scale=16777216 # steps that overflow
allreduce 3 "\"ring\"$small" $norm --set batch.accumulate=2
allreduce 4 '"mpi"' $norm
served 2 "1$small"
served 3 "1$small" $half=bf16
served 3 '2,"placement":"dedicated","shard":"tensor","overlap_push":false,"overlap_pull":false'
served 4 "2$small" --set batch.accumulate=2
allreduce 2 "\"ring\"$small" --set "model=$here/../../models/resnet8.json"

# In 16 bits MPI's own sums are made by functions of the host: that message is copied, and no other.
same '[1-9].*' 2 --set 'strategies=[{"kind":"allreduce","algorithm":"mpi"}]' $half=bf16

# Who asks for copies gets them, as does auto where MPI cannot.
ring="--set strategies=[{\"kind\":\"allreduce\",\"algorithm\":\"ring\"}]"
train 2 "$work/cpu" $ring
there 2 "$work/device" $ring --set live.device_messages=staged
went staged '[1-9].*' && cmp -s "$work/cpu" "$work/device" || fail "staged"
program=dtsim-live-stand-in
train 2 "$work/device" $ring --set live.device=cuda
grep -q 'Messages of devices: staged, ' "$work/out" && grep -q 'was not told so' "$work/out" || fail "auto says why not"

# The device says so, too: a step copies its loss out, and the run its weights at the end. With messages copied, 20
# steps of three buckets need more.
many="--set strategies=[{\"kind\":\"allreduce\",\"algorithm\":\"ring\"$small}]"
export DTSIM_STAND_IN_COPIES=60
there 2 "$work/device" $many || fail "no copies but of losses and weights"
there 2 "$work/device" $many --set live.device_messages=staged &&
    fail "copies are counted by the device"
unset DTSIM_STAND_IN_COPIES

# refused STATUS WORDS ARGUMENT...
refused() {
    wanted=$1 what=$2
    shift 2
    train 2 "$work/device" --set live.device_messages=direct "$@"
    status=$?
    [ $status -eq "$wanted" ] && grep -q "^dtsim: .*$what" "$work/err" &&
        [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] || fail "ends with $status: $what"
}
refused 3 '--set live.device_messages: direct: the MPI of rank 0 cannot read memory of cuda: the stand-in was not told so' \
    --set live.device=cuda
refused 3 '--set live.device_messages: direct: live.device must be cuda, got cpu'
refused 2 '.*live.device_messages: must be one of' --set live.device_messages=some
exit $failed
