dtsim in/small.json --set batch=4
