dtsim in/small.json --sweep batch.nothing=1,2
