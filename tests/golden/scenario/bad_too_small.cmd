dtsim in/small.json --set steps=1
