# needs simgrid
dtsim in/small.json --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/master.xml"}'
dtsim in/small.json --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/master.xml", "hosts": "worker"}'
dtsim in/small.json --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/master.xml", "hosts": ["node-1", "node-4"]}'
dtsim in/small.json --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/master.xml", "hosts": ["node-1", "node-2"]}'
dtsim in/small.json --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/settings.xml"}' --set platform.node.devices=2
