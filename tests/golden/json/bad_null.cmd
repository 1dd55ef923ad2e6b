sed 's/"toy"/"to\\u0000y"/' in/small.json >$TMP/null.json && dtsim $TMP/null.json
