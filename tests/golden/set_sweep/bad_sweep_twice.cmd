dtsim in/small.json --sweep steps=3,4,3
