dtsim in/small.json --sweep steps=
