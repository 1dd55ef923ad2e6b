#!/bin/sh
# program.sh -- dtsim --live as a person starts it: what it prints, and how it ends when something is
# wrong. Each end comes within seconds, with one line of ours.
#
#     program.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$here/../golden" || exit 2
# What this test started has its mark: other tests may run dtsim --live meanwhile.
export DTSIM_TEST_MARK="$work"
. "$here/../check.sh"
shown() { cat "$work/out" "$work/err"; }

# live RANKS ARGUMENT... -- sets $status
live() {
    ranks=$1
    shift
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$@" >"$work/out" 2>"$work/err"
    status=$?
}
says() { grep -q "$1" "$work/err"; }
# mpirun may end before it has handed on what a rank said while it was ended.
at_most_one_line() { [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -le 1 ] && [ -s "$work/err" ]; }
# Beside what is said of too few cores: that depends on the machine.
lines() { [ "$(grep '^dtsim: ' "$work/err" | grep -vc '^dtsim: note: [0-9]* ranks of a node have')" -eq "$1" ]; }

few="--set live.steps=3 --set live.warm_up=1"
# shellcheck disable=SC2086 # lists of words, here and below
live 2 in/small.json $few --format json
check "two ranks run" test $status -eq 0
for word in '"schema": "dtsim-result/1"' '"devices": 2' '"live": {' '"predicted": {"total_s"' \
    '"measured": {"total_s"' '"mad_s"' '"exposed_comm_s"' '"error_percent"' '"buckets": \[' \
    '"sums_checked"'; do
    check "the result has $word" grep -q "$word" "$work/out"
done
live 3 in/small.json $few --set 'strategies=[{"kind":"ps","servers":1,"placement":"dedicated"}]'
check "a server and two workers run" test $status -eq 0
check "a table is printed" grep -q "exposed comm" "$work/out"
live 2 in/small.json $few --trace "$work/t.json" --format csv -o "$work/r.csv"
check "a measured timeline is written" test -s "$work/t.measured.json"
check "a predicted timeline is written" test -s "$work/t.json"
check "a table is written as CSV" grep -q "^ring,exposed_comm," "$work/r.csv"

# A slow worker is planted: the step is as long as its kernels, in the prediction and in the run.
second_of() { # NAME OF-WHAT: of the predicted or the measured step
    grep "\"$2\": {" "$work/out" | grep -o "\"$1\": [-0-9.e]*" | head -n 1 | sed 's/.*: //'
}
slow_step() {
    awk -v p="$(second_of total_s predicted)" -v m="$(second_of total_s measured)" -v c="$kernels" \
        'BEGIN { exit !(c > 0 && p > 60 * c && p < 110 * c && m > 0.97 * p) }'
}
live 2 in/small.json $few --format json
kernels=$(second_of compute_s predicted)
live 2 in/small.json $few --format json --set 'slow_workers={"factor":100,"workers":[1]}'
check "a slow worker is planted" slow_step

# What is wrong on the line is said once, not by every rank.
once() { [ "$status" -eq 2 ] && lines 1 && says "$1"; }
calibrate() {
    "$here/mpirun.sh" 3 "$bin/dtsim" calibrate "$@" >"$work/out" 2>"$work/err"
    status=$?
}
live 3 in/small.json --sett live.steps=3
check "an unknown option is told once" once "^dtsim: no option \"--sett\""
live 3 in/small.json --set
check "an option without its value is told once" once "^dtsim: --set: needs a value"
live 3
check "no scenario is told once" once "^dtsim: --live: runs one scenario, got 0"
live 3 check in/small.json
check "a command that does not run is told once" once "^dtsim: --live: goes with a scenario, not with .dtsim check.$"
live 3 in/small.json --engine none
check "an engine that is not there is told once" once "engine"
live 3 in/smal.json
check "a missing scenario is told once" once "no such file: in/smal.json"
calibrate foo
check "calibrate takes no words" once '^dtsim: calibrate: takes no words, got "foo"$'
calibrate --set nodes=2
check "calibrate takes no --set" once "^dtsim: calibrate: takes no --set$"
calibrate --format csv
check "calibrate takes no --format" once "^dtsim: calibrate: takes no --format$"
calibrate --sett nodes=2
check "calibrate's unknown option is told once" once "^dtsim: no option \"--sett\""
live 2 "$here/train.json" --set live.weights=
check "an empty name has its key" once "^dtsim: live.weights: must name a file$"
live 2 "$here/train.json" --set 'live.data={"format":"idx","folder":""}'
check "an empty folder has its key" once "^dtsim: --set live.data.folder: must name a folder$"

