dtsim in/small.json --engine fluid --format json --set devices=4
