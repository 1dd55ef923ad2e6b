dtsim in/small.json --set model=7
