ln -s loop.json $TMP/loop.json
dtsim $TMP/loop.json
