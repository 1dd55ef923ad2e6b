head -c 100 /dev/zero >$TMP/zeros.json
dtsim $TMP/zeros.json
