dtsim in/small.json --engine fluid --format csv --output $TMP/result.csv
cut -d, -f1-4 $TMP/result.csv
