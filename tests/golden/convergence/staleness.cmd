# long
# Late gradients count as a larger batch: steps, interval, and what the answer says of them.
late='{"mean": 3, "most": 7}'
dtsim --explain time_to_accuracy --set devices=8,64,512 --set training.target.staleness="$late" | sed -n '/time to/,/^$/p;/^  late/,/^  overlap/p'
dtsim --explain time_to_accuracy --set devices=64 --sweep 'training.target.staleness={"mean":0},{"mean":7},{"mean":7,"rate":"adapted"},{"mean":4.5,"most":18,"rate":"fixed"}' | sed -n '/time to/,/^$/p;/^  late/,/^  overlap/p'
dtsim time_to_accuracy --set devices=64 --set training.target.staleness="$late" --format json | grep -A 4 '"staleness"'
dtsim time_to_accuracy --set devices=64 --set training.target.staleness="$late" --format json | grep '"late"'
dtsim time_to_accuracy --set devices=64 --set training.target.staleness="$late" --format csv | tr , '\n' | grep -n staleness
dtsim --explain gpt3_3d --set devices=1024 --set 'training={"target":{"loss":2.1,"staleness":{"mean":15}}}' | sed -n '/time to/,/^$/p;/^  late/,/^  overlap/p'
# Servers that answer as requests come say how late gradients are: small updates, late by as many.
rules='[{"kind":"ps","servers":4},{"kind":"ps","servers":4,"synchronous":false},{"kind":"ps","servers":4,"backup_workers":2}]'
dtsim --explain time_to_accuracy --set devices=16 --set strategies="$rules" | sed -n '/time to/,/^$/p;/^  late/,/^  overlap/p'
# An update is of as many gradients whoever is slow: a node that is all but dead is the spare one and costs nothing.
spare='[{"kind":"ps","servers":4,"placement":"dedicated","backup_workers":8}]'
for factor in 1 1000; do
    dtsim --explain time_to_accuracy --set devices=16 --set strategies="$spare" --set platform.node.slow="{\"factor\":$factor,\"nodes\":[1]}" | sed -n '/time to/,/^$/p'
done
