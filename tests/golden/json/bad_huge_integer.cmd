dtsim in/small.json --set seed=99999999999999999999
