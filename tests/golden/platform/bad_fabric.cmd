dtsim in/small.json --set platform.node.fabric.kind=nvlnk
dtsim in/small.json --set platform.node.fabric=null
