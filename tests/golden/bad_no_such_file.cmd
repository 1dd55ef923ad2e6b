dtsim in/nothing.json
