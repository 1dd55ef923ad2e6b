dtsim in/small.json --set steps=100000
