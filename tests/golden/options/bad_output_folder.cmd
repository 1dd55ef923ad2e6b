dtsim in/small.json --output $TMP/none/result.json
