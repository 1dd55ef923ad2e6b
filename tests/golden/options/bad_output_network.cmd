# needs simgrid
dtsim in/small.json --set platform.nodes=2 --set platform.nics=null --set platform.node.fabric=null --set 'platform.network={"kind": "simgrid_xml", "file": "in/two.xml"}' --set 'devices=[2]' -o in/two.xml
