yes '[' | head -n 200 | tr -d '\n' >$TMP/deep.json
dtsim $TMP/deep.json
