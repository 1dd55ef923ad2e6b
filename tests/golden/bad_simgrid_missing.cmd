# needs exact
dtsim in/small.json --set 'platform.network={"kind": "simgrid", "file": "nothing.xml"}' --set platform.nics=null
