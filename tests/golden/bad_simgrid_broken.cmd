# needs exact
dtsim in/small.json --set 'platform.network={"kind": "simgrid", "file": "broken.xml"}' --set platform.nics=null
