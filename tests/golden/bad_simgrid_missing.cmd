<<<<<<< HEAD
# needs exact
dtsim in/small.json --set 'platform.network={"kind": "simgrid_xml", "file": "nothing.xml"}' --set platform.nics=null --set platform.node.fabric=null
=======
# needs simgrid
dtsim in/small.json --set platform.nics=null --set 'platform.network={"kind": "simgrid_xml", "file": "nothing.xml"}'
>>>>>>> w-cli
