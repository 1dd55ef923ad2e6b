dtsim in/small.json --set cluster.nodes=4
