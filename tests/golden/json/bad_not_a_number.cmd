dtsim in/small.json --set dataset.samples=NaN
