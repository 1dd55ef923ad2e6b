dtsim in/small.json --set engine=fast
