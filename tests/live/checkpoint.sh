#!/bin/sh
# checkpoint.sh -- training that was interrupted goes on as if nothing had been, to the last bit; what
# goes wrong with a checkpoint ends the run with one line, and leaves the file as it was.
#
#     checkpoint.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAIL $*"
    cat "$work/err"
    failed=1
}

# A network with dropout, which differs from step to step, and running statistics.
sed 's/{"kind": "flatten"},/{"kind": "batch_norm"}, &/' "$here/cnn.json" >"$work/cnn.json"
sed 's/"steps": 17/"steps": 7/' "$here/train.json" >"$work/train.json"

# train RANKS FILE ARGUMENT... -- ten steps in all; sets $status
train() {
    ranks=$1 file=$2
    shift 2
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$work/train.json" \
        --set "live.checkpoint={\"file\":\"$file\"}" "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# goes_on RANKS ARGUMENT... -- 20 steps have the bytes of 10 and, started again, 10
goes_on() {
    n=$1
    shift
    rm -f "$work/whole" "$work/parts"
    train "$n" "$work/whole" --set live.steps=17 "$@"
    [ $status -eq 0 ] || fail "20 steps on $n ranks $*"
    train "$n" "$work/parts" "$@"
    [ $status -eq 0 ] && ! cmp -s "$work/whole" "$work/parts" || fail "10 steps on $n ranks $*"
    train "$n" "$work/parts" --set live.steps=17 "$@"
    grep -q "goes on after step 10 of 20" "$work/err" || fail "the run goes on: $n ranks $*"
    cmp -s "$work/whole" "$work/parts" || fail "the same bytes: $n ranks $*"
}
goes_on 1 --set optimizer=adam
goes_on 2 --set batch_norm=synchronized
goes_on 2
goes_on 3 --set 'strategies=[{"kind":"ps","servers":1}]'
goes_on 3 --set 'strategies=[{"kind":"ps","servers":1}]' --set precision=bf16 --set device=a100_40gb
goes_on 3 --set 'strategies=[{"kind":"hybrid","servers":1,"density":0.8}]' --set model="$here/words.json"
goes_on 2 --set precision=fp16 --set device=a100_40gb --set live.loss_scale=16777216
train 2 "$work/often" --set live.steps=17 --set live.checkpoint.every_steps=6
goes_on 2 # leaves `whole` and `parts` of two ranks
cmp -s "$work/often" "$work/whole" || fail "checkpoints on the way change nothing"
train 2 "$work/parts" --set live.steps=17
[ $status -eq 0 ] && cmp -s "$work/whole" "$work/parts" || fail "a training that is complete stays"

# refused WHAT WORDS [ARGUMENT...] -- the checkpoint "bad" is refused, and stays as it is
refused() {
    what=$1 words=$2
    shift 2
    cp "$work/bad" "$work/before"
    train 2 "$work/bad" --set live.steps=17 "$@"
    [ $status -eq 2 ] && [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] &&
        grep -q "bad: .*$words" "$work/err" && cmp -s "$work/bad" "$work/before" ||
        fail "$what (status $status)"
}
head -c 15000 "$work/whole" >"$work/bad"
refused "a truncated checkpoint" "is truncated"
head -c 30 "$work/whole" >"$work/bad"
refused "a checkpoint without a head" "is truncated"
{ head -c 9000 "$work/whole"; printf 'x'; tail -c +9002 "$work/whole"; } >"$work/bad"
refused "a damaged checkpoint" "is damaged"
echo "no checkpoint" >"$work/bad"
refused "another file" "is no checkpoint"
rm "$work/bad"
mkfifo "$work/bad"
train 2 "$work/bad"
[ $status -eq 2 ] && grep -q "bad: cannot be read: it is no file" "$work/err" ||
    fail "a pipe is refused, not waited for (status $status)"
rm "$work/bad"
cp "$work/whole" "$work/bad"
refused "another training" 'it has "seed 1", this one "seed 2"' --set seed=2
refused "other statistics" 'this one "batch_norm synchronized"' --set batch_norm=synchronized
refused "a longer training" "is after 20 steps, and this training has 10" --set live.steps=7
refused "another model" 'it has "model cnn' --set model="$here/cnn.json"

"$here/mpirun.sh" 2 "$here/by_rank.sh" "$bin/dtsim" --live "$work/train.json" -- \
    "$bin/dtsim" --live "$work/train.json" --set live.learning_rate=0.1 >"$work/out" 2>"$work/err"
[ $? -eq 2 ] && [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] &&
    grep -q "rank 1 trains otherwise than rank 0" "$work/err" || fail "ranks that train otherwise"

train 2 "$work/none/c"
[ $status -eq 2 ] && grep -q "none/c: cannot be written: No such file" "$work/err" &&
    ! grep -q "training" "$work/err" || fail "a folder that is missing is told before training"

# A full disk: as root a small file system; the checkpoint of step 10 stays.
mkdir "$work/full"
if mount -t tmpfs -o size=64k none "$work/full" 2>/dev/null; then
    train 2 "$work/full/c"
    cp "$work/full/c" "$work/before"
    head -c 32768 /dev/zero >"$work/full/other"
    train 2 "$work/full/c" --set live.steps=17
    [ $status -eq 1 ] && [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] &&
        grep -q "full/c: cannot be written: No space left" "$work/err" || fail "a full disk is told"
    cmp -s "$work/full/c" "$work/before" || fail "a full disk keeps the checkpoint before"
    [ "$(ls "$work/full")" = "c
other" ] || fail "a full disk leaves nothing beside: $(ls "$work/full")"
    rm "$work/full/other"
    train 2 "$work/full/c" --set live.steps=17
    cmp -s "$work/full/c" "$work/whole" || fail "with room again the run goes on"
else
    echo "skip a full disk: needs root"
fi

# A killed rank: the others end, and the run goes on from the last checkpoint.
: >"$work/err"
DTSIM_MPI_KILL_SECONDS=1 DTSIM_MPI_TRIES=1 "$here/mpirun.sh" 2 "$bin/dtsim" --live "$work/train.json" --set live.steps=999990 \
    --set "live.checkpoint={\"file\":\"$work/killed\",\"every_steps\":20}" >"$work/out" 2>"$work/err" &
started=$!
for _ in $(seq 600); do [ -s "$work/killed" ] && break; sleep 0.1; done
rank=$(ps -eo pid=,args= | awk -v w="$work/train.json" 'index($0, w) && !/mpirun/ {print $1}' | tail -n 1)
kill -KILL "$rank"
for _ in $(seq 300); do kill -0 $started 2>/dev/null || break; sleep 0.1; done
kill -0 $started 2>/dev/null && fail "a killed rank ends all within half a minute"
[ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -le 1 ] && [ -s "$work/err" ] || fail "a killed rank is one line"
cp "$work/killed" "$work/before"
train 2 "$work/killed" --set live.steps=999990 --set live.epochs=1
grep -q "goes on after step [0-9]*[02468]0 of 2500" "$work/err" && [ $status -eq 0 ] ||
    fail "after a killed rank the run goes on (status $status)"

[ $failed -eq 0 ] && echo "all passed"
exit $failed
