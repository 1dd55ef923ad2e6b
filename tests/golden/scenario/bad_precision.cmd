dtsim in/small.json --set precision=fp4
