# Several scenarios are one document; the suffix of the output says the format, unless --format does.
dtsim in/small.json in/minimal.json --engine fluid --set 'devices=[2]' -f json | grep -c schema
dtsim in/small.json in/minimal.json --engine fluid --set 'devices=[2]' -f json | head -c 12
dtsim in/small.json in/minimal.json --engine fluid --set 'devices=[2]' -f ndjson | cut -c1-60
for suffix in csv json ndjson txt other; do
    dtsim in/small.json --engine fluid --set 'devices=[2]' -o "$TMP/x.$suffix"
    head -n 1 "$TMP/x.$suffix" | cut -c1-30
done
dtsim in/small.json --engine fluid --set 'devices=[2]' -o "$TMP/x.csv" -f text
head -n 1 "$TMP/x.csv" | cut -c1-30
