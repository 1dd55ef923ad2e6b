dtsim in/small.json --set 'strategies[0].buckets=1'
