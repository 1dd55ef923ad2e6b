# Every phase is a line of the answer, an object of JSON, and is planned by check.
cp in/model.json in/platform.json in/stack.json in/device.json "$TMP" && cd "$TMP" || exit 1
sed 's|"epochs": 2|"phases": [{"epochs": 3}, {"steps": 100, "set": {"batch.per_device": 8}}]|' "$OLDPWD/in/small.json" >phases.json
dtsim phases.json --engine fluid | sed -n '/^Phases/,/^$/p'
dtsim phases.json --engine fluid --set platform.node.power_w=1000 --sweep batch.per_device=2,4 | sed -n '/^Phases/,/^$/p'
dtsim phases.json --engine fluid --set devices=4 --format json | grep -A 3 '"phases": \['
dtsim "$OLDPWD/in/small.json" --engine fluid --set devices=4 --format json | grep -c '"phases"'
dtsim check phases.json --engine fluid | grep 'devices*:\|phase [0-9]'
# The second phase does not fit: of the whole training that is the answer, with check, too.
dtsim check phases.json --engine fluid --set 'training.phases[1].set={"batch.per_device": 1000000}'
dtsim phases.json --engine fluid --set devices=4 --set 'training.phases[1].set={"batch.per_device": 1000000}'
