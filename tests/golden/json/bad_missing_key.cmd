dtsim in/missing_key.json
