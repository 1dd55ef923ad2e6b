# needs exact
dtsim in/small.json --set 'platform.network={"kind": "simgrid_xml", "file": "broken.xml"}' --set platform.nics=null --set platform.node.fabric=null
