dtsim in/small.json --format xml
