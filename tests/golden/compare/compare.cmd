# Points asked alike are compared; what else was asked differently, and what only one has, is listed.
export COLUMNS=130
run="dtsim in/small.json --engine fluid"
$run -o $TMP/a.json
$run --set devices=[2,4] --set platform.nics.bytes_per_s=5e8 --set batch.per_device=8 --seed 7 -o $TMP/b.json
dtsim compare $TMP/a.json $TMP/b.json
dtsim compare $TMP/a.json $TMP/b.json --format json
dtsim compare $TMP/a.json $TMP/a.json -o $TMP/same.txt && cat $TMP/same.txt
# Of several scenarios the names match, too; sweeps are told apart by their setting.
dtsim in/small.json in/minimal.json --engine fluid --set devices=[2] -o $TMP/two.json
dtsim in/small.json --engine fluid --set devices=[2] --sweep batch.per_device=4,8 -o $TMP/swept.json
dtsim compare $TMP/two.json $TMP/a.json
dtsim compare $TMP/swept.json $TMP/swept.json
# Columns that do not fit are left out and named.
for width in 40 80; do COLUMNS=$width dtsim compare $TMP/a.json $TMP/b.json | sed "/^Asked/,\$d"; done
