# The smallest device in use has to hold the network; one that is not in use need not.
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "v100_32gb"}, {"nodes": 2, "device": "v100"}]' --set batch.per_device=360000 --set engine=fluid --format csv
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "v100_32gb"}, {"nodes": 2, "device": "v100"}]' --set batch.per_device=360000 --set engine=fluid --set devices=[4]
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "v100_32gb"}, {"nodes": 2, "device": "v100"}]' --set batch.per_device=360000 --set 'placement={"kind": "listed", "nodes": [0, 1]}' --set devices=[4]
