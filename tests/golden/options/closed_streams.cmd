# needs simgrid
dtsim in/small.json --engine exact --format csv -o "$TMP/x" <&- >&- 2>&-
echo "status $?"
cut -d, -f1-4,11 "$TMP/x"
dtsim list engines >&-
