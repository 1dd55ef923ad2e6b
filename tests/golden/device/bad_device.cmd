dtsim in/small.json --set device=v10
