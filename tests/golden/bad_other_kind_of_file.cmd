dtsim in/platform.json
