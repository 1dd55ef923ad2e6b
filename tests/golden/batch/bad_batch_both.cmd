dtsim in/small.json --set batch.global=8
