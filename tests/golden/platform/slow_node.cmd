dtsim --explain in/small.json --set 'platform.node.slow={"factor": 1.3, "nodes": [3]}' --set batch.per_device=64 --set engine=fluid
dtsim in/small.json --set 'platform.node.slow={"factor": 1.3, "count": 1}' --set batch.per_device=64 --set engine=fluid --format csv
