dtsim in/small.json --engine fluid --trace $TMP/one.json --output $TMP/one.json
