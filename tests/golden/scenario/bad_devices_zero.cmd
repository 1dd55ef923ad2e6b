dtsim in/small.json --set devices=0
