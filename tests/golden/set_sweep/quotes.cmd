# What was set is shown as it was typed.
dtsim in/small.json --engine fluid --set devices=2 --sweep 'batch={"per_device":2},{"global":8}' | sed -n '/changed/,/^$/p;/^strategy/,/^$/p'
