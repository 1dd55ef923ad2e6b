# Messages about a phase name the file, or who changed it, and the phase.
cp in/model.json in/platform.json in/stack.json in/device.json "$TMP" && cd "$TMP" || exit 1
sed 's|"epochs": 2|"phases": [{"epochs": 3}, {"steps": 100, "set": {"batch.per_device": 8}}]|' "$OLDPWD/in/small.json" >phases.json
bad() { sed "s|{\"batch.per_device\": 8}|$1|" phases.json >bad.json; dtsim bad.json --engine fluid --set devices=4; }
bad '{"batch.per_devise": 8}'
bad '{"precision": "fp64"}'
bad '{"batch_norm": "synchronized"}'
bad '{"batch": {"global": 30}}'
bad '{"strategies": [{"kind": "allreduce"}, {"kind": "ps"}]}'
for path in summary why dataset.name platform.name platform.summary 'strategies[0].name'; do
    bad "{\"$path\": \"long sequences\"}"
done
dtsim phases.json --set 'training.phases[1].set={"batch.per_devise": 8}'
