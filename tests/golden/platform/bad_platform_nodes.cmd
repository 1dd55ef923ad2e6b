dtsim in/small.json --set platform.nodes=0