# Ranks that a launcher of another MPI started: each is alone. Debian's Open MPI starts one rank by itself.
alone() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 env "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}
found_none="started 2 ranks .*, and each found itself alone: dtsim-live is built with .* and needs its mpirun, or srun --mpi=pmix$"
alone PMI_SIZE=2 PMI_RANK=0 "$bin/dtsim" --live in/small.json
check "ranks of MPICH's launcher are told" once "^dtsim: --live: a launcher with PMI .* $found_none"
alone PMI_SIZE=2 PMI_RANK=0 "$bin/dtsim" calibrate
check "ranks of MPICH's launcher are told by calibrate" once "^dtsim: calibrate: a launcher with PMI .* $found_none"
alone SLURM_NTASKS=2 SLURM_PROCID=0 "$bin/dtsim" --live in/small.json
check "ranks of srun are told" once "^dtsim: --live: srun $found_none"
alone PMI_SIZE=2 PMI_RANK=1 "$bin/dtsim" --live in/small.json
check "one of them alone tells" test $status -eq 2 -a ! -s "$work/err"
alone "$bin/dtsim" --live in/small.json $few
check "one rank that nobody started runs where the scenario has one device" test $status -eq 0
alone "$bin/dtsim" --live in/small.json --set 'devices=[2]'
check "it does not run where the scenario has two" once "devices: has 2, and one rank runs, which no mpirun started: mpirun -n 2"
live 3 in/small.json $few
check "devices that are not run are told" says "^dtsim: note: in/small.json: devices: has 1, 2, 4, and 3 ranks run, with 3 devices$"
live 2 in/small.json $few
check "devices that are run are no note" lines 0
"$here/mpirun.sh" 2 --bind-to core --cpu-list 0,0 "$bin/dtsim" --live in/small.json $few --format json \
    >"$work/out" 2>"$work/err"
check "ranks that share a core are told" says "^dtsim: note: 2 ranks of a node have 1 core between them: "
check "ranks that share a core are in the result" grep -q '"node_cores": 1,' "$work/out"
live $(($(nproc) + 1)) in/small.json $few
check "more ranks than cores are told" grep -q "ranks of a node had $(nproc) cores* between them" "$work/out"
live 3 in/small.json $few --set 'strategies=[{"kind":"collective","collective":"broadcast","bytes":1e6}]' --format json
check "a collective alone runs" test $status -eq 0
for parts in '"alltoall"' '"alltoall","algorithm":"mpi"' '"shift"'; do
    live 3 in/small.json $few --set "strategies=[{\"kind\":\"collective\",\"collective\":$parts,\"bytes\":1e6}]" --format json
    check "$parts alone runs" test $status -eq 0
    check "$parts alone is verified" grep -q '"sums_checked": 250000' "$work/out"
done

# What would have no effect is refused, or named where the command line has turned it off.
live 2 in/small.json --set live.epochs=2
check "epochs of what does not train" once "^dtsim: --set live.epochs: has no effect where live.compute is timed: it needs kernels$"
live 2 in/small.json --set live.device=cuda
check "a device of what does not train" once "^dtsim: --set live.device: has no effect where live.compute is timed"
live 2 "$here/train.json" --set live.checkpoint.every_steps=2
check "checkpoints without a file" once "live.checkpoint.every_steps: has no effect without live.checkpoint.file$"
live 2 "$here/train.json" --set live.data.folder=/tmp
check "a folder of made data" once "live.data.folder: has no effect where live.data.format is made: it needs idx$"
live 2 "$here/train.json" --set 'live.schedule={"kind":"cosine","factor":0.5}'
check "a factor of a cosine" once "live.schedule.factor: has no effect where live.schedule.kind is cosine: it needs step or exponential$"
live 2 "$here/train.json" --set 'live.schedule={"warm_up":"constant"}'
check "a warm-up of no epochs" once "live.schedule.warm_up: has no effect without live.schedule.warm_up_epochs$"
live 2 "$here/train.json" --set 'live.schedule={"warm_up":"constant","warm_up_epochs":1}'
check "a warm-up at no rate" once "live.schedule.warm_up_from: must be > 0 where warm_up is constant$"
live 2 "$here/train.json" $few --set live.compute=timed
check "a scenario that is replayed runs" test $status -eq 0
check "what it does not use is a note" says "^dtsim: note: .*train.json: not used: live.learning_rate$"
check "one note" lines 1

