# needs simgrid
dtsim --explain in/small.json --engine exact --set devices=4
