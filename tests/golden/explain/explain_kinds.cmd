# Nodes of two kinds: explain begins from what a prediction says, not from a machine of the first kind alone.
set -- --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "v100"}, {"nodes": 2, "device": "k80"}]' --set batch.per_device=40000 --engine fluid
dtsim in/small.json "$@" --set devices=4 --format csv | cut -d, -f2,4,11
dtsim explain in/small.json "$@" --devices 4 --measured '300 ms' --format json | grep predicted
