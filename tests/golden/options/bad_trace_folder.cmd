dtsim in/small.json --engine fluid --trace $TMP/none/trace.json
