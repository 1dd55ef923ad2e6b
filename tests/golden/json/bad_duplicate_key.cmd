dtsim in/duplicate_key.json
