dtsim in/empty.json
