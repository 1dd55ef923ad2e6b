dtsim in/small.json --sweep steps=4,1
