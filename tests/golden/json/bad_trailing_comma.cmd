dtsim in/trailing_comma.json
