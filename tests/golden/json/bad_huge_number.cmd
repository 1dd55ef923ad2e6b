dtsim in/small.json --set dataset.samples=1e400
