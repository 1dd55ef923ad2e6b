# needs simgrid
# Speeds of hosts are told, and used where asked for.
network='"kind": "simgrid_xml", "file": "in/unlike.xml"'
dtsim --explain in/small.json --set devices=[2] --set platform.nodes=2 --set platform.nics=null --set platform.node.fabric=null --set engine=fluid --set "platform.network={$network}" | grep -A3 unlike
dtsim --explain in/small.json --set devices=[2] --set platform.nodes=2 --set platform.nics=null --set platform.node.fabric=null --set engine=fluid --set "platform.network={$network, \"host_speeds\": true}"
dtsim in/small.json --set devices=[2] --set platform.nodes=2 --set platform.nics=null --set platform.node.fabric=null --set engine=fluid --set "platform.network={$network, \"host_speeds\": 2}"
dtsim in/small.json --set platform.network.host_speeds=true
