dtsim in/small.json --set batch.per_device=100000
