# Where the engine may be further off than it promises, the answer says so.
dtsim in/small.json --engine fluid --set platform=cloud_10g --set devices=[16] --set 'strategies=[{"kind":"ps","aggregate_in_node":true},{"name":"plain","kind":"ps"}]' --format json | grep -E '"strategy"|limits'
dtsim --explain in/small.json --engine fluid --set platform=cloud_10g --set devices=[16] --set 'strategies=[{"kind":"ps","aggregate_in_node":true}]' | grep -A2 engine
dtsim --explain in/small.json --engine fluid --set platform=theta --set stack=knl_mkl --set devices=[16] | grep -A2 '^  engine'
