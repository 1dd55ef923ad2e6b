#!/bin/sh
# data.sh -- training on files: n ranks get the weights and the scores of one rank, epoch after epoch;
# what is wrong with a file ends the run with one line.
#
#     data.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAIL $*"
    cat "$work/err"
    failed=1
}

# images COUNT, labels COUNT -- IDX files of 14 x 14 pixels: a bright row for each class, on noise that
# repeats.
images() {
    LC_ALL=C awk -v n="$1" 'BEGIN {
        printf "%c%c%c%c%c%c%c%c", 0, 0, 8, 3, 0, 0, n / 256, n % 256
        printf "%c%c%c%c%c%c%c%c", 0, 0, 0, 14, 0, 0, 0, 14
        x = 1
        for (i = 0; i < n; i++) for (r = 0; r < 14; r++) for (c = 0; c < 14; c++) {
            x = (x * 1103 + 12345) % 65536
            printf "%c", (r == i % 10) * 120 + x % 100
        }
    }'
}
labels() {
    LC_ALL=C awk -v n="$1" 'BEGIN {
        printf "%c%c%c%c%c%c%c%c", 0, 0, 8, 1, 0, 0, n / 256, n % 256
        for (i = 0; i < n; i++) printf "%c", i % 10
    }'
}

set=$work/set
mkdir "$set"
images 250 >"$set/train-images-idx3-ubyte"
labels 250 >"$set/train-labels-idx1-ubyte"
images 50 | gzip >"$set/t10k-images-idx3-ubyte.gz"
labels 50 | gzip >"$set/t10k-labels-idx1-ubyte.gz"

# train RANKS ARGUMENT... -- sets $status; the result in $work/out as JSON
train() {
    ranks=$1
    shift
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$here/train.json" --format json \
        --set 'live.data={"format":"idx"}' --set "live.data.folder=$set" --set dataset.samples=250 \
        --set live.steps=2 --set live.warm_up=1 --set live.epochs=3 "$@" >"$work/out" 2>"$work/err"
    status=$?
}

# scores FILE -- epoch, losses, accuracy of each epoch
scores() {
    grep -o '"epoch": [0-9][^}]*' "$1" | sed 's/, "time_s".*//; s/"[a-z_]*": //g; s/,//g'
}

# alike A B -- the same scores, but for the order of sums
alike() {
    scores "$1" >"$work/a"
    scores "$2" | paste "$work/a" - | awk '
        NF != 10 { exit 1 }
        { for (i = 1; i <= 5; i++) { d = $i - $(i + 5); if (d * d > 1e-8 * $i * $i) exit 1 } n++ }
        END { exit n != 3 }'
}

train 1
[ $status -eq 0 ] || fail "one rank trains on files"
cp "$work/out" "$work/one"
scores "$work/one" | tail -n 1 | awk '{ exit !($5 >= 0.9) }' || fail "it learns: $(cat "$work/one")"
for ranks in 2 3; do
    train $ranks
    alike "$work/out" "$work/one" || fail "$ranks ranks get the scores of one: $(scores "$work/out")"
done
train 1 --set live.threads=2
alike "$work/out" "$work/one" || fail "two threads get the scores of one"
train 3 --set 'strategies=[{"kind":"ps","servers":1}]'
alike "$work/out" "$work/one" || fail "a server and two workers get the scores of one"
train 1 --format csv
grep -A 3 '^strategy,epoch,steps,train_loss,test_loss,accuracy,mean_iou,time_s$' "$work/out" |
    awk -F, 'NR > 1 && !($1 == "ring" && $2 == NR - 1 && $6 > 0 && $7 == "") { exit 1 } END { exit NR != 4 }' ||
    fail "CSV has the training table: $(cat "$work/out")"
[ "$(grep -c mean_iou "$work/one")" -eq 0 ] || fail "there are no regions"

# A class for each pixel: how regions overlap, as sums over all ranks.
overlap() {
    train "$@" --set model="$here/regions.json" --set 'live.data={"format":"made"}' \
        --set live.learning_rate=0.5
    grep -o '"mean_iou": [0-9.e-]*' "$work/out" >"$work/overlap"
}
# Roundings may turn a pixel or two of 900.
as_alone() {
    paste "$work/overlap" "$work/alone" |
        awk '{ d = $2 - $4; if (NF != 4 || d * d > 2.5e-5) exit 1 } END { exit NR != 3 }'
}
overlap 1
cp "$work/overlap" "$work/alone"
awk '!($2 > 0 && $2 < 1) { exit 1 } END { exit NR != 3 }' "$work/alone" ||
    fail "regions overlap: $(cat "$work/alone")"
for ranks in 2 3; do
    overlap $ranks
    as_alone || fail "$ranks ranks get the overlap of one: $(cat "$work/overlap")"
done
overlap 3 --set 'strategies=[{"kind":"ps","servers":1}]'
as_alone || fail "a server and two workers get the overlap of one"
train 2 --set batch.accumulate=3 --set 'live.schedule={"kind":"cosine","warm_up_epochs":0.5}'
[ $status -eq 0 ] && ! alike "$work/out" "$work/one" || fail "a schedule changes what is learned"

# every line of the log is JSON behind its mark, and intervals begin and end in order
train 2 --set live.mllog="$work/log"
[ $status -eq 0 ] || fail "a log is written"
sed 's/^:::MLLOG {"namespace": "", "time_ms": [0-9]*, "event_type": "[A-Z_]*", "key": "\([a-z_]*\)", "value": .*, "metadata": {.*}}$/\1/' \
    "$work/log" >"$work/keys"
