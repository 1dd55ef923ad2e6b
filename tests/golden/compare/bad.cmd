# What cannot be compared is refused, with what would be.
dtsim in/small.json --engine fluid --set devices=[2] -o $TMP/a.json
dtsim in/small.json --engine fluid --set devices=[4] -o $TMP/b.json
dtsim compare $TMP/a.json
dtsim compare $TMP/a.json $TMP/b.json
dtsim compare $TMP/a.json in/small.json
dtsim compare $TMP/a.json in/truncated.json
dtsim compare $TMP/none.json $TMP/a.json
dtsim compare $TMP/a.json $TMP/a.json --set devices=4
dtsim compare $TMP/a.json $TMP/a.json --format csv
dtsim compare $TMP/a.json $TMP/a.json -o $TMP/a.json
dtsim compare $TMP/a.json $TMP/a.json --plot scaling
echo '{"schema": "dtsim-result/1", "points": [{"strategy": "r", "devices": 0}]}' >$TMP/odd.json
dtsim compare $TMP/odd.json $TMP/a.json
echo '{"schema": "dtsim-result/1", "points": [{"strategy": "r", "devices": 2, "step": {"total_s": "x"}}]}' >$TMP/odd.json
dtsim compare $TMP/odd.json $TMP/a.json
echo '[]' >$TMP/odd.json
dtsim compare $TMP/odd.json $TMP/a.json
printf '{"schema": "dtsim-result/1", "scenario": "\\u001b[31mred", "points": [{"strategy": "\\u001b[2J<b>", "devices": 2}]}' >$TMP/odd.json
dtsim compare $TMP/odd.json $TMP/odd.json
