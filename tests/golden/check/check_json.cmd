dtsim check in/small.json --format json
