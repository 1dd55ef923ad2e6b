dtsim in/small.json --set platform.node.device=null
dtsim in/small.json --set 'platform.node.kinds=[{"nodes": 2, "device": "p100"}, {"nodes": 2, "device": "v100"}]'
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 2, "device": "p100"}, {"nodes": 3, "device": "v100"}]'
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[]'
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 4, "device": "v10"}]'
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 4}]'
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 4, "devce": "v100"}]'
dtsim in/small.json --set platform.node.device=null --set 'platform.node.kinds=[{"nodes": 4, "device": "in/no_device.json"}]'
dtsim in/small.json --set 'platform.node.device=["p100", "v100"]'
dtsim in/small.json --set device=p100 --set platform=in/mixed.json
dtsim in/small.json --set platform.node.device=v100 --set platform=in/mixed.json
