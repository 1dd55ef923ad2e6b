# needs simgrid
dtsim in/small.json --set platform.nics=null --set 'platform.network={"kind": "simgrid_xml", "file": "truncated.xml"}' --set platform.node.fabric=null