# What cannot be written is told before the work, which would take hours.
cp "$here/cnn.json" "$here/train.json" "$work"
long="--set live.epochs=1000"
live 2 "$work/train.json" $long --set live.weights="$work/none/x"
check "weights in no folder are told" says "none/x: cannot be written: No such file"
check "weights in no folder are status 2" test $status -eq 2
live 2 "$work/train.json" $long --set live.mllog="$work/../${work##*/}/x" --trace "$work/x"
check "a log is no timeline" says "live.mllog: must be another file than --trace, got"
live 2 "$work/train.json" $long --trace "$work/x" -o "$work/x.measured.json"
check "the measured timeline is no result" says "the measured --trace: must be another file than --output"
live 2 "$work/train.json" $long --set live.weights=w.f32 --set live.checkpoint.file=./w.f32
check "weights are no checkpoint" says "live.weights: must be another file than live.checkpoint.file"
"$here/mpirun.sh" 2 "$bin/dtsim" calibrate -o "$work/none/x" >"$work/out" 2>"$work/err"
check "a platform in no folder is told" says "none/x: cannot be written: No such file"

# A profile that was made at a pace that no processor has.
sed 's/"pace_s": [0-9.e-]*/"pace_s": 1/' "$here/../../profiles/xeon_amx_1thread.json" >"$work/slow.json"
live 2 "$here/train.json" $few --set device="$work/slow.json"
if ! says "this build has no"; then
    check "a profile of another pace is told" grep -q "took it 1e+06 us when it was profiled" "$work/out"
    # And one that was made for other runs; then one for this machine.
    sed 's/"threads": 1,/"threads": 3,/; s/"device": "cpu:0, .*",/"device": "cpu:0, no processor",/' \
        "$work/slow.json" >"$work/other.json"
    live 2 "$here/train.json" $few --set device="$work/other.json"
    wanted="profile was made with 3 threads, and each rank computes with 1; on cpu, no processor, and 2 of 2 ranks"
    tr -s ' \n' '  ' <"$work/out" >"$work/words"
    check "a profile of other threads and another processor is told" grep -q "$wanted" "$work/words"
    live 2 "$here/train.json" $few --set device="$work/other.json" --format json
    check "it is told as JSON" grep -q '"profile_differs": "with 3 threads, and .*; on cpu, no processor, and 2 of 2' \
        "$work/out"
    name=$(sed -n 's/^ *"device": "cpu, \(.*\)",*$/\1/p' "$work/out")
    sed "s/\"threads\": 3,/\"threads\": 1,/; s/no processor/$name/" "$work/other.json" >"$work/here.json"
    live 2 "$here/train.json" $few --set device="$work/here.json"
    check "a profile of this processor is none of another" sh -c "! grep -q 'profile was made' '$work/out'"
    live 2 "$here/train.json" $few --set device="$work/here.json" --set live.threads=2
    check "as many threads as a rank has count" grep -q "made with 1 thread, and each rank computes with 2" "$work/out"
    live 2 "$here/train.json" $few --set device="$work/other.json" --set live.compute=timed
    check "kernels that are waited for are of any profile" sh -c "! grep -q 'profile was made' '$work/out'"

    live 2 "$here/train.json" $few --format json
    check "the pace of all ranks is told" grep -Eq '"pace_s": [0-9.]+(e-[0-9]+)?,$' "$work/out"
    check "without a profile none is" sh -c "! grep -q profile_pace_s '$work/out'"

    # Sums are checked before the run: kernels that were predicted to be slow are not waited for there.
    sed 's/"call_s": 2e-05/"call_s": 1/' "$here/../../devices/knl7230.json" >"$work/slow.json"
    DTSIM_MPI_TRIES=1 live 2 "$here/train.json" $few --set device="$work/slow.json" --set batch.accumulate=2
    check "the check of sums does not wait" test $status -eq 0

    # What cannot be written in the end leaves the results, which took hours, as they are.
    for key in mllog weights; do
        live 2 "$work/train.json" --set live.$key=/dev/full -o "$work/r.json" --format json
        check "a full disk for live.$key is told" says "^dtsim: /dev/full: cannot be written: No space left"
        check "a full disk for live.$key is one line" lines 1
        check "a full disk for live.$key is status 1" test $status -eq 1
        check "a full disk for live.$key leaves the result" grep -q '"measured": {"total_s"' "$work/r.json"
        rm -f "$work/r.json"
    done
    live 2 "$work/train.json" --set live.weights=/dev/full
    check "a full disk leaves the table" grep -q "exposed comm" "$work/out"
    live 2 "$work/train.json" -o /dev/full
    check "a full disk for the result is status 1" test $status -eq 1
    check "a full disk for the result is one line" lines 1
    both='[{"kind":"allreduce","algorithm":"ring"},{"kind":"ps","servers":1}]'
    live 2 "$work/train.json" --set "strategies=$both" --set precision=fp16 --set device=a100_40gb
    check "a strategy that fails leaves the one before" grep -q "exposed comm" "$work/out"
    check "a strategy that fails is status 3" test $status -eq 3
    check "a strategy that fails is one line" lines 1
    check "a strategy that fails is in the table" grep -q "fp16 leaves out steps" "$work/out"
