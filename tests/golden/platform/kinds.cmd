dtsim --explain in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "p100"}, {"nodes": 2, "device": "v100"}]' --set batch.per_device=64 --set engine=fluid
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "p100"}, {"nodes": 2, "device": "v100"}]' --set batch.per_device=64 --set engine=fluid --set devices=[4] --format json | grep '"unlike"'
dtsim in/small.json --set platform=in/mixed.json --set 'platform.node.kinds[0].device=in/device.json' --set devices=[4] --set engine=fluid --format csv
dtsim check in/small.json --set platform=in/mixed.json 2>&1 | grep "^  platform"
