dtsim in/small.json --engine fluid --format csv --set dataset.samples=10 -o $TMP/out
dtsim check in/small.json --set dataset.samples=10 -o $TMP/out