fi

echo '{"summary": "measured by dtsim calibrate: before"}' >"$work/here.json" # which it may write anew
DTSIM_MPI_SECONDS=200 "$here/mpirun.sh" 2 "$bin/dtsim" calibrate -o "$work/here.json" >"$work/out" 2>"$work/err"
check "two ranks are calibrated" test $? -eq 0
check "a calibration tells how far it is" says "^dtsim: [0-9]* s, measuring .* \.\.\.$"
check "it tells what it found" says "^dtsim: calibrated 1 node x 2 ranks in [0-9]* s$"
check "it tells how sure it is" says "^  on one node    latency .* us, .* GB/s a rank .*, within +-[0-9]* % ([0-9]* sweeps)$"
check "the platform has its spread" grep -q '"spread_percent": [0-9.]*,$' "$work/here.json"
# Where it is not sure it says so.
awk '/"spread_percent"/ { exit !($2 + 0 < 10) }' "$work/here.json" || check "it tells that it is not sure" \
    says "^dtsim: note: messages on one node scatter by +-[0-9]* % after [0-9]* sweeps, not below 10: "
"$bin/dtsim" in/small.json --set platform="$work/here.json" --set 'devices=[2]' \
    --set device=v100 >"$work/out" 2>"$work/err"
check "the simulator accepts what was calibrated" test $? -eq 0
check "the port of one node alone, which nothing uses, is no slow one" sh -c "! grep -q slot '$work/err'"
compute() {
    "$bin/dtsim" in/small.json --set platform="$work/here.json" --set 'devices=[2]' --set device=v100 \
        --set stack=none --set 'strategies=[{"kind":"allreduce","algorithm":"ring","bucket_bytes":0}]' \
        --set platform.node.compute="$1" --format json | awk -F: '/"compute_s"/ {print $2 + 0; exit}'
}
check "kernels take as much longer as the platform says" awk "BEGIN {
    r = $(compute '{"together":[1,3],"communicating":0}') / $(compute '{"together":[1],"communicating":0}')
    exit !(r > 2.99 && r < 3.01) }"
check "messages slow kernels down as the platform says" awk "BEGIN {
    exit !($(compute '{"communicating":2}') > $(compute '{}')) }"
"$here/mpirun.sh" 1 "$bin/dtsim" calibrate >"$work/out" 2>"$work/err"
check "one rank cannot be calibrated" says "needs at least 2 ranks"
cp in/platform.json "$work/by_hand.json"
"$here/mpirun.sh" 2 "$bin/dtsim" calibrate -o "$work/by_hand.json" >"$work/out" 2>"$work/err"
check "calibrate overwrites no file that it did not write" says "by_hand.json: is there already, and is no file of dtsim"
check "and leaves it as it was" cmp -s in/platform.json "$work/by_hand.json"

live 2 in/missing.json
check "a missing file is status 2" test $status -eq 2
check "a missing file is one line" lines 1
live 1 in/small.json --set 'strategies=[{"kind":"ps","servers":1,"placement":"dedicated"}]'
check "one rank cannot be worker and server" says "has no plan for 1 rank; there is one for 2$"
live 2 in/small.json --set device=v100 --set precision=fp16
check "half precision is run" test $status -eq 0
live 2 in/small.json --set device=a100_40gb --set stack=none --set precision=fp64 $few
check "double precision runs" test $status -eq 0
live 2 in/small.json --sweep steps=2,3
check "a sweep is refused" says "has no --sweep"

sed 's/"per_device": 4/"per_device": 8/; s/"ring"/"tree"/' in/small.json >"$work/other.json"
sed -i 's#"\(model\|platform\|stack\)": "#&'"$PWD"'/in/#' "$work/other.json"
"$here/mpirun.sh" 2 "$here/by_rank.sh" "$bin/dtsim" --live in/small.json $few -- \
    "$bin/dtsim" --live "$work/other.json" $few >"$work/out" 2>"$work/err"
