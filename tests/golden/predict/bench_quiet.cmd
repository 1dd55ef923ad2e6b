for file in ../../bench/*.json; do dtsim "$file" --engine fluid --format csv -o $TMP/out; done
