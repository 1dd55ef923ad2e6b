# needs simgrid
dtsim check in/small.json --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/settings.xml"}'
