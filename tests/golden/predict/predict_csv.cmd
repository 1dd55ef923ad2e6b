dtsim in/small.json --engine fluid --format csv
