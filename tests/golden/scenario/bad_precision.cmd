dtsim in/small.json --set precision=fp8
