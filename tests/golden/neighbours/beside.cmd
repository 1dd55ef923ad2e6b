# needs simgrid
# 1 GB over a cable of 1 GB/s: 1 s alone; two such jobs get half of it each; inside of its leaf, or after the end, the
# other one changes nothing.
dtsim neighbours/beside.json | sed -n '/^  *devices/,/^$/p'
dtsim neighbours/beside.json --engine exact -f json | grep '"slowdown"'
dtsim neighbours/beside.json --set 'neighbours[0].placement.nodes=[1,2]' -f json | grep '"slowdown"'
dtsim neighbours/beside.json --set 'neighbours[0].start_s=1' -f json | grep -e '"slowdown"' -e engine_limits
# At a load of 1/4 the cable is never idle: 3/4 of it are left, 4/3 s. At one half and more it is shared evenly.
for pattern in all_to_all permutation random_pairs nearest_neighbors; do
for load in 0.25 0.5 1; do
dtsim neighbours/beside.json --set "neighbours[0].strategy={\"kind\":\"traffic\",\"pattern\":\"$pattern\",\"load\":$load}" -f json | grep '"slowdown"'
done
done
