dtsim in/small.json --output $TMP
