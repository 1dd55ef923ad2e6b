dtsim in/small.json --engine