grep 'start\|stop\|eval_acc' "$work/keys" | tr '\n' ' ' >"$work/order"
epoch="epoch_start epoch_stop eval_start eval_accuracy eval_stop"
[ "$(cat "$work/order")" = "init_start init_stop run_start $epoch $epoch $epoch run_stop " ] ||
    fail "the log has: $(cat "$work/keys")"
grep -q '"key": "train_samples", "value": 250,' "$work/log" || fail "the log tells the samples"
grep -q '"key": "eval_accuracy", "value": 1, "metadata": {"epoch_num": 3}' "$work/log" ||
    fail "the log tells the accuracy"
train 2 --set live.mllog="$work/none/log"
[ $status -eq 2 ] || fail "a log that cannot be written is refused"

# refused WHAT WORDS -- it ended with one line that has these words, status 2, and no result
refused() {
    [ $status -eq 2 ] && [ "$(grep '^dtsim: ' "$work/err" | grep -vc 'ranks of a node have')" -eq 1 ] &&
        grep -q "$2" "$work/err" && [ ! -s "$work/out" ] ||
        fail "$1 is refused (status $status)"
}
train 2 --set dataset.samples=300
refused "an epoch longer than the file" "300 are more than the 250 training images"
head -c 20000 "$set/train-images-idx3-ubyte" >"$work/cut"
mv "$set/train-images-idx3-ubyte" "$work/whole"
mv "$work/cut" "$set/train-images-idx3-ubyte"
train 2
refused "a truncated data set" "can hold\|is truncated"
{ printf '\0\0\10\3\377\377\377\377'; tail -c +9 "$work/whole"; } >"$set/train-images-idx3-ubyte"
train 2
refused "a header that lies" "its header promises"
{ head -c 8 "$work/whole"; printf '\0\0\0\34\0\0\0\7'; tail -c +17 "$work/whole"; } >"$set/train-images-idx3-ubyte"
train 2
refused "a header of another shape" "has images of 28 x 7, and"
cp "$work/whole" "$set/train-images-idx3-ubyte"
for key in mllog weights checkpoint.file; do
    train 1 --set live.$key="$set/train-images-idx3-ubyte"
    refused "live.$key in the place of the data" "must be another file than what is read"
done
train 1 -o "$set/train-labels-idx1-ubyte"
refused "a result in the place of the data" "must be another file than what is read"
cmp -s "$work/whole" "$set/train-images-idx3-ubyte" || fail "the data are as they were"
both='[{"kind":"allreduce","algorithm":"ring"},{"kind":"allreduce","algorithm":"tree"}]'
for key in mllog weights; do
    train 2 --set live.$key="$work/kept" --set "strategies=$both"
    refused "live.$key of two strategies" "live.$key: is for a scenario with one strategy, this has 2"
done
train 2 --set 'strategies=[{"kind":"collective","algorithm":"ring","bytes":1000}]'
refused "training that does not compute" "has nothing to compute: live.compute must be timed"
printf '\037\213\010\000\000\000\000\000\000\003broken in the middle' >"$set/train-images-idx3-ubyte"
train 2
refused "a broken gzip" "train-images-idx3-ubyte: cannot be read: [^<]*$"
cp "$work/whole" "$set/train-images-idx3-ubyte"
train 2 --set live.data.folder=null
refused "no folder" "[-]-set live.data.folder: missing"
train 2 --set dataset.samples=20
grep -q "^dtsim: --set dataset.samples: a step has 24" "$work/err" ||
    fail "an epoch shorter than a step is refused (status $status)"

# A folder that the scenario names is beside it, one that the command line names where the person is.
cp "$here/cnn.json" "$work"
sed 's|"live": {|&"data": {"format": "idx", "folder": "set"}, |; s/"samples": 60000/"samples": 250/' \
    "$here/train.json" >"$work/beside.json"
few="--set live.steps=2 --set live.warm_up=1"
elsewhere() {
    folder=$1
    shift
    # shellcheck disable=SC2086 # a list of words
    (cd "$folder" && "$here/mpirun.sh" 2 "$bin/dtsim" --live "$work/beside.json" $few "$@") >"$work/out" 2>"$work/err"
    status=$?
}
elsewhere /
[ $status -eq 0 ] || fail "a folder is relative to the scenario that names it"
mkdir "$work/away"
elsewhere "$work/away" --set live.data.folder=../set
[ $status -eq 0 ] || fail "a folder of --set is relative to the current one"
elsewhere "$work/away" --set 'live={"compute":"kernels","data":{"format":"idx","folder":"../set"},"steps":2}'
[ $status -eq 0 ] || fail "a folder in a value of --set is, too"
elsewhere "$work/away" --set live.data.folder=set
refused "a folder that is elsewhere" "away/set: there is no such folder (Debian.s package dataset-fashion-mnist"

rm "$set/train-images-idx3-ubyte"
mkfifo "$set/train-images-idx3-ubyte"
train 2
refused "a pipe" "train-images-idx3-ubyte: cannot be read: it is no file"
rm "$set/train-images-idx3-ubyte"
train 2
refused "a missing file" "set: has no train-images-idx3-ubyte, plain or .gz, .*; there is: t10k-images-idx3-ubyte.gz, t10k-lab"

[ $failed -eq 0 ] && echo "all passed"
exit $failed
