# needs simgrid
for engine in exact fluid; do
    for jobs in 1 2 7 7; do
        dtsim in/small.json --engine $engine --jobs $jobs --format json >$TMP/$engine.$jobs || echo failed
        cmp $TMP/$engine.$jobs $TMP/$engine.1 && echo $engine, $jobs jobs: the same
    done
    dtsim ../data/agree_big_basin.json --engine $engine --jobs 3 --format json --seed 5 --set 'devices=[16]' >$TMP/$engine || echo failed
    dtsim ../data/agree_big_basin.json --engine $engine --jobs 1 --format json --seed 5 --set 'devices=[16]' | cmp - $TMP/$engine && echo $engine, with noise: the same
done
