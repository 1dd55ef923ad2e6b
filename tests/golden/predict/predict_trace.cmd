dtsim in/small.json --engine fluid --set devices=2 --trace $TMP/trace.json >$TMP/out
cat $TMP/trace.json
