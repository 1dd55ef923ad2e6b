dtsim in/small.json --set platform.nics.bandwidth=1e9
