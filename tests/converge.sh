#!/bin/sh
# converge.sh -- `dtsim converge` on a tiny network and made data: a profile and a table, the same bytes
# whatever the number of processes, also after an interruption; what cannot be is refused.
#
#     converge.sh PROGRAM
program=$(readlink -f "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# converge NAME OPTION... -- leaves the profile in NAME.json
converge() {
    name=$1
    shift
    $before "$program" converge "$here/live/train.json" -o "$work/$name.json" --set live.learning_rate=0.02 \
        --batches 12,24,48,96 --seeds 2 --accuracy 0.6 --every 96 --test-samples 300 --microbatch 12 \
        --epochs 0.05 "$@" >"$work/$name.out" 2>"$work/$name.err"
}

fail() {
    echo "FAIL $*"
    failed=1
}

converge one -j 2 || { cat "$work/one.err"; exit 1; }
[ "$(grep -c '"batch":' "$work/one.json")" -eq 4 ] || fail "not four points: $(cat "$work/one.json")"
tr '\n' ' ' <"$work/one.out" | grep -q 'critical batch [0-9.]* ([0-9.]* to [0-9.]*) samples' || fail "no critical batch: $(cat "$work/one.out")"
tr '\n' ' ' <"$work/one.out" | grep -q 'Gradient noise scale at batch [0-9]*: [0-9.]* (' || fail "no noise scale: $(cat "$work/one.out")"
runs=$(grep -c '^converge: run ' "$work/one.err")
[ "$runs" -ge 24 ] || fail "$runs runs are no search"

# Over: nothing runs again, and the answer is the same.
cp "$work/one.json" "$work/again.json"
cp "$work/one.json.runs" "$work/again.json.runs"
converge again || fail "again: $(cat "$work/again.err")"
grep -q '^converge: run ' "$work/again.err" && fail "what is over ran again"
cmp -s "$work/one.out" "$work/again.out" && cmp -s "$work/one.json" "$work/again.json" || fail "again differs"

# Interrupted after some runs, and gone on with in one process.
(before=exec && converge cut -j 1) &
child=$!
runs_over() { # 0 where the file is not there yet
    cat "$work/cut.err" 2>/dev/null | grep -c '^converge: run '
}
while kill -0 $child 2>/dev/null && [ "$(runs_over)" -lt 5 ]; do sleep 0.1; done
kill $child
wait $child
[ -e "$work/cut.json" ] && fail "a profile of an interrupted search"
converge cut -j 1 || fail "cut: $(cat "$work/cut.err")"
grep -q 'over already' "$work/cut.err" || fail "an interrupted search began anew: $(cat "$work/cut.err")"
cmp -s "$work/one.json" "$work/cut.json" && cmp -s "$work/one.json.runs" "$work/cut.json.runs" &&
    cmp -s "$work/one.out" "$work/cut.out" || fail "an interrupted search ends with other bytes"

# Gradients that are late: other runs, which are kept as such.
converge late --delay 3 || fail "late: $(cat "$work/late.err")"
grep -q '"schedule": ".*; gradients 3 updates late"' "$work/late.json" || fail "late gradients are not in the profile"
grep -q '"delay": 3' "$work/late.json.runs" || fail "late gradients are not in the runs"
grep -q '"delay"' "$work/one.json.runs" && fail "gradients in time have a delay"
cmp -s "$work/one.json.runs" "$work/late.json.runs" && fail "late gradients change nothing"
grep '"run"' "$work/late.json.runs" | grep -vq '"delay": 3' && fail "some gradients are in time"

# Ranks that train alone between meetings, each with a microbatch: other runs, which are kept as such.
converge alone --local-steps 3 --outer-rate 0.7 || fail "alone: $(cat "$work/alone.err")"
grep -q '"schedule": ".*; 3 local steps of each 12 samples, outer rate 0.7"' "$work/alone.json" ||
    fail "local steps are not in the profile"
grep '"run"' "$work/alone.json.runs" | grep -vq '"local_steps": 3, *"outer_rate": 0.7' && fail "runs without local steps"
cmp -s "$work/one.json.runs" "$work/alone.json.runs" && fail "local steps change nothing"

# refused MESSAGE OPTION...
refused() {
    message=$1
    shift
    converge bad "$@"
    status=$?
    [ $status -eq 2 ] && [ "$(grep -vc '^converge: run ' "$work/bad.err")" -eq 1 ] && grep -q -e "$message" "$work/bad.err" ||
        fail "$* ends with $status: $(cat "$work/bad.err")"
}
refused '--batches: must ascend, got 12 after 24' --batches 24,12
refused '--batches: a law needs two or more' --batches 24
refused '--batches: 30 is above the microbatch, 12, and no multiple of it' --batches 12,30
refused '--accuracy: must be a number above 0 and up to 1, got "80"' --accuracy 80
refused 'no rate "linaer" (did you mean linear?)' --rate linaer
refused 'live.schedule.kind: converge: must not depend on the end' --set live.schedule.kind=cosine
refused 'live.compute: converge: must be kernels' --set 'live={"compute":"timed"}'
refused 'batch_norm' --set batch_norm=synchronized
refused 'dataset.samples: converge: must be as many as the largest' --set dataset.samples=50
refused '\-\-delay: must be a whole number from 1 to 1024' --delay 0
refused 'precision: converge: must be fp32 with --delay' --delay 2 --set precision=bf16
refused 'no folder of that name\|cannot be read\|no such' --set 'live.data={"format":"idx","folder":"/nowhere"}'
refused '0 of 4 batches reached 99.9 %' --accuracy 0.999 --rate linear --epochs 0.01
cp "$work/one.json.runs" "$work/bad.json.runs"
refused 'has the runs of another scenario or version' --set live.learning_rate=0.03
rm -f "$work/bad.json.runs"
refused 'needs -o FILE' -o -
exit $failed
