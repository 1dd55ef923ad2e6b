dtsim in/small.json --output ./in/small.json
