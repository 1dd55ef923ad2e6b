dtsim in/small.json --set devices=2.5
