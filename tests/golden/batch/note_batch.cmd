dtsim in/small.json --engine fluid --format csv --set dataset.samples=10 -o $TMP/out
dtsim check in/small.json --set dataset.samples=10 -o $TMP/out
dtsim in/small.json --engine fluid --format csv --set dataset.samples=10 --set devices=[3,4] --set 'strategies=[{"kind":"allreduce","algorithm":"ring"},{"kind":"ps"}]' -o $TMP/out
dtsim in/small.json --engine fluid --format csv --set dataset.samples=10 --sweep batch.per_device=4,8,16 -o $TMP/out
