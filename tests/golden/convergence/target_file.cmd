# A file that --set names lies where the person is, also inside of an object.
cp ../../convergence/resnet50_lars.json ../../accuracy/resnet50_goyal.json "$TMP" && cd "$TMP"
target() { dtsim --explain time_to_accuracy --set devices=64 "$@" | sed -n '/^  target/p'; }
target --set training.target.profile=resnet50_lars.json
target --set 'training={"target": {"profile": "./resnet50_lars.json"}}'
dtsim --explain imagenet_1h --set devices=8 --set 'strategies=[{"kind": "allreduce"}]' --set training.accuracy.table=resnet50_goyal.json | sed -n '/^  accuracy/p'
dtsim check time_to_accuracy --set training.target.profile=none.json
