# needs exact
dtsim in/small.json --set 'platform.network={"kind": "simgrid_xml", "file": "nothing.xml"}' --set platform.nics=null --set platform.node.fabric=null
