# needs simgrid
dtsim in/small.json --engine exact --set devices=4
