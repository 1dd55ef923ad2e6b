dtsim in/small.json --stes 4