status=$?
check "different scenario files are status 2" test $status -eq 2
check "different scenario files are one line" lines 1
check "different scenario files are told" says "rank 1 has another plan"

"$here/mpirun.sh" 2 "$here/by_rank.sh" "$bin/dtsim" --live in/small.json $few -- \
    "$bin/dtsim" --live in/small.json $few --set live.compute=kernels >"$work/out" 2>"$work/err"
status=$?
check "ranks that compute otherwise are status 2" test $status -eq 2
check "and told in one line" lines 1

for engine in "--engine exact" "--set engine=exact"; do
    live 2 in/small.json $engine --set live.compute=kernels --set live.steps=1000000 \
        --set 'platform.node.compute={"messages":0.5}'
    check "what exact cannot predict is refused before the run ($engine)" test $status -eq 2
    check "and why ($engine)" says "node.compute.messages: the engine exact cannot slow messages down"
    check "in one line ($engine)" lines 1
done

# What a run is held against was predicted before it: files may be edited or removed meanwhile.
mkdir "$work/early"
cp in/*.json "$work/early"
DTSIM_MPI_TRIES=1 DTSIM_MPI_SECONDS=200 "$here/mpirun.sh" 2 "$bin/dtsim" --live "$work/early/small.json" --set live.steps=300 \
    --trace "$work/early/t" >"$work/out" 2>"$work/err" &
started=$!
for _ in $(seq 600); do
    [ -s "$work/early/t" ] && break
    sleep 0.1
done
rm "$work/early/small.json" "$work/early/platform.json"
sed -i 's/"layers"/"broken"/' "$work/early/model.json"
wait $started
check "files that are gone after the begin are not missed" test $? -eq 0
check "nor is the table" grep -q "exposed comm" "$work/out"

# ours PATTERN -- the processes with our mark whose line has it. A shell that set the mark lacks it.
ours() {
    grep -lszxF "DTSIM_TEST_MARK=$work" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
        tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -F "$1" | grep -qv mpirun && echo "$pid"
    done
}

# begin ARGUMENT... -- in the background; returns when both ranks run and have a handler for Ctrl-C.
begin() {
    : >"$work/err"
    DTSIM_MPI_KILL_SECONDS=5 DTSIM_MPI_TRIES=1 "$here/mpirun.sh" 2 "$bin/dtsim" --live in/small.json --set live.steps=1000000 "$@" \
        >"$work/out" 2>"$work/err" &
    started=$!
    for _ in $(seq 600); do
        ranks=$(ours "$bin/dtsim --live")
        [ "$(echo "$ranks" | wc -w)" -eq 2 ] && catch_int $ranks && break
        sleep 0.1
    done
    sleep 0.2
}
# catch_int PID... -- each has a handler for Ctrl-C, which a rank sets once it is one: bit 1 of the mask
catch_int() {
    for pid in "$@"; do
        caught=$(sed -n 's/^SigCgt:.*\(.\)$/\1/p' "/proc/$pid/status" 2>/dev/null)
        case $caught in
        [2367abef]) ;;
        *) return 1 ;;
        esac
    done
}
# ended -- within half a minute: some tenths of a second where cores are free.
ended() {
    for _ in $(seq 300); do
        kill -0 $started 2>/dev/null || return 0
        sleep 0.1
    done
    kill $started
    return 1
}
begin
kill -KILL "$(echo "$ranks" | tail -n 1)"
check "a killed rank ends all" ended
check "a killed rank is one line of ours" at_most_one_line
begin
pkill -INT -P "$(pgrep -P $started timeout)" # mpirun, or what it became
check "Ctrl-C ends all" ended
check "Ctrl-C is one line of ours" at_most_one_line
check "nothing is left running" test -z "$(ours "$bin/dtsim")"

# A run that is ended while it predicts leaves no files of the prediction, and nobody who predicts.
mkdir "$work/scratch"
TMPDIR=$work/scratch DTSIM_MPI_KILL_SECONDS=5 DTSIM_MPI_TRIES=1 "$here/mpirun.sh" 2 "$bin/dtsim" --live summit_27k --engine exact \
    --set devices=2 --set 'strategies=[{"kind":"allreduce","algorithm":"ring","bucket_bytes":0}]' \
    --set steps=10000 >"$work/out" 2>"$work/err" &
started=$!
for _ in $(seq 600); do
    ls "$work/scratch" | grep -q dtsim_live && break
    sleep 0.1
done
pkill -TERM -P "$(pgrep -P $started timeout)"
check "SIGTERM ends a prediction" ended
check "and its files go" test -z "$(ls "$work/scratch" | grep dtsim_live)"

checked
