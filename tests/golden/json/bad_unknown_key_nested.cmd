dtsim in/small.json --set batch.per_devise=4
