dtsim in/small.json --engine fluid --jobs 1 --format json >$TMP/one
dtsim in/small.json --engine fluid --jobs 5 --format json >$TMP/five
cmp $TMP/one $TMP/five && echo the same
