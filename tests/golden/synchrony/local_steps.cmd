# Weights every so many steps, pairs, gradients of the step before: a step is a mean over a round, and what it takes to
# a target is not known but by a profile that was measured so.
small() { dtsim in/small.json --set model=resnet50 --set devices=4 --engine flow --set noise=false "$@"; }
small --set 'strategies=[{"kind":"allreduce"},{"kind":"allreduce","local_steps":1},{"kind":"allreduce","local_steps":4},{"kind":"allreduce","local_steps":4,"outer_rate":0.7},{"kind":"allreduce","local_steps":4,"local_after":100},{"kind":"allreduce","local_steps":2,"average":"pairs"},{"kind":"allreduce","local_steps":2,"average":"asynchronous_pairs"},{"kind":"allreduce","delay":1},{"kind":"allreduce","delay":1,"delay_first":54},{"kind":"allreduce","delay":1,"delay_last":1}]' | sed '/^Rests on/,$d'
target() { dtsim sync_or_async --set devices=16 "$@" | sed -n '/time to/,/^$/p;/^  late/,/^  overlap/p'; }
target --set 'strategies=[{"kind":"allreduce"},{"kind":"allreduce","delay":1},{"kind":"allreduce","delay":1,"delay_first":3},{"kind":"allreduce","local_steps":4},{"kind":"allreduce","local_steps":64,"outer_rate":0.7}]'
sed 's/"form"/"form"/; s/^  "source"/  "local_steps": [{"steps": 4, "factor": 1.1, "within": 1.05}, {"steps": 16, "factor": 1.3, "within": 1.1}],\n  "source"/' ../../convergence/resnet50_lars.json >"$TMP/local.json"
target --set training.target.profile="$TMP/local.json" --set 'strategies=[{"kind":"allreduce"},{"kind":"allreduce","local_steps":8},{"kind":"allreduce","local_steps":32},{"kind":"allreduce","local_steps":4,"outer_rate":0.7}]'
# Steps before a switch count with what they take.
dtsim in/small.json --set model=resnet50 --set devices=4 --engine fluid --set 'training={"epochs":1}' --set 'strategies=[{"kind":"allreduce"},{"kind":"allreduce","local_steps":4},{"kind":"allreduce","local_steps":4,"local_after":1000}]' --format csv | cut -d, -f1-12
dtsim imagenet_1h --set devices=8 --set 'strategies=[{"kind":"allreduce","local_steps":4}]' | sed -n '/^  accuracy/,/^  overlap/p'
dtsim bert_76min --set 'strategies=[{"kind":"allreduce","local_steps":4,"local_after":10}]'
